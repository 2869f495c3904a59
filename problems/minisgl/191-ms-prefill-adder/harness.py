"""Plays rounds on your function and tells what each planned; the comparison is made elsewhere."""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from typing import Any

import solution
from support import PendingReq


def replay(runs: list[list[dict[str, Any]]]) -> list[list[Any]]:
    """Every run on a queue of its own: what a round planned, what still waits, and whether its inputs stayed."""
    return [_replay(run) for run in runs]


def _replay(run: list[dict[str, Any]]) -> list[Any]:
    queue: list[Any] = []
    results: list[Any] = []
    for step in run:
        if step["op"] == "arrive":
            queue = [*queue, PendingReq(*step["req"])]
            results.append(None)
            continue
        given, before = list(queue), _shown(queue)
        batch, left = solution.schedule_prefill(given, *step["limits"])
        results.append([_shown(batch), _shown(left), _shown(given) == before and _shown(queue) == before])
        queue = left
    return results


def _shown(value: Any) -> Any:
    """A copy in plain values: a request as the list of its fields."""
    if is_dataclass(value) and not isinstance(value, type):
        return list(asdict(value).values())
    if isinstance(value, list | tuple):
        return type(value)(map(_shown, value))
    return value if value is None or isinstance(value, int | str) else type(value).__name__
