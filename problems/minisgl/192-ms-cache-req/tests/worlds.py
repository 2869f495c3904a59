"""The model: who owns which slot when a request hands over, in plain lists; and worlds that make one mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from judge.grading.author import check
from judge.grading.seeds import Rng
from judge.grading.stateful import Impossible, Run, Step, drive

Slots = list[int]


class Req:
    """A request: its tokens, how many have KV, its row, the number of its handle and how much that covers."""

    def __init__(self, ids: list[int], slots: Slots, handle: int) -> None:
        self.ids, self.cached_len, self.handle, self.locked = list(ids), len(ids), handle, len(slots)
        self.row = slots + [-1] * (len(ids) + 40 - len(slots))


class World:
    """The model. What a hand-over gives: [None, calls, row, handle, [ids, cached_len]]."""

    page_size = 1

    def __init__(self) -> None:
        self.pages: dict[tuple[int, ...], Slots] = {}
        self.reqs: dict[int, Req] = {}
        self.handles, self.next_page = 0, 1

    def take(self, step: Step) -> Any:
        """Does a step; only hand-overs have something to tell."""
        arguments = {name: value for name, value in step.items() if name != "op"}
        if (step["uid"] in self.reqs) == (step["op"] == "admit"):
            raise Impossible
        return getattr(self, step["op"])(**arguments)

    def admit(self, uid: int, ids: list[int]) -> None:
        """A new request is computed."""
        slots = self.match(ids[:-1])
        self.handles += 1
        self.reqs[uid] = Req(ids, list(slots), self.handles)
        self.fill(self.reqs[uid], len(slots))

    def fill(self, req: Req, start: int) -> None:
        """New pages."""
        size = self.page_size
        for place in range(-(-start // size) * size, req.cached_len, size):
            req.row[place : place + size] = range(self.next_page * size, (self.next_page + 1) * size)
            self.next_page += 1

    def token(self, uid: int, ids: list[int]) -> None:
        """Tokens without KV."""
        self.reqs[uid].ids += ids

    def compute(self, uid: int) -> None:
        """All have KV."""
        req = self.reqs[uid]
        start, req.cached_len = req.cached_len, len(req.ids)
        self.fill(req, start)

    def match(self, ids: list[int]) -> Slots:
        """The slots of the longest cached prefix."""
        slots: Slots = []
        while len(slots) + self.page_size <= len(ids):
            page = self.pages.get(tuple(ids[: len(slots) + self.page_size]))
            if page is None:
                break
            slots = slots + page
        return slots

    def hand_over(self, uid: int, finished: bool) -> list[Any]:
        """What the submission must do."""
        req = self.reqs[uid]
        ids, slots = req.ids[: self.count(req)], req.row[: self.count(req)]
        known = len(self.match(ids))
        for start in range(known, len(ids) - self.page_size + 1, self.page_size):
            self.pages[tuple(ids[: start + self.page_size])] = slots[start : start + self.page_size]
        new = self.match(ids)
        self.handles += 1
        insert = ["insert", "torch.int32", ids, slots]
        unlocked, lock = [["unlock", one] for one in self.unlocks(req)], [["lock", self.handles]]
        freed = self.freed(req, known, len(new), finished)
        before = req.handle
        if self.goes_on(finished):
            self.rewrite(req, known, new)
            req.handle, req.locked = self.handles, len(new)
        calls = self.calls(insert, unlocked, freed, lock if self.locks(finished) else [])
        told = [None, calls, list(req.row), self.keeps(req.handle, before), [list(req.ids), req.cached_len]]
        if finished:
            del self.reqs[uid]
        return told

    # --- where mistakes are made ---

    def count(self, req: Req) -> int:
        """How many tokens are inserted."""
        return req.cached_len

    def unlocks(self, req: Req) -> list[int]:
        """Handles that are unlocked."""
        return [req.handle]

    def freed(self, req: Req, known: int, new: int, finished: bool) -> Slots:
        """Slots that are given back: what is double, and of a finished request the tail."""
        tail = req.row[new : req.cached_len] if finished else []
        return req.row[self.double_from(req) : known] + tail

    def double_from(self, req: Req) -> int:
        """Where what is double begins."""
        return req.locked

    def goes_on(self, finished: bool) -> bool:
        """Whether the request gets its new handle and row."""
        return not finished

    def locks(self, finished: bool) -> bool:
        """Whether the new handle is locked."""
        return not finished

    def rewrite(self, req: Req, known: int, new: Slots) -> None:
        """The row names the cache's slots."""
        req.row[: len(new)] = new

    def keeps(self, handle: int, before: int) -> int:
        """The handle that the request has afterwards."""
        return handle

    def calls(self, insert: Any, unlocked: Any, freed: Slots, locked: Any) -> list[Any]:
        """The calls in a fixed form: see `normal`."""
        return normal([insert, *unlocked, *([["free", freed]] if freed else []), *locked])

    # --- what a difference is called ---

    def verify(self, step: Step, got: Any, want: Any) -> None:
        """Compares one hand-over."""
        if step["op"] != "hand_over":
            return
        result, calls, row, handle, rest = got
        check.equal(result, None, field="cache_req", mistake="returns-something")
        names = ("insert", "unlock", "free", "lock", "empty", "early")
        for name, mine, right in zip(names, calls, want[1], strict=True):
            check.equal(mine, right, field=name, mistake=f"{name}-wrong")
        check.equal(row, want[2], field="row", mistake="row-wrong")
        check.equal(handle, want[3], field="handle", mistake="handle-wrong")
        check.equal(rest, want[4], field="req", mistake="request-changed")


