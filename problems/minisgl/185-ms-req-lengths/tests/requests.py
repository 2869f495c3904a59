"""What a request must say, in plain integers; requests that make one mistake; and random lives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from judge.grading.author import check
from judge.grading.seeds import Rng
from judge.grading.stateful import Impossible, Run, Step, drive

NUMBERS = ("cached_len", "device_len", "max_device_len", "remain_len", "extend_len", "can_decode")


class Request:
    """The model. ``strict``: steps that make no sense are impossible; a wrong model may see it differently."""

    def __init__(self, strict: bool = True) -> None:
        self.strict, self.made = strict, False
        self.pending = False  # a step was completed, and its token not appended yet

    def take(self, step: Step) -> list[Any]:
        """What is raised, and what there is to see."""
        arguments = {name: value for name, value in step.items() if name != "op"}
        if step["op"] != "create" and not self.made:
            raise Impossible
        try:
            getattr(self, step["op"])(**arguments)
        except ValueError:
            return ["ValueError", None]
        return ["", self.seen()]

    def create(self, ids: list[int], cached_len: int, output_len: int) -> None:
        """A new request."""
        if not self.valid(len(ids), cached_len, output_len):
            raise ValueError
        self.ids, self.cached, self.device = list(ids), cached_len, len(ids)
        self.most = len(ids) + output_len
        self.made, self.pending = True, False

    def complete(self) -> None:
        """A step is done."""
        if self.strict and (self.pending or self.device >= self.most):
            raise Impossible
        self.pending = True
        self.book()

    def append(self, token: int, dtype: str) -> None:
        """Its token arrives."""
        if self.strict and not self.pending:
            raise Impossible
        self.pending = False
        self.add(token)

    # --- where mistakes are made ---

    def valid(self, length: int, cached: int, output: int) -> bool:
        """Whether a request can be made."""
        return 0 <= cached < length and output >= 0

    def book(self) -> None:
        """All tokens are cached, one more is coming."""
        self.cached = self.device
        self.device += 1

    def add(self, token: int) -> None:
        """The ids grow, no length does."""
        self.ids.append(token)

    def max_len(self) -> int:
        """The length it may grow to."""
        return self.most

    def remain(self) -> int:
        """By how much it may grow."""
        return self.max_len() - self.device

    def extend(self) -> int:
        """How much this step computes."""
        return self.device - self.cached

    def can(self) -> bool:
        """Whether it may be given another token."""
        return self.remain() > 0

    def seen(self) -> list[Any]:
        """All numbers and the ids."""
        numbers = [self.cached, self.device, self.max_len(), self.remain(), self.extend(), self.can()]
        return [*numbers, ["torch.int32", list(self.ids)]]

    def verify(self, step: Step, got: list[Any], want: list[Any]) -> None:
        """Compares what can be seen after a step."""
        mistake = "valid-refused" if got[0] else "invalid-accepted"
        check.equal(got[0], want[0], field=step["op"], mistake=mistake)
        if want[1] is None:
            return
        for name, mine, right in zip(NUMBERS, got[1], want[1], strict=False):
            check.equal(mine, right, field=name, mistake=f"{name}-wrong")
        ids, wanted = got[1][-1], want[1][-1]
        is_tensor = isinstance(ids, list) and bool(ids) and isinstance(ids[0], str)
        check.that(is_tensor, mistake="ids-no-tensor", field="input_ids", got=ids)
        check.equal(ids[0], wanted[0], field="input_ids", mistake="ids-dtype")
        check.equal(ids[1], wanted[1], field="input_ids", mistake="ids-wrong")


class AllCached(Request):
    """A prompt may be cached as a whole."""

    def valid(self, length: int, cached: int, output: int) -> bool:
        return 0 <= cached <= length and output >= 0


class BeyondCached(Request):
    """Only equality is refused."""

    def valid(self, length: int, cached: int, output: int) -> bool:
        return 0 <= cached != length and output >= 0


class Negative(Request):
    """Negative numbers of cached tokens are accepted."""

    def valid(self, length: int, cached: int, output: int) -> bool:
        return cached < length and output >= 0


class NegativeOutput(Request):
    """Negative numbers of output tokens are accepted."""

    def valid(self, length: int, cached: int, output: int) -> bool:
        return 0 <= cached < length


class NoOutput(Request):
    """A request without output is refused."""

    def valid(self, length: int, cached: int, output: int) -> bool:
        return super().valid(length, cached, output) and output > 0


class DeviceFirst(Request):
    """device_len is raised before it is copied."""

    def book(self) -> None:
        self.device += 1
        self.cached = self.device


class CachedByOne(Request):
    """cached_len grows by one."""

    def book(self) -> None:
        self.cached += 1
        self.device += 1


class NotRaised(Request):
    """device_len stays until the token arrives."""

    def book(self) -> None:
        self.cached = self.device

    def add(self, token: int) -> None:
        super().add(token)
        self.device += 1


class RaisedTwice(Request):
    """The token raises device_len once more."""

    def add(self, token: int) -> None:
        super().add(token)
        self.device += 1


class MaxGrows(Request):
    """max_device_len is counted from the ids of the moment."""

    def create(self, ids: list[int], cached_len: int, output_len: int) -> None:
        super().create(ids, cached_len, output_len)
        self.output = output_len

    def max_len(self) -> int:
        return len(self.ids) + self.output


class RemainFromCached(Request):
    """remain_len is counted from cached_len."""

    def remain(self) -> int:
        return self.most - self.cached

    def can(self) -> bool:
        return self.most > self.device


class AlwaysCan(Request):
    """A request that has reached its end may go on."""

    def can(self) -> bool:
        return self.remain() >= 0


class CanOneLess(Request):
    """The last token is not granted."""

    def can(self) -> bool:
        return self.remain() > 1


class ExtendOfIds(Request):
    """extend_len is counted from the ids."""

    def extend(self) -> int:
        return len(self.ids) - self.cached


KNOWN: Mapping[str, Callable[..., Request]] = {
    "all-cached": AllCached,
    "beyond-cached": BeyondCached,
    "negative-cached": Negative,
    "negative-output": NegativeOutput,
    "no-output-refused": NoOutput,
    "device-first": DeviceFirst,
    "cached-by-one": CachedByOne,
    "booked-late": NotRaised,
    "raised-twice": RaisedTwice,
    "max-grows": MaxGrows,
    "remain-from-cached": RemainFromCached,
    "always-can": AlwaysCan,
    "can-one-less": CanOneLess,
    "extend-of-ids": ExtendOfIds,
}


def play(submission: Any, runs: list[Run]) -> None:
    """Judges lives of requests."""
    known = {key: lambda make=make: make(strict=False) for key, make in KNOWN.items()}
    drive(submission.harness.replay, Request, runs, known=known)


def life(rng: Rng, *, output_len: int | None = None, dtype: str = "int32") -> Run:
    """A request from its prompt to its last token."""
    ids = [int(token) for token in rng.integers(0, 1000, int(rng.integers(2, 9)))]
    output = int(rng.integers(1, 6)) if output_len is None else output_len
    cached = int(rng.integers(0, len(ids)))
    run: Run = [{"op": "create", "ids": ids, "cached_len": cached, "output_len": output}]
    for _ in range(output):
        run.append({"op": "complete"})
        run.append({"op": "append", "token": int(rng.integers(0, 1000)), "dtype": dtype})
    return run


def attempt(length: int, cached_len: int, output_len: int) -> Step:
    """A creation that may be refused."""
    return {
        "op": "create",
        "ids": list(range(7, 7 + length)),
        "cached_len": cached_len,
        "output_len": output_len,
    }
