"""What a runner must do, in plain lists; runners that make one mistake; and random batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from judge.grading.author import check
from judge.grading.seeds import Rng
from judge.grading.stateful import Impossible, Run, Step, drive

Request = list[int]
DUMMY: Request = [0, 0, 1]
INT32, FLOAT32 = "torch.int32", "torch.float32"
COLUMNS = ("ids", "positions", "lens")


def sizes_up_to(max_bs: int) -> list[int]:
    """The sizes that are recorded."""
    return [bs for bs in range(1, max_bs + 1) if bs in (1, 2, 4) or bs % 8 == 0]


def logits(reqs: list[Request], vocab: int) -> list[list[float]]:
    """What the harness's model makes of ``reqs``."""
    return [
        [float((3 * i + 5 * p + 7 * n + v * (i % 5 + 1)) % 101) for v in range(vocab)] for i, p, n in reqs
    ]


def columns(reqs: list[Request]) -> list[Any]:
    """Ids, positions and lengths with their dtype."""
    return [[INT32, [req[place] for req in reqs]] for place in range(3)]


class Runner:
    """The model. Buffers are rows of one list, as in the engine."""

    def __init__(self) -> None:
        self.sizes: list[int] | None = None

    def take(self, step: Step) -> list[Any]:
        """What there is to see of a step."""
        if step["op"] == "new":
            return self.new(step["max_bs"], step["vocab"])
        if self.sizes is None:
            raise Impossible
        reqs = step["reqs"]
        return [self.padded(reqs), reqs] if step["op"] == "pad" else self.run(reqs)

    def new(self, max_bs: int, vocab: int) -> list[Any]:
        """All graphs, from large to small, with dummies in the buffers."""
        self.sizes, self.vocab = self.kept(sizes_up_to(max_bs)), vocab
        self.rows = [list(self.first()) for _ in range(max(self.sizes, default=0))]
        return [
            ["record", columns(self.rows[:bs]), [FLOAT32, [bs, vocab]]]
            for bs in self.in_order(list(reversed(self.sizes)))
        ]

    def run(self, reqs: list[Request]) -> list[Any]:
        """What was called, the logits, and the caller's list."""
        size = self.size_for(len(reqs)) if reqs else 0
        if not reqs:
            log: list[Any] = []
            out: list[list[float]] = []
        elif not size:
            log, out = [["eager", columns(reqs)]], logits(reqs, self.vocab)
        else:
            self.write(self.padded(reqs))
            log, out = [["replay", columns(self.rows[:size])]], logits(self.rows[: len(reqs)], self.vocab)
        return [log, [FLOAT32, out], reqs, out]

    # --- where mistakes are made ---

    def kept(self, sizes: list[int]) -> list[int]:
        """Sizes that are recorded."""
        return sizes

    def in_order(self, sizes: list[int]) -> list[int]:
        """The order of recording."""
        return sizes

    def first(self) -> Request:
        """What a row holds at first."""
        return DUMMY

    def dummy(self, reqs: list[Request]) -> Request:
        """What pads a batch."""
        return DUMMY

    def size_for(self, count: int) -> int:
        """The size of the graph for so many requests; 0 for none."""
        return next((bs for bs in self.sizes or [] if bs >= count), 0)

    def padded(self, reqs: list[Request]) -> list[Request]:
        """The requests and dummies."""
        size = self.size_for(len(reqs)) if reqs else 0
        return reqs + [list(self.dummy(reqs))] * (size - len(reqs))

    def write(self, padded: list[Request]) -> None:
        """Puts a padded batch into the buffers."""
        self.rows[: len(padded)] = [list(req) for req in padded]

    # --- what a difference is called ---

    def verify(self, step: Step, got: list[Any], want: list[Any]) -> None:
        """Compares what can be seen after a step."""
        if step["op"] == "new":
            counts = [len(entry[1][0][1]) for entry in got]
            check.equal(
                counts, [len(entry[1][0][1]) for entry in want], field="record", mistake="recorded-sizes"
            )
            check.equal(got, want, field="record", mistake="recorded-buffers")
        elif step["op"] == "pad":
            check.equal(got[1], want[1], field="reqs", mistake="list-changed")
            check.equal(got[0], want[0], field="pad", mistake="pad-wrong")
        else:
            self.verify_run(got, want)

    def verify_run(self, got: list[Any], want: list[Any]) -> None:
        """The caller's list, what was called with what, the logits, and the logits at the end of the run."""
        check.equal(got[2], want[2], field="reqs", mistake="list-changed")
        kinds = [entry[0] for entry in got[0]], [entry[0] for entry in want[0]]
        check.equal(*kinds, field="calls", mistake="calls-wrong")
        for mine, right in zip(got[0], want[0], strict=True):
            for name, found, wanted in zip(COLUMNS, mine[1], right[1], strict=False):
                check.equal(found[0], wanted[0], field=name, mistake="not-int32")
                check.equal(found[1], wanted[1], field=name, mistake=f"{name}-wrong")
        check.equal(got[1], want[1], field="logits", mistake="logits-wrong")
        check.equal(got[3], want[3], field="logits", mistake="result-overwritten")


