"""Plays operations on your requests and tells their numbers; the comparison is made elsewhere."""

from __future__ import annotations

from typing import Any

import solution
import torch

NUMBERS = ("cached_len", "device_len", "max_device_len", "remain_len", "extend_len", "can_decode")


def replay(runs: list[list[dict[str, Any]]]) -> list[list[Any]]:
    """Every run on a request of its own: what was raised, the numbers, and the ids."""
    return [_replay(run) for run in runs]


def _replay(run: list[dict[str, Any]]) -> list[Any]:
    req, results = None, []
    for step in run:
        raised = ""
        match step["op"]:
            case "create":
                ids = torch.tensor(step["ids"], dtype=torch.int32)
                try:
                    req = solution.Req(ids, step["cached_len"], step["output_len"])
                except ValueError:
                    raised = "ValueError"
            case "complete":
                req.complete_one()
            case "append":
                req.append_host(torch.tensor([step["token"]], dtype=getattr(torch, step["dtype"])))
        results.append([raised, None] if req is None else [raised, _look(req)])
    return results


def _look(req: Any) -> list[Any]:
    ids = req.input_ids
    told = [str(ids.dtype), ids.tolist()] if isinstance(ids, torch.Tensor) else ids
    return [*(getattr(req, name) for name in NUMBERS), told]


def append_and_show(ids: torch.Tensor, cached_len: int, tokens: list[int]) -> list[Any]:
    """The caller's ids, and the request's before each token and after the last."""
    req = solution.Req(ids, cached_len, len(tokens))
    held = [req.input_ids]
    for token in tokens:
        req.complete_one()
        req.append_host(torch.tensor([token], dtype=torch.int32))
        held.append(req.input_ids)
    return [ids, *held]


def identities(ids: torch.Tensor, cached_len: int) -> list[Any]:
    """Two requests of one prompt: equal? hashable? still found in a set after a step, which it has taken?"""
    first, second = (solution.Req(ids, cached_len, 4) for _ in range(2))
    both = {first, second}
    first.complete_one()
    return [first == second, first == first, len(both), first in both, second in {first}, first.device_len]
