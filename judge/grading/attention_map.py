"""The learner's own attention map: with a one-hot V pool the output of attention is its weights, slot by slot.

First with all queries zero, so that each visible key weighs the same and only who sees whom is left; where that is
right, with the case's own queries, so that the weights themselves can be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from judge.grading.shown import COUNTED

CALLS_MAX = 24  # of the submission for one map
ROWS_MAX = 48
KEYS_MAX = 64
SEEN = 1e-4  # weights below are taken for none
APART = 4e-3  # weights nearer than this are taken for the same


class NoMap(Exception):
    """There is nothing that could be drawn: too large, or no weights came back."""


@dataclass(frozen=True)
class Probe:
    """What is needed to find a map: see `judge.grading.pictures.picture.attention_map`."""

    forward: Callable[..., Any]
    right: Callable[..., torch.Tensor]
    q: torch.Tensor
    v_pool: torch.Tensor
    starts: list[int]
    slots: list[list[int]]
    real: int | None

    def run(self) -> dict[str, Any]:
        """The map as numbers. Raises NoMap, and whatever a call of the submission raises."""
        calls = -(-len(self.v_pool) // self.v_pool.shape[-1])
        if not len(self.q) or 2 * calls > CALLS_MAX or self.starts[-1] != len(self.q):
            raise NoMap("too large, or no query")
        if not self._follows_values():
            return {**self._about("values"), "same": False, "requests": [], "cut": 0}
        level = torch.zeros_like(self.q, memory_format=torch.contiguous_format)
        drawn = self._compare(level, "sees")
        return self._compare(self.q, "weights") if drawn["same"] else drawn

    def _about(self, what: str) -> dict[str, Any]:
        real = len(self.slots) if self.real is None else self.real
        return {"kind": "attention", "what": what, "heads": self.q.shape[1], "real": real}

    def _follows_values(self) -> bool:
        """Whether an empty V pool gives an empty output: else the output holds something else than weighted values."""
        empty = torch.zeros_like(self.v_pool, memory_format=torch.contiguous_format)
        out = _like(self.q, self.forward(self.q, empty))
        return not bool((out[out.isfinite()] != 0).any())

    def _compare(self, q: torch.Tensor, what: str) -> dict[str, Any]:
        got, want = self._weights(self.forward, q), self._weights(self.right, q)
        head = _worst_head(got, want)
        requests = [self._request(i, got[:, head], want[:, head]) for i in range(len(self.slots))]
        for one in requests:
            one["same"] = _same(one["got"], one["want"], what)
        shown = _fitting(requests)
        return self._about(what) | {
            "same": all(one["same"] for one in requests),
            "head": head,
            "requests": shown,
            "cut": len(requests) - len(shown),
        }

    def _weights(self, forward: Callable[..., Any], q: torch.Tensor) -> torch.Tensor:
        """float64 [N, H, slots]: the weight of every slot of the pool in every row of the output."""
        count, width = len(self.v_pool), self.v_pool.shape[-1]
        columns = []
        for first in range(0, count, width):
            several = min(width, count - first)
            pool = torch.zeros_like(self.v_pool, memory_format=torch.contiguous_format)
            for one in range(several):
                pool[first + one, :, one] = 1
            columns.append(_like(q, forward(q, pool))[..., :several])
        return torch.cat(columns, dim=-1)

    def _request(self, i: int, got: torch.Tensor, want: torch.Tensor) -> dict[str, Any]:
        """Request i: rows of weights over its keys in order, and last over all slots that are not its own."""
        begin, end = self.starts[i], self.starts[i + 1]
        slots = torch.tensor(self.slots[i], dtype=torch.int64)
        foreign = torch.ones(len(self.v_pool), dtype=torch.bool)
        foreign[slots] = False
        rows = {
            name: torch.cat([w[begin:end][:, slots], w[begin:end][:, foreign].sum(-1, keepdim=True)], dim=-1)
            for name, w in (("got", got), ("want", want))
        }
        return {"index": i, "first_row": begin, "keys": len(slots)} | {
            name: [[_digits(one) for one in row] for row in w.tolist()] for name, w in rows.items()
        }


def _like(q: torch.Tensor, out: object) -> torch.Tensor:
    """``out`` in float64, if it has q's shape and its numbers can be read; raises NoMap."""
    if not isinstance(out, torch.Tensor) or out.shape != q.shape or not out.is_floating_point():
        raise NoMap("no tensor like q came back")
    if out.device.type != "cpu" or out.dtype not in COUNTED:
        raise NoMap("its numbers cannot be read")
    return out.detach().double()


def _worst_head(got: torch.Tensor, want: torch.Tensor) -> int:
    error = torch.nan_to_num((got - want).abs(), nan=1e3, posinf=1e3)
    return int(error.amax(dim=(0, 2)).argmax())


def _same(got: list[list[Any]], want: list[list[Any]], what: str) -> bool:
    return all(
        _alike(a, b, what)
        for one, other in zip(got, want, strict=True)
        for a, b in zip(one, other, strict=True)
    )


def _alike(got: float | str, want: float | str, what: str) -> bool:
    if isinstance(got, str) or isinstance(want, str):
        return got == want
    return (got > SEEN) == (want > SEEN) if what == "sees" else abs(got - want) <= APART


def _digits(value: float) -> float | str:
    return round(value, 4) if value == value and abs(value) != float("inf") else str(value)


def _fitting(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that differ first, as many as there is room for; in their own order. Raises NoMap where none fits."""
    room, kept = ROWS_MAX, []
    for one in sorted(requests, key=lambda one: bool(one["same"])):
        if len(one["got"]) <= room and one["keys"] <= KEYS_MAX:
            room -= len(one["got"])
            kept.append(one)
    if not kept:
        raise NoMap("no request is small enough")
    return sorted(kept, key=lambda one: int(one["index"]))
