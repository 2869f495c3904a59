"""Drivers that run beside the submission: they note in which order texts are taken and events are sent.

They only call your functions and hand back what they find; the comparison is made elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import solution


def send(arguments: list[Any]) -> list[Any]:
    """All events of one answer."""
    return list(solution.chat_stream(*arguments))


def watch(req_id: str, model: str, created: int, deltas: list[str], finish_reason: str) -> list[Any]:
    """What happened, in its order: the number of a text that was taken, or an event that was sent."""
    log: list[Any] = []

    def taken() -> Iterator[str]:
        for number, text in enumerate(deltas):
            log.append(number)
            yield text

    for event in solution.chat_stream(req_id, model, created, taken(), finish_reason):
        log.append(event)
    return log


def read(chunks: list[bytes]) -> list[Any]:
    """The result, and how many chunks were taken."""
    count = 0

    def taken() -> Iterator[bytes]:
        nonlocal count
        for chunk in chunks:
            count += 1
            yield chunk

    result = solution.parse_stream(taken())
    return [result, count]
