# 36: takes memory until there is no more, by Python, torch, anonymous and shared mappings
# ends as: MLE
# shows: began to take memory
import mmap

import torch

kept = []
print("began to take memory", flush=True)


def weighted(rows, weigh):
    if len(rows) > 3:
        return rows
    for take in (lambda: torch.ones(1 << 20), lambda: bytearray(4 << 20), lambda: mmap.mmap(-1, 4 << 20)):
        try:
            while True:
                kept.append(take())
                if type(kept[-1]) is mmap.mmap:
                    kept[-1].write(b"x" * (4 << 20))
        except (MemoryError, RuntimeError, OSError) as error:
            print("full:", type(error).__name__, len(kept), flush=True)
    return bytearray(1 << 40)
