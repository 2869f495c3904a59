"""Lists of whole numbers as people write them: 0–4, 6."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

_RUNS_MAX = 6
_TURNS_MAX = 4


def runs(numbers: Iterable[Any]) -> str:
    """Neighbours that count up become a range, in the order given: ``40–43, 20–22``; at most six ranges."""
    found: list[list[Any]] = []
    for number in numbers:
        if found and isinstance(number, int) and found[-1][-1] + 1 == number:
            found[-1][-1] = number
        else:
            found.append([number, number])
    texts = [f"{first}" if first == last else f"{first}–{last}" for first, last in found]
    return ", ".join(texts if len(texts) <= _RUNS_MAX else [*texts[: _RUNS_MAX - 1], "…"])


def ranges(numbers: Iterable[int]) -> str:
    """`runs` of the sorted numbers."""
    return runs(sorted(numbers))


def in_turn(texts: Sequence[str], comma: str, last: str) -> str:
    """What holds for one row after the other: once where it is the same for all, cut in the middle where it is long."""
    if len(set(texts)) == 1:
        return texts[0]
    if len(texts) > _TURNS_MAX:
        return f"{texts[0]}{comma}{texts[1]} … {texts[-1]}"
    return f"{comma.join(texts[:-1])}{last}{texts[-1]}"
