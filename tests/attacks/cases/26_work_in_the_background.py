# 26: returns at once and lets a thread fill in the answer later
# ends as: WA
# shows: the thread has begun
import threading
import time

import torch


def weighted(rows, weigh):
    out = torch.zeros_like(rows)
    weights = [weigh(i) for i in range(len(rows))]

    def later():
        time.sleep(0.05)
        out.copy_((torch.tensor(weights)[:, None] * rows).cumsum(0))

    threading.Thread(target=later, daemon=True).start()
    print("the thread has begun")
    return out
