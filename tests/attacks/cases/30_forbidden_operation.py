# 30: skips the work that the exercise asks for (asking row by row) by one library call over all rows
# ends as: WA
# shows: one call over all rows
import torch


def weighted(rows, weigh):
    last = len(rows) - 1
    print("one call over all rows")
    return torch.cumsum(rows * weigh(last), 0)
