"""The world around your loop: it writes down in which order things happen. The comparison is made elsewhere."""

from __future__ import annotations

from typing import Any

import solution

RECEIVES_MAX = 400  # after the last request; a loop that goes on has no end


class Endless(Exception):
    """The loop does not stop."""


class Handle:
    """One round under way."""

    def __init__(self, world: World, number: int, tokens: list[int]) -> None:
        self._world, self._number, self._tokens = world, number, tokens

    def wait(self) -> list[int]:
        """The tokens of the round."""
        self._world.note("wait", self._number)
        return list(self._tokens)


class World:
    """Requests come as ``script`` says: for each call of receive a list of (uid, max_tokens, tokens)."""

    def __init__(self, script: list[list[Any]]) -> None:
        self._script = script
        self.events: list[list[list[Any]]] = []
        self._tokens: dict[int, list[int]] = {}
        self._calls = self._rounds = 0

    def note(self, *event: Any) -> None:
        """Writes an event down, in the present turn of the loop."""
        if not self.events:
            self.events.append([])
        self.events[-1].append(list(event))

    def receive(self) -> list[tuple[int, int]] | None:
        """Requests that came meanwhile; None when no more will come."""
        self._calls += 1
        if self._calls > len(self._script) + RECEIVES_MAX:
            raise Endless
        if self._calls > len(self._script):
            if self._calls == len(self._script) + 1:
                self.events.append([])
            return None
        self.events.append([])
        new = self._script[self._calls - 1]
        self._tokens.update({uid: list(tokens) for uid, _, tokens in new})
        return [(uid, max_tokens) for uid, max_tokens, _ in new]

    def launch(self, uids: list[int]) -> Handle:
        """Begins a round with a token for each request."""
        self._rounds += 1
        self.note("launch", self._rounds, list(uids))
        # a request that is launched too often still gets some token
        tokens = [self._tokens[uid].pop(0) if self._tokens.get(uid) else 99 for uid in uids]
        return Handle(self, self._rounds, tokens)

    def send(self, uid: int, token: int, finished: bool) -> None:
        """A token goes to its user."""
        self.note("send", uid, token, finished)

    def free(self, uid: int) -> None:
        """The row and pages of a request are given back."""
        self.note("free", uid)


def replay(eos: int, runs: list[list[dict[str, Any]]]) -> list[list[Any]]:
    """Every run in a world of its own: the events of each turn; what comes after the last step belongs to that one."""
    return [_replay(eos, run) for run in runs]


def _replay(eos: int, run: list[dict[str, Any]]) -> list[Any]:
    world = World([step["new"] for step in run if step["op"] == "turn"])
    try:
        solution.overlap_loop(world, eos)
    except Endless:
        world.note("endless")
    turns = [step["op"] == "turn" for step in run]
    events = [*world.events, *([] for _ in turns)]
    results: list[Any] = events[: sum(turns)]
    rest = [event for turn in events[sum(turns) :] for event in turn]
    return [*results, rest] if len(results) < len(run) else [*results[:-1], results[-1] + rest]
