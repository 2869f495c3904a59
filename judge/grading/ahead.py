"""The next case up to its first call, made while the cell is busy with the case in front: so both work at once.

Only what a case does before it first calls the submission is done ahead: it draws its inputs and computes what is
expected. No call leaves before the case in front has ended, so cases meet the submission one after the other as ever.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from greenlet import getcurrent, greenlet

from judge.grading.notes import Notes
from judge.grading.plugin import Case, Plugin
from judge.grading.seeds import settle
from sandbox.contract import LoadFailed, SandboxFault
from sandbox.proxy import Caller
from sandbox.session import Session

Execute = Callable[[Case], BaseException | None]


class Turns:
    """Runs one case after the other. Plain ones are begun ahead; what pytest must run is not, and meets nobody.

    ``load`` gives a case a loaded cell; it may raise LoadFailed and SandboxFault.
    """

    def __init__(self, plugin: Plugin, seed: str, load: Callable[[], None]) -> None:
        self._plugin, self._seed, self._load = plugin, seed, load
        self._front: _Begun | None = None  # the plain case that runs
        self._next: _Begun | None = None  # the one after it, once it was begun

    def run(self, case: Case, following: Case | None) -> tuple[BaseException | None, Notes]:
        """What ``case`` raised, and what it noted; ``following`` is the one that will be run next."""
        if case.params is None:
            notes = Notes()
            with notes.taken():
                return self._plugin.execute(case, following), notes
        front, self._next = self._next or self._begin(case), None
        try:
            if front.asks:
                self._load()
        except (LoadFailed, SandboxFault) as failed:
            return failed, front.notes
        self._front, front.in_front = front, True
        if not front.go_on():
            if following is not None and following.params is not None and _undisturbed():
                self._begin(following)
            settle(self._seed, f"{case.name}, after its first call")  # whether or not another has drawn since
            front.go_on()
        self._front = None
        return front.error, front.notes

    def _begin(self, case: Case) -> _Begun:
        begun = self._next = _Begun(case, self._plugin.call)
        begun.go_on()
        return begun

    def caller(self, recorder: Caller, session: Session) -> Caller:
        """Through what the case that asks reaches the submission: with a cell at once, or once its turn has come."""
        if self._next is None:
            self._load()
            return recorder
        self._next.asks = True
        return _InTurn(self._next, recorder, session)

    def meanwhile(self) -> None:
        """The cell is at a call: with the first of a plain case, there is time to begin the next."""
        front = self._front
        if front is not None and not front.called:
            front.called = True
            front.wait()


class _Begun:
    """A plain case that runs on a stack of its own, and goes back to whoever let it go on where it must wait."""

    def __init__(self, case: Case, execute: Execute) -> None:
        self.notes = Notes()
        self.asks = False  # for the submission
        self.in_front = self.called = False
        self.error: BaseException | None = None  # what it raised, once it has ended
        self._case = case
        self._stack = greenlet(execute)

    def go_on(self) -> bool:
        """Runs it until it waits or ends; whether it has ended."""
        if not self._stack.dead:
            # not of another case's: stacks that rest on each other would grow with every case
            self._stack.parent = getcurrent()
            with self.notes.taken():
                self.error = self._stack.switch() if self._stack else self._stack.switch(self._case)
        return bool(self._stack.dead)

    def wait(self) -> None:
        """Of the case itself: until it is let go on."""
        assert self._stack.parent is not None
        self._stack.parent.switch()


@dataclass(frozen=True)
class _InTurn:
    """Passes the requests of ``case`` on, and has it wait before the first until it is in front of ``session``."""

    case: _Begun
    to: Caller
    session: Session

    def request(self, op: str, target: tuple[str, Any], /, *args: Any, **kwargs: Any) -> Any:
        """One request and its value; raises what a call may raise."""
        if not self.case.in_front:
            ready = self.session.encode(args, kwargs)
            self.case.wait()
            self.session.expect(ready)
        return self.to.request(op, target, *args, **kwargs)


def _undisturbed() -> bool:
    """Whether the case in front has switched nothing of torch's that the next would meet."""
    usual = torch.is_grad_enabled() and not torch.is_inference_mode_enabled()
    return usual and torch.get_default_dtype() is torch.float32
