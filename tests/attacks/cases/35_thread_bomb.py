# 35: a thread bomb: as many threads with small stacks as can be had, each of them waiting for ever
# ends as: MLE
# shows: threads: 1[0-9][0-9]
# shows: "why": "threads"
import threading
import time


def weighted(rows, weigh):
    threading.stack_size(32768)
    started = 0
    try:
        while len(rows) == 3 and started < 5000:
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
            started += 1
            if started % 20 == 0:
                print("threads:", started, flush=True)
    except (RuntimeError, MemoryError) as error:
        print("no more threads:", error, flush=True)
    if len(rows) == 3:
        time.sleep(600)
    return rows
