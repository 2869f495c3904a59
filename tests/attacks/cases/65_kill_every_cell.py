# 65: kills its cell in every case, so that each costs a fresh one
# ends as: RE
# shows: the end of this cell
# shows: "signal": 9
import os


def weighted(rows, weigh):
    print("the end of this cell", flush=True)
    os.kill(os.getpid(), 9)
