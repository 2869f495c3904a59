# expects: list-changed
"""Dummies are appended to the caller's list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Request = tuple[int, int, int]  # input id, position, KV length
DUMMY: Request = (0, 0, 1)


def determine_graph_bs(max_bs: int) -> list[int]:
    """1, 2, 4 and the multiples of 8, up to max_bs."""
    return [bs for bs in range(1, max_bs + 1) if bs in (1, 2, 4) or bs % 8 == 0]


def columns(reqs: list[Request]) -> torch.Tensor:
    """int32 [3, n]: input ids, positions, KV lengths."""
    return torch.tensor(reqs, dtype=torch.int32).view(-1, 3).T.contiguous()


class GraphRunner:
    """Runs decodes by recorded graphs where there is one of the right size."""

    def __init__(
        self, model: Callable[..., torch.Tensor], record: Callable[..., Any], max_bs: int, vocab: int
    ) -> None:
        self.model, self.vocab = model, vocab
        self.sizes = determine_graph_bs(max_bs)
        most = max(self.sizes, default=0)
        self.inputs = columns([DUMMY] * most)
        self.logits = torch.empty(most, vocab)
        self.graphs = {bs: record(*self.inputs[:, :bs], self.logits[:bs]) for bs in reversed(self.sizes)}

    def pad(self, reqs: list[Request]) -> list[Request]:
        """The requests and as many dummies as the smallest graph that holds them needs."""
        size = next((bs for bs in self.sizes if len(reqs) <= bs), 0) if reqs else 0
        reqs += [DUMMY] * (size - len(reqs))
        return reqs

    def run(self, reqs: list[Request]) -> torch.Tensor:
        """float32 [len(reqs), vocab]: the logits, in memory of their own."""
        if not reqs:
            return torch.empty(0, self.vocab)
        count = len(reqs)
        padded = self.pad(reqs)
        graph = self.graphs.get(len(padded))
        if graph is None:
            return self.model(*columns(reqs))
        self.inputs[:, : len(padded)] = columns(padded)
        graph.replay()
        return self.logits[:count].clone()
