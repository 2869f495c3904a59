"""What a round must plan, planners that each make one mistake, and random rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from judge.grading.author import check
from judge.grading.seeds import Rng
from judge.grading.stateful import Run, Step, drive, generate

Req = list[Any]  # uid, input_len, output_len, cached_len, chunked
UID, INPUT, OUTPUT, CACHED, CHUNKED = range(5)


class Queue:
    """The model: the waiting requests, as lists of their fields. Wrong ones override."""

    def __init__(self) -> None:
        self.waiting: list[Req] = []

    def take(self, step: Step) -> Any:
        """None for an arrival; for a round its batch, what waits, and that the inputs stayed."""
        if step["op"] == "arrive":
            self.waiting = [*self.waiting, [*step["req"], None]]
            return None
        self.tokens, self.reserved, self.available, self.rows = step["limits"]
        batch: list[tuple[int, int, int]] = []
        parts, rest = [], []
        for place, req in enumerate(self.waiting):
            if not self.goes_on() or not self.admitted(req):
                if self.stops():
                    rest += self.waiting[place:]
                    break
                rest.append(req)
                continue
            start = self.start(req)
            end = min(start + self.size(req, start), req[INPUT])
            self.account(req, start, end)
            batch.append((req[UID], start, end))
            if end < req[INPUT]:
                parts.append(self.part(req, start, end))
            else:
                rest += self.finished(req)
        self.waiting = self.joined(parts, rest)
        return [batch, [list(req) for req in self.waiting], True]

    def verify(self, step: Step, got: Any, want: Any) -> None:
        """The batch first, then what waits."""
        if want is None:
            return
        check.equal(got[0], want[0], field="batch", mistake="batch-wrong")
        check.equal(got[1], want[1], field="new_pending", mistake="pending-wrong")
        check.equal(got[2], want[2], field="inputs unchanged", mistake="inputs-changed")

    # --- where mistakes are made ---

    def goes_on(self) -> bool:
        """Whether there is budget for another request."""
        return bool(self.tokens > 0)

    def stops(self) -> bool:
        """Whether a request that does not fit ends the round."""
        return True

    def start(self, req: Req) -> int:
        """The first position to compute."""
        return int(req[CACHED] if req[CHUNKED] is None else req[CHUNKED])

    def need(self, req: Req) -> int:
        """What a request will take of the pool from here to its end."""
        return int(req[INPUT] - self.start(req) + req[OUTPUT])

    def fits(self, need: int) -> bool:
        """Whether the pool has room for it."""
        return bool(need + self.reserved <= self.available)

    def admitted(self, req: Req) -> bool:
        """Whether a request is in or can be let in."""
        return req[CHUNKED] is not None or (self.rows > 0 and self.fits(self.need(req)))

    def size(self, req: Req, start: int) -> int:
        """The most tokens of this round."""
        return int(self.tokens)

    def account(self, req: Req, start: int, end: int) -> None:
        """Takes what the request takes."""
        self.tokens -= end - start
        self.reserved += self.need(req)
        self.rows -= req[CHUNKED] is None

    def part(self, req: Req, start: int, end: int) -> Req:
        """A request with part of its prompt done."""
        return [*req[:CHUNKED], end]

    def finished(self, req: Req) -> list[Req]:
        """What waits of a request whose prompt is done."""
        return []

    def joined(self, parts: list[Req], rest: list[Req]) -> list[Req]:
        """The new queue."""
        return parts + rest


class EqualityRefused(Queue):
    def fits(self, need: int) -> bool:
        return bool(need + self.reserved < self.available)


class SkipsBlocked(Queue):
    def stops(self) -> bool:
        return False


class RowsIgnored(Queue):
    def admitted(self, req: Req) -> bool:
        return req[CHUNKED] is not None or self.fits(self.need(req))


class RowForPart(Queue):
    def admitted(self, req: Req) -> bool:
        return self.rows > 0 and (req[CHUNKED] is not None or self.fits(self.need(req)))

    def account(self, req: Req, start: int, end: int) -> None:
        super().account(req, start, end)
        self.rows -= req[CHUNKED] is not None


class AdmittedAgain(Queue):
    def admitted(self, req: Req) -> bool:
        return (req[CHUNKED] is not None or self.rows > 0) and self.fits(self.need(req))


class KvIgnored(Queue):
    def fits(self, need: int) -> bool:
        return True


class OutputForgotten(Queue):
    def need(self, req: Req) -> int:
        return int(req[INPUT] - self.start(req))


class CachedNeeded(Queue):
    def need(self, req: Req) -> int:
        return int(req[INPUT] + req[OUTPUT] - (req[CHUNKED] or 0))


class CachedInBudget(Queue):
    def account(self, req: Req, start: int, end: int) -> None:
        super().account(req, start, end)
        self.tokens -= req[CACHED] if req[CHUNKED] is None else 0


class CachedComputed(Queue):
    def start(self, req: Req) -> int:
        return req[CHUNKED] or 0


class NeverReserved(Queue):
    def account(self, req: Req, start: int, end: int) -> None:
        before = self.reserved
        super().account(req, start, end)
        self.reserved = before


class PartNotReserved(Queue):
    def account(self, req: Req, start: int, end: int) -> None:
        before = self.reserved
        super().account(req, start, end)
        self.reserved = self.reserved if req[CHUNKED] is None else before


class PartReservedWhole(Queue):
    def account(self, req: Req, start: int, end: int) -> None:
        super().account(req, start, end)
        self.reserved += 0 if req[CHUNKED] is None else req[CHUNKED] - req[CACHED]


class PartStartsAgain(Queue):
    def start(self, req: Req) -> int:
        return int(req[CACHED])


class PartByLength(Queue):
    def part(self, req: Req, start: int, end: int) -> Req:
        return [*req[:CHUNKED], end - start]


class PartsLast(Queue):
    def joined(self, parts: list[Req], rest: list[Req]) -> list[Req]:
        return rest + parts


class PartsLost(Queue):
    def joined(self, parts: list[Req], rest: list[Req]) -> list[Req]:
        return rest


class FinishedKept(Queue):
    def finished(self, req: Req) -> list[Req]:
        return [req]


class WholePrompts(Queue):
    def admitted(self, req: Req) -> bool:
        return req[INPUT] - self.start(req) <= self.tokens and super().admitted(req)


class BudgetOverrun(Queue):
    def size(self, req: Req, start: int) -> int:
        return int(req[INPUT])


class EmptyPart(Queue):
    def goes_on(self) -> bool:
        return bool(self.tokens >= 0)


KNOWN: Mapping[str, Callable[[], Queue]] = {
    "part-not-reserved": PartNotReserved,
    "part-reserved-whole": PartReservedWhole,
    "equality-refused": EqualityRefused,
    "skips-blocked": SkipsBlocked,
    "rows-ignored": RowsIgnored,
    "row-for-part": RowForPart,
    "admitted-again": AdmittedAgain,
    "output-forgotten": OutputForgotten,
    "cached-needed": CachedNeeded,
    "cached-in-budget": CachedInBudget,
    "cached-computed": CachedComputed,
    "never-reserved": NeverReserved,
    "part-starts-again": PartStartsAgain,
    "part-by-length": PartByLength,
    "parts-last": PartsLast,
    "parts-lost": PartsLost,
    "finished-kept": FinishedKept,
    "whole-prompts": WholePrompts,
    "budget-overrun": BudgetOverrun,
    "empty-part": EmptyPart,
    "kv-ignored": KvIgnored,
}


def play(submission: Any, runs: list[Run]) -> None:
    """Judges runs of arrivals and rounds."""
    drive(submission.harness.replay, Queue, runs, known=KNOWN)


def arrive(uid: int, input_len: int, output_len: int, cached_len: int = 0) -> Step:
    """A new request at the end of the queue."""
    return {"op": "arrive", "req": [uid, input_len, output_len, cached_len]}


def plan(token_budget: int, reserved_size: int, available_kv: int, free_rows: int) -> Step:
    """One round."""
    return {"op": "round", "limits": [token_budget, reserved_size, available_kv, free_rows]}


def newcomer(rng: Rng, uid: int) -> Step:
    """A request of any size."""
    size = int(rng.integers(2, 40))
    return arrive(uid, size, int(rng.integers(0, 12)), int(rng.integers(0, size)) if rng.integers(2) else 0)


def random_runs(rng: Rng, runs: int, steps: int) -> list[Run]:
    """Random arrivals, and rounds whose limits lie close to what the first requests need."""
    uids = iter(range(1, 10_000))

    def draw(model: Queue) -> Step:
        if len(model.waiting) < 2 or int(rng.integers(2)) == 0:
            return newcomer(rng, next(uids))
        some = model.waiting[: int(rng.integers(1, 4))]
        tokens = sum(req[INPUT] - model.start(req) for req in some) + int(rng.integers(-12, 3))
        reserved = int(rng.integers(0, 50))
        room = reserved + sum(map(model.need, some)) + int(rng.integers(-1, 2))
        return plan(tokens, reserved, rng.pick([room, room, room + 60]), int(rng.integers(0, 5)))

    return [generate(Queue, steps, draw) for _ in range(runs)]
