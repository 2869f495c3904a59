"""What the hooks must do, in lists of Python integers; and random batches to replay."""

from __future__ import annotations

from typing import Any

from judge.grading.author import check
from judge.grading.seeds import Rng
from judge.grading.stateful import Impossible, Run, Step

JUNK = -9
Seen = list[Any]


class Hooks:
    """The model: one set of buffers, and what the graph of each size sees of them."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.replayed = False
        self.captured: list[int] = []

    # --- what is asked of it ---

    def take(self, step: Step) -> list[Any]:
        """What is raised, and what there is to see."""
        arguments = {name: value for name, value in step.items() if name != "op"}
        try:
            return ["", getattr(self, step["op"])(**arguments)]
        except (RuntimeError, ValueError) as error:
            return [type(error).__name__, None]

    def init(self, max_seq_len: int, sizes: list[int]) -> None:
        """Buffers for the largest size."""
        if self.sizes and self.strict_init():
            raise RuntimeError
        self.sizes, self.width = sizes, max_seq_len
        most = self.largest(sizes)
        self.lens = [self.first_length()] * most
        self.table = [[0] * max_seq_len for _ in range(most)]
        self.captured = []

    def capture(self, bs: int) -> Seen:
        """What a graph is recorded with."""
        self.require(bool(self.sizes) and not self.replayed)
        if not self.known_size(bs):
            raise ValueError
        self.captured.append(bs)
        return self.seen(bs, self.captured_width())

    def replay(self, lens: list[int], table: list[list[int]], queries: int) -> list[Any]:
        """What the graph of this size sees, cells past a request's length left out."""
        bs = len(lens)
        self.require(bool(self.sizes) and 0 < len(table[0]) <= self.width)
        if not self.known_size(bs) or (queries != 1 and self.decode_only()):
            raise ValueError
        self.require(bs in self.captured)
        self.replayed = True
        self.write(lens, table)
        return [None, masked(self.seen(bs, self.captured_width()), lens)]

    # --- where mistakes are made ---

    def strict_init(self) -> bool:
        """Whether a second call is refused."""
        return True

    def largest(self, sizes: list[int]) -> int:
        """Rows of the buffers."""
        return max(sizes)

    def first_length(self) -> int:
        """The length of every request at capture."""
        return 1

    def known_size(self, bs: int) -> bool:
        """Whether there is a graph of this size."""
        return bs in self.sizes

    def decode_only(self) -> bool:
        """Whether a prefill is refused."""
        return True

    def captured_width(self) -> int:
        """Columns that the graph sees."""
        return self.width

    def write(self, lens: list[int], table: list[list[int]]) -> None:
        """Lengths and cells of a batch go to the first rows."""
        self.write_lens(lens)
        self.write_table(table)

    def write_lens(self, lens: list[int]) -> None:
        """The lengths alone."""
        self.lens[: len(lens)] = lens

    def write_table(self, table: list[list[int]]) -> None:
        """The cells alone."""
        for row, cells in zip(self.table, table, strict=False):
            row[: len(cells)] = cells

    def seen(self, bs: int, width: int) -> Seen:
        """What stands in the first rows."""
        table = [row[:width] for row in self.table[:bs]]
        return [
            ["torch.int32", list(range(bs + 1))],
            ["torch.int32", self.lens[:bs]],
            ["torch.int32", table],
            self.queries(),
        ]

    def queries(self) -> Any:
        """max_seqlen_q of a captured decode."""
        return 1

    def require(self, condition: bool) -> None:
        """Leaves out a step that the statement rules out."""
        if not condition:
            raise Impossible

    # --- what a difference is called ---

    def verify(self, step: Step, got: list[Any], want: list[Any]) -> None:
        """Compares what can be seen after a step."""
        op = step["op"]
        keys = {"init": "init-twice", "capture": "size-unchecked", "replay": "replay-unchecked"}
        check.equal(got[0], want[0], field=op, mistake="refuses-what-is-right" if got[0] else keys[op])
        if want[0]:
            return
        if op == "init":
            check.equal(got[1], None, field=op, mistake="returns-something")
            return
        seen, wanted = (got[1], want[1]) if op == "capture" else (got[1][1], want[1][1])
        if op == "replay":
            check.equal(got[1][0], None, field=op, mistake="returns-something")
        names = ("cu_seqlens_q", "cache_seqlens", "page_table", "max_seqlen_q")
        for name, mine, right in zip(names, seen, wanted, strict=True):
            if name != "max_seqlen_q":
                check.that(isinstance(mine, list), mistake="not-a-tensor", field=name, got=mine)
                check.equal(mine[0], right[0], field=name, mistake="not-int32")
            check.equal(mine, right, field=name, mistake=f"{op}-{name}")


def masked(seen: Any, lens: list[int]) -> Any:
    """``seen`` with cells past each request's length replaced: they may be anything."""
    if not isinstance(seen, list) or not isinstance(seen[2], list) or len(seen[2][1]) != len(lens):
        return seen
    rows = [
        [cell if place < end else JUNK for place, cell in enumerate(row)]
        for row, end in zip(seen[2][1], lens, strict=True)
    ]
    return [*seen[:2], [seen[2][0], rows], *seen[3:]]


def start(rng: Rng, width: int, sizes: list[int]) -> Run:
    """Buffers, and a capture of every size from large to small."""
    init: Run = [{"op": "init", "max_seq_len": width, "sizes": sizes}]
    return init + [{"op": "capture", "bs": bs} for bs in sorted(sizes, reverse=True)]


def batch(rng: Rng, bs: int, width: int, columns: int = 0) -> Step:
    """A padded decode of ``bs`` requests; the table is as wide as the longest, or ``columns``."""
    lens = [int(end) for end in rng.integers(1, (columns or width) + 1, bs)]
    columns = columns or max(lens)
    table = rng.integers(1, 1000, (bs, columns)).tolist()
    return {"op": "replay", "lens": lens, "table": table, "queries": 1}


def random_run(rng: Rng, steps: int) -> Run:
    """Captures, then batches of all sizes in any order."""
    width = int(rng.integers(6, 14))
    sizes = [int(bs) for bs in rng.permutation(9)[: int(rng.integers(2, 5))] + 1]
    return start(rng, width, sizes) + [batch(rng, rng.pick(sizes), width) for _ in range(steps)]
