"""Plays operations on a submission's caches and judges what came back."""

from __future__ import annotations

from typing import Any

from judge.grading.author import Wrong
from judge.grading.seeds import Rng
from judge.grading.stateful import Run, drive, generate

from .mistakes import KNOWN
from .tree import Tree, drawer

TREE = ["match"] * 3 + ["insert"] * 3 + ["indices"]
ALL = ["match"] * 3 + ["insert"] * 5 + ["indices", "lock", "lock", "unlock", "unlock", "evict", "evict"]


def random_runs(rng: Rng, page_size: int, runs: int, steps: int, ops: list[str]) -> list[Run]:
    """Runs of random operations, each for a cache of its own."""
    return [generate(lambda: Tree(page_size), steps, drawer(rng, ops)) for _ in range(runs)]


def play(
    submission: Any, page_size: int, runs: list[Run], *, overwrite: bool = False, because: str = ""
) -> None:
    """Judges runs of operations; ``because`` names the mistake where the case was made to see one."""
    config = {"page_size": page_size, "overwrite": int(overwrite)}
    known = (
        {}
        if because
        else {key: lambda make=make: make(page_size, strict=False) for key, make in KNOWN.items()}
    )
    try:
        drive(
            lambda some: submission.harness.replay(config, some), lambda: Tree(page_size), runs, known=known
        )
    except Wrong as wrong:
        wrong.mistake = because or wrong.mistake
        raise
