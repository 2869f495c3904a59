"""Plays operations on a submission's allocators and judges what came back."""

from __future__ import annotations

from typing import Any

from judge.grading.author import check
from judge.grading.stateful import Step, drive

from .mistakes import COUNTS, KNOWN
from .pages import Pages

Config = dict[str, int]


def count(submission: Any, spans: list[tuple[int, int]], page_size: int) -> None:
    """Judges `new_pages` on ``spans`` (cached_len, device_len); the wrong rule that gives just these answers is named."""
    config = config_of(1, page_size, 1, 1)
    got = [submission.new_pages(start, end, page_size) for start, end in spans]
    rules = {key: make(**config).count for key, make in COUNTS.items()}
    named = next(
        (key for key, rule in rules.items() if got == [rule(*span) for span in spans]), "count-wrong"
    )
    for span, found in zip(spans, got, strict=True):
        check.equal(found, Pages(**config).count(*span), field="new_pages", mistake=named)


def config_of(num_pages: int, page_size: int, rows: int, width: int) -> Config:
    """What an allocator and its table are made with."""
    return {"num_pages": num_pages, "page_size": page_size, "rows": rows, "width": width}


def play(submission: Any, config: Config, runs: list[list[Step]]) -> None:
    """Judges runs of operations on allocators of one ``config``."""

    def replay(some: list[list[Step]]) -> list[list[dict[str, Any]]]:
        return [list(unpacked(found)) for found in submission.harness.replay(config, some)]

    known = {key: lambda make=make: make(**config) for key, make in KNOWN.items()}
    drive(replay, lambda: Pages(**config), runs, known=known)


def unpacked(found: dict[str, Any]) -> Any:
    """What the harness sent for one run, step by step."""
    for (raised, value, available), table in zip(found["answers"], found["tables"].tolist(), strict=True):
        yield {"raised": raised, "value": value, "available": available, "table": table}
