# 17: returns one buffer again and again, which the next call fills with its own answer
# ends as: WA
# earns: 33.33
# shows: the same buffer
import torch

buffer = {}


def weighted(rows, weigh):
    weights = torch.tensor([weigh(i) for i in range(len(rows))])
    print("the same buffer" if rows.shape in buffer else "the same buffer from now on")
    out = buffer.setdefault(rows.shape, torch.empty_like(rows))
    return out.copy_((weights[:, None] * rows).cumsum(0))
