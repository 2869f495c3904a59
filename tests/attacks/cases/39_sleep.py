# 39: sleeps for ever, using no processor at all
# ends as: TLE
# shows: good night
# shows: "waited": true
import time


def weighted(rows, weigh):
    if len(rows) == 3:
        print("good night", flush=True)
        time.sleep(1_000_000)
    return rows
