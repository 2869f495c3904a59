"""What happens in each turn of the loop, loops that each make one mistake, and random requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from judge.grading.author import check
from judge.grading.seeds import Rng
from judge.grading.stateful import Impossible, Run, Step, drive

Event = list[Any]


class Request:
    """One request: its limit, what was launched and what came back."""

    def __init__(self, uid: int, limit: int, tokens: list[int]) -> None:
        self.uid, self.limit, self.tokens = uid, limit, list(tokens)
        self.launched = self.received = 0
        self.done = False


class Loop:
    """The model. Wrong ones override."""

    delay = 1  # rounds that are under way while another is launched

    def __init__(self, eos: int) -> None:
        self.eos = eos
        self.live: list[Request] = []
        self.under_way: list[tuple[int, list[Request], list[int]]] = []
        self.rounds = 0
        self.events: list[Event] = []

    def take(self, step: Step) -> list[Event]:
        """The events of a turn; the end is all turns that are left."""
        self.events = []
        if step["op"] == "end":
            for count in range(400):
                if not self.goes_on() and (count or not self.launches_nothing()):
                    break
                self.turn([])
            else:
                self.events.append(["endless"])
            return self.events
        if {uid for uid, _, _ in step["new"]} & {one.uid for one in self.live}:
            raise Impossible
        self.turn([Request(*one) for one in step["new"]])
        return self.events

    def verify(self, step: Step, got: list[Event], want: list[Event]) -> None:
        """The first event that differs says what kind of mistake it is."""
        pairs = [*zip(got, want, strict=False)]
        first = next((i for i, (a, b) in enumerate(pairs) if a != b), len(pairs))
        kinds = [events[first][0] if first < len(events) else "" for events in (got, want)]
        mistake = "endless" if kinds[0] == "endless" else f"{kinds[1] or kinds[0] or 'send'}-wrong"
        check.equal(got, want, field="events", mistake=mistake)

    # --- one turn ---

    def goes_on(self) -> bool:
        """Whether there is anything left to do."""
        return bool(self.live or self.under_way)

    def turn(self, new: list[Request]) -> None:
        """Receives, launches, and processes the round before."""
        self.live += new
        before = len(self.under_way)
        batch = [one for one in self.live if self.wanted(one)]
        if batch or self.launches_nothing():
            self.rounds += 1
            self.events.append(["launch", self.rounds, [one.uid for one in batch]])
            tokens = [one.tokens.pop(0) if one.tokens else 99 for one in batch]
            for one in batch:
                one.launched += 1
            self.under_way.append((self.rounds, batch, tokens))
        if self.due(before, bool(batch)):
            self.process(*self.under_way.pop(0))

    def due(self, before: int, launched: bool) -> bool:
        """Whether a round is to be waited for now."""
        return before >= self.delay or (before > 0 and not launched)

    def wanted(self, one: Request) -> bool:
        """Whether a request gets another token."""
        return not one.done and one.launched < one.limit

    def launches_nothing(self) -> bool:
        """Whether an empty round is launched."""
        return False

    def process(self, number: int, batch: list[Request], tokens: list[int]) -> None:
        """The results of one round."""
        self.events.append(["wait", number])
        for one, token in zip(batch, tokens, strict=True):
            one.received += 1
            if self.speaks(one):
                one.done = self.finished(one, token)
                self.events.append(["send", one.uid, token, one.done])
            if one.done and self.to_free(one):
                self.leave(one)

    def speaks(self, one: Request) -> bool:
        """Whether a result has a message."""
        return not one.done

    def finished(self, one: Request, token: int) -> bool:
        """Whether it was the last."""
        return token == self.eos or one.received >= one.limit

    def to_free(self, one: Request) -> bool:
        """Whether nothing of it is under way."""
        return one.received == one.launched

    def leave(self, one: Request) -> None:
        """Frees what it held."""
        self.events.append(["free", one.uid])
        if one in self.live:
            self.live.remove(one)


class NoOverlap(Loop):
    delay = 0

    def due(self, before: int, launched: bool) -> bool:
        return bool(self.under_way)


class TwoUnderWay(Loop):
    delay = 2


class FinishedEarly(Loop):
    """The official way: what is left to launch decides, though a round more is launched by then."""

    def finished(self, one: Request, token: int) -> bool:
        return token == self.eos or one.launched >= one.limit


class SpeaksOfStale(Loop):
    def speaks(self, one: Request) -> bool:
        return True

    def finished(self, one: Request, token: int) -> bool:
        return one.done or super().finished(one, token)


class OverLimit(Loop):
    def wanted(self, one: Request) -> bool:
        return not one.done


class FreedUnderWay(Loop):
    def to_free(self, one: Request) -> bool:
        return one in self.live


class FreedTwice(Loop):
    def to_free(self, one: Request) -> bool:
        return True


class NeverFreed(Loop):
    def leave(self, one: Request) -> None:
        self.live.remove(one)


class StaleNotFreed(Loop):
    """What ended while it was under way is never freed."""

    def process(self, number: int, batch: list[Request], tokens: list[int]) -> None:
        gone = [one.done for one in batch]
        super().process(number, batch, tokens)
        late = [one.uid for one, done in zip(batch, gone, strict=True) if done]
        self.events = [event for event in self.events if event[0] != "free" or event[1] not in late]


class EmptyRounds(Loop):
    def launches_nothing(self) -> bool:
        return True

    def goes_on(self) -> bool:
        return bool(self.live or any(batch for _, batch, _ in self.under_way))


class LastLost(Loop):
    def goes_on(self) -> bool:
        return any(not one.done and one.launched < one.limit for one in self.live)


class EosIgnored(Loop):
    def finished(self, one: Request, token: int) -> bool:
        return one.received >= one.limit


class EosSilent(Loop):
    def process(self, number: int, batch: list[Request], tokens: list[int]) -> None:
        super().process(number, batch, tokens)
        self.events = [event for event in self.events if event[0] != "send" or event[2] != self.eos]


class LimitIgnored(Loop):
    def finished(self, one: Request, token: int) -> bool:
        return token == self.eos


class StaleForEver(Loop):
    """A uid that once ended while under way counts as ended for ever."""

    def __init__(self, eos: int) -> None:
        super().__init__(eos)
        self.ended: set[int] = set()

    def speaks(self, one: Request) -> bool:
        if one.uid in self.ended:
            one.done = True
            return False
        return super().speaks(one)

    def to_free(self, one: Request) -> bool:
        if one.uid in self.ended:
            return True
        if one.launched > one.received:
            self.ended.add(one.uid)
        return super().to_free(one)


KNOWN: Mapping[str, Callable[[int], Loop]] = {
    "no-overlap": NoOverlap,
    "two-under-way": TwoUnderWay,
    "finished-early": FinishedEarly,
    "speaks-of-stale": SpeaksOfStale,
    "over-limit": OverLimit,
    "freed-under-way": FreedUnderWay,
    "freed-twice": FreedTwice,
    "never-freed": NeverFreed,
    "stale-not-freed": StaleNotFreed,
    "empty-rounds": EmptyRounds,
    "last-lost": LastLost,
    "eos-ignored": EosIgnored,
    "eos-silent": EosSilent,
    "limit-ignored": LimitIgnored,
    "stale-for-ever": StaleForEver,
}


def play(submission: Any, eos: int, runs: list[Run]) -> None:
    """Judges runs of turns."""
    drive(
        lambda some: submission.harness.replay(eos, some),
        lambda: Loop(eos),
        runs,
        known={key: lambda make=make: make(eos) for key, make in KNOWN.items()},
    )


def ending(rng: Rng) -> int:
    """An EOS; other tokens are smaller and larger."""
    return int(rng.integers(400, 600))


def script(*turns: list[list[Any]]) -> Run:
    """A run: what arrives in each turn, then the end."""
    return [*({"op": "turn", "new": new} for new in turns), {"op": "end"}]


def request(rng: Rng, eos: int, uid: int, limit: int, ends_at: int = 0) -> list[Any]:
    """A request with tokens for more rounds than it should get; the one at ``ends_at`` (from 1) is the first EOS."""
    tokens = [eos + int(rng.integers(1, 300)) * rng.pick([-1, 1]) for _ in range(limit + 4)]
    if ends_at:
        tokens[ends_at - 1] = eos
    return [uid, limit, tokens]


def random_run(rng: Rng, eos: int, turns: int) -> Run:
    """Requests that come in any turn; uids are used again once they are free."""
    model, run = Loop(eos), []
    for _ in range(turns):
        free = [uid for uid in range(1, 6) if all(one.uid != uid for one in model.live)]
        chosen = [uid for uid in free if int(rng.integers(6)) == 0]
        new = []
        for uid in chosen:
            limit = int(rng.integers(1, 7))
            new.append(request(rng, eos, uid, limit, int(rng.integers(0, limit + 1))))
        step: Step = {"op": "turn", "new": new}
        model.take(step)
        run.append(step)
    return [*run, {"op": "end"}]
