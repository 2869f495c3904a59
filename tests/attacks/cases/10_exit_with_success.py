# 10: ends the process with exit status 0 before anything is compared
# ends as: RE
# shows: leaving with status 0
# shows: "kind": "died"
import os


def weighted(rows, weigh):
    print("leaving with status 0", flush=True)
    os._exit(0)
