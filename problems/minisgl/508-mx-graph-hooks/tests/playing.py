"""Plays captures and replays on a submission's hooks; hooks that make one mistake name what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from judge.grading.stateful import Run, Step, drive

from .hooks import Hooks, Seen, masked


class Copies(Hooks):
    """The graph is recorded with copies of the buffers."""

    def write(self, lens: list[int], table: list[list[int]]) -> None:
        pass


class LensLost(Hooks):
    """Lengths do not reach the buffer."""

    def write_lens(self, lens: list[int]) -> None:
        pass


class TableLost(Hooks):
    """Cells do not reach the buffer."""

    def write_table(self, table: list[list[int]]) -> None:
        pass


class OneColumn(Hooks):
    """The table of a capture has one column, that of the dummies."""

    def captured_width(self) -> int:
        return 1


class LastColumn(Hooks):
    """Only the newest token's cell is written."""

    def write(self, lens: list[int], table: list[list[int]]) -> None:
        self.write_lens(lens)
        for row, cells, end in zip(self.table, table, lens, strict=False):
            row[end - 1] = cells[end - 1]


class FirstRow(Hooks):
    """Only the first request's cells are written."""

    def write_table(self, table: list[list[int]]) -> None:
        super().write_table(table[:1])


class LastRows(Hooks):
    """A batch goes to the last rows of the buffers."""

    def write(self, lens: list[int], table: list[list[int]]) -> None:
        first = len(self.lens) - len(lens)
        self.lens[first:] = lens
        for row, cells in zip(self.table[first:], table, strict=True):
            row[: len(cells)] = cells


class Zeros(Hooks):
    """Requests have no token at capture."""

    def first_length(self) -> int:
        return 0


class MissingOne(Hooks):
    """A replay writes the lengths before this round."""

    def write_lens(self, lens: list[int]) -> None:
        super().write_lens([end - 1 for end in lens])


class LargestOnly(Hooks):
    """Any size up to the largest is taken."""

    def known_size(self, bs: int) -> bool:
        return bs <= max(self.sizes)


class FirstIsLargest(Hooks):
    """The first size of the list is taken for the largest."""

    def largest(self, sizes: list[int]) -> int:
        return sizes[0]

    def seen(self, bs: int, width: int) -> Seen:
        seen = super().seen(bs, width)
        seen[0][1] = seen[0][1][: len(self.lens) + 1]
        return seen


class Prefill(Hooks):
    """Batches with several queries a request are replayed."""

    def decode_only(self) -> bool:
        return False


class InitAgain(Hooks):
    """A second call makes new buffers."""

    def strict_init(self) -> bool:
        return False


KNOWN: Mapping[str, Callable[[], Hooks]] = {
    "captures-copies": Copies,
    "lengths-lost": LensLost,
    "table-lost": TableLost,
    "captured-narrow": OneColumn,
    "only-newest-cell": LastColumn,
    "only-first-row": FirstRow,
    "last-rows": LastRows,
    "lengths-zero": Zeros,
    "length-before": MissingOne,
    "any-size": LargestOnly,
    "first-is-largest": FirstIsLargest,
    "prefill-replayed": Prefill,
    "init-twice": InitAgain,
}


def play(submission: Any, runs: list[Run]) -> None:
    """Judges runs of captures and replays."""

    def replay(some: list[Run]) -> list[list[Any]]:
        found = submission.harness.replay(some)
        return [
            [cleaned(*pair) for pair in zip(run, got, strict=True)]
            for run, got in zip(some, found, strict=True)
        ]

    drive(replay, Hooks, runs, known=KNOWN)


def cleaned(step: Step, got: Any) -> Any:
    """A result without what nobody may read."""
    if step["op"] != "replay" or not got[1]:
        return got
    return [got[0], [got[1][0], masked(got[1][1], step["lens"])]]
