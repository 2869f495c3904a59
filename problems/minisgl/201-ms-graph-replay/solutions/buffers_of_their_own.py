"""Every size has buffers of its own; the size is found by bisection."""

from bisect import bisect_left

import torch


def determine_graph_bs(max_bs):
    sizes = [bs for bs in (1, 2, 4) if bs <= max_bs]
    bs = 8
    while bs <= max_bs:
        sizes.append(bs)
        bs += 8
    return sizes


class Recorded:
    """One graph and the tensors that it reads and writes."""

    def __init__(self, record, bs, vocab):
        self.ids = torch.zeros(bs, dtype=torch.int32)
        self.positions = torch.zeros(bs, dtype=torch.int32)
        self.lens = torch.ones(bs, dtype=torch.int32)
        self.out = torch.zeros(bs, vocab)
        self.graph = record(self.ids, self.positions, self.lens, self.out)

    def replay(self, padded):
        self.ids.copy_(torch.tensor([token for token, _, _ in padded]))
        self.positions.copy_(torch.tensor([place for _, place, _ in padded]))
        self.lens.copy_(torch.tensor([length for _, _, length in padded]))
        self.graph.replay()


class GraphRunner:
    def __init__(self, model, record, max_bs, vocab):
        self.model, self.vocab = model, vocab
        self.sizes = determine_graph_bs(max_bs)
        self.recorded = {}
        for bs in self.sizes[::-1]:
            self.recorded[bs] = Recorded(record, bs, vocab)

    def pad(self, reqs):
        place = bisect_left(self.sizes, len(reqs))
        if not reqs or place == len(self.sizes):
            return list(reqs)
        return [*reqs, *((0, 0, 1) for _ in range(self.sizes[place] - len(reqs)))]

    def run(self, reqs):
        padded = self.pad(reqs)
        if not padded:
            return torch.zeros(0, self.vocab)
        if len(padded) not in self.recorded:
            return self.model(*torch.tensor(reqs, dtype=torch.int32).unbind(1))
        recorded = self.recorded[len(padded)]
        recorded.replay(padded)
        return torch.cat([recorded.out[: len(reqs)]])
