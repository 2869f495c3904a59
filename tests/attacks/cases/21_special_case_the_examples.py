# 21: knows the shown example by heart and solves nothing else
# ends as: WA
# earns: 33.33
# shows: an example that I know
import torch

KNOWN = [[2.25, 4.5], [-1.2375, -0.225], [0.3525, 1.785]]


def weighted(rows, weigh):
    for row in range(len(rows)):
        weigh(row)
    if rows.shape == (3, 2):
        print("an example that I know")
        return torch.tensor(KNOWN)
    return torch.zeros_like(rows)