def normal(events: list[Any]) -> list[Any]:
    """[inserts, handles unlocked, slots freed, handles locked, how many frees of nothing, calls before the insert].

    The order of the calls after the insert is free.
    """
    of = {
        kind: [event[1:] for event in events if event[0] == kind]
        for kind in ("insert", "unlock", "free", "lock")
    }
    first = next((place for place, event in enumerate(events) if event[0] == "insert"), len(events))
    return [
        of["insert"],
        [one for (one,) in of["unlock"]],
        [slot for (slots,) in of["free"] for slot in slots],
        [one for (one,) in of["lock"]],
        sum(not slots for (slots,) in of["free"]),
        [event[0] for event in events[:first]],
    ]


class AllTokens(World):
    """Tokens without KV are inserted as well."""

    def count(self, req: Req) -> int:
        return len(req.ids)


class FreesLocked(World):
    """What was locked at admission counts as double."""

    def double_from(self, req: Req) -> int:
        return 0


class TailFreed(World):
    """The tail of a request that lives on is freed."""

    def freed(self, req: Req, known: int, new: int, finished: bool) -> Slots:
        return super().freed(req, known, new, True)


class TailKept(World):
    """The tail of a finished request is not freed."""

    def freed(self, req: Req, known: int, new: int, finished: bool) -> Slots:
        return super().freed(req, known, new, False)


class DoubleKept(World):
    """What is double is not freed."""

    def double_from(self, req: Req) -> int:
        return len(req.row)


class FreesAll(World):
    """Everything from the old handle on is freed when a request ends."""

    def freed(self, req: Req, known: int, new: int, finished: bool) -> Slots:
        return req.row[req.locked : req.cached_len] if finished else super().freed(req, known, new, finished)


class RowKept(World):
    """The row goes on naming the freed slots."""

    def rewrite(self, req: Req, known: int, new: Slots) -> None:
        pass


class FreedAfterRewrite(World):
    """The row is rewritten first, and the cache's slots are freed."""

    def freed(self, req: Req, known: int, new: int, finished: bool) -> Slots:
        if finished:
            return super().freed(req, known, new, finished)
        return self.match(req.ids[: req.cached_len])[req.locked : known]


class NotUnlocked(World):
    """The old lock stays."""

    def unlocks(self, req: Req) -> list[int]:
        return []


class LocksAlways(World):
    """A finished request locks what it has inserted."""

    def locks(self, finished: bool) -> bool:
        return True


class LocksNever(World):
    """A request that lives on does not lock."""

    def locks(self, finished: bool) -> bool:
        return False


class OldHandle(World):
    """The request keeps its old handle."""

    def hand_over(self, uid: int, finished: bool) -> list[Any]:
        req = self.reqs[uid]
        before = req.handle, req.locked
        told = super().hand_over(uid, finished)
        req.handle, req.locked = before
        return [*told[:3], before[0], told[4]]


class TooEarly(World):
    """Unlocked before it is inserted."""

    def calls(self, insert: Any, unlocked: Any, freed: Slots, locked: Any) -> list[Any]:
        return [*super().calls(insert, unlocked, freed, locked)[:5], ["unlock"]]


KNOWN: Mapping[str, Callable[[], World]] = {
    "all-tokens": AllTokens,
    "frees-locked": FreesLocked,
    "tail-of-the-living": TailFreed,
    "tail-kept": TailKept,
    "double-kept": DoubleKept,
    "frees-all": FreesAll,
    "row-kept": RowKept,
    "freed-after-rewrite": FreedAfterRewrite,
    "not-unlocked": NotUnlocked,
    "locks-finished": LocksAlways,
    "never-locks": LocksNever,
    "old-handle": OldHandle,
    "unlocked-too-early": TooEarly,
}


def play(submission: Any, page_size: int, runs: list[Run]) -> None:
    """Judges runs of hand-overs with pages of ``page_size``."""

    def sized(make: Callable[[], World]) -> Callable[[], World]:
        return type(make.__name__, (make,), {"page_size": page_size})  # type: ignore[arg-type]

    def replay(some: list[Run]) -> list[list[Any]]:
        found = submission.harness.replay(page_size, some)
        return [[one and [one[0], normal(one[1]), *one[2:]] for one in results] for results in found]

    drive(replay, sized(World), runs, known={key: sized(make) for key, make in KNOWN.items()})


def random_run(rng: Rng, steps: int) -> Run:
    """Requests whose prompts are cut from two texts, so that they share prefixes; in any order."""
    texts = [[int(token) for token in rng.integers(1, 50, 24)] for _ in range(2)]
    texts[1][:9] = texts[0][:9]
    run: Run = []
    alive: list[int] = []
    for uid in range(steps):
        kind = int(rng.integers(0, 5))
        if kind < 2 or not alive:
            alive.append(uid)
            run.append({"op": "admit", "uid": uid, "ids": rng.pick(texts)[: int(rng.integers(2, 20))]})
            run.append({"op": "token", "uid": uid, "ids": [int(rng.integers(1, 50))]})
        elif kind == 2:
            run.append({"op": "compute", "uid": rng.pick(alive)})
        else:
            one = rng.pick(alive)
            run.append({"op": "hand_over", "uid": one, "finished": kind == 4})
            alive = [other for other in alive if other != one or kind != 4]
    return [*run, *({"op": "hand_over", "uid": uid, "finished": True} for uid in alive)]
