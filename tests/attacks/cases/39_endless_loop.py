# 39: loops for ever with every signal blocked or ignored
# ends as: TLE
# shows: ignoring [0-9]+ signals
import signal


def weighted(rows, weigh):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    ignored = 0
    for number in signal.valid_signals():
        try:
            signal.signal(number, signal.SIG_IGN)
            ignored += 1
        except (OSError, ValueError):
            continue
    print("ignoring", ignored, "signals", flush=True)
    while len(rows) == 3:
        pass
    return rows
