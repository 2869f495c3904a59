"""What the cases share: a function that gives weights and remembers who was asked for, and the answer."""

import torch


class Weigh:
    """Called with a row's number, gives its weight."""

    def __init__(self, weights):
        self.weights = weights
        self.asked = []

    def __call__(self, row):
        self.asked.append(row)
        return self.weights[row]


def answer(rows, weights):
    """The weighted sums, in float64 and rounded once."""
    return (torch.tensor(weights, dtype=torch.float64)[:, None] * rows.double()).cumsum(0).float()