class SmallFirst(Runner):
    """Recorded from small to large."""

    def in_order(self, sizes: list[int]) -> list[int]:
        return sizes[::-1]


class EmptyAtFirst(Runner):
    """At recording, lengths are 0."""

    def first(self) -> Request:
        return [0, 0, 0]


class EmptyDummy(Runner):
    """Dummies have no token."""

    def dummy(self, reqs: list[Request]) -> Request:
        return [0, 0, 0]


class LastAgain(Runner):
    """The last request fills the batch up."""

    def dummy(self, reqs: list[Request]) -> Request:
        return reqs[-1]


class Rebound(Runner):
    """Buffers are replaced; graphs read the old ones."""

    def write(self, padded: list[Request]) -> None:
        pass


class Column(Runner):
    """One column does not reach its buffer."""

    lost = 0

    def write(self, padded: list[Request]) -> None:
        for row, req in zip(self.rows, padded, strict=False):
            row[:] = [
                old if place == self.lost else new
                for place, (old, new) in enumerate(zip(row, req, strict=True))
            ]


class Positions(Column):
    """Positions do not."""

    lost = 1


class Lens(Column):
    """Lengths do not."""

    lost = 2


class Stale(Runner):
    """Only the requests are written; dummies are what was there before."""

    def padded(self, reqs: list[Request]) -> list[Request]:
        self.count = len(reqs)
        return super().padded(reqs)

    def write(self, padded: list[Request]) -> None:
        super().write(padded[: self.count])


class Largest(Runner):
    """The largest graph always."""

    def size_for(self, count: int) -> int:
        return max((bs for bs in self.sizes or [] if bs >= count), default=0)


class Larger(Runner):
    """A larger size than the number of requests."""

    def size_for(self, count: int) -> int:
        return next((bs for bs in self.sizes or [] if bs > count), 0)


class Never(Runner):
    """No graph is used, though they are recorded."""

    def run(self, reqs: list[Request]) -> list[Any]:
        out = logits(reqs, self.vocab)
        return [[["eager", columns(reqs)]] if reqs else [], [FLOAT32, out], reqs, out]


class Exact(Runner):
    """A graph only where its size is exactly right."""

    def size_for(self, count: int) -> int:
        return count if count in (self.sizes or []) else 0


class Smaller(Runner):
    """Without the largest size."""

    def size_for(self, count: int) -> int:
        return next((bs for bs in (self.sizes or [])[:-1] if bs >= count), 0)


KNOWN: Mapping[str, Callable[[], Runner]] = {
    "small-first": SmallFirst,
    "empty-at-first": EmptyAtFirst,
    "dummy-empty": EmptyDummy,
    "dummy-copies-last": LastAgain,
    "rebound": Rebound,
    "ids-lost": Column,
    "positions-lost": Positions,
    "lens-lost": Lens,
    "dummies-stale": Stale,
    "largest-always": Largest,
    "larger-than-needed": Larger,
    "never-replayed": Never,
    "exact-only": Exact,
    "largest-unused": Smaller,
}


def play(submission: Any, runs: list[Run]) -> None:
    """Judges runs of batches."""
    drive(submission.harness.replay, Runner, runs, known=KNOWN)


def new(max_bs: int, vocab: int = 5) -> Step:
    """A runner."""
    return {"op": "new", "max_bs": max_bs, "vocab": vocab}


def batch(rng: Rng, count: int, op: str = "run") -> Step:
    """``count`` requests."""
    reqs = [[int(rng.integers(1, 50)), int(rng.integers(0, 30)), 0] for _ in range(count)]
    return {"op": op, "reqs": [[token, place, place + 1] for token, place, _ in reqs]}
