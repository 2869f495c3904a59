"""Judging what has a state: operations are played in the cell, compared with a model, and shrunk where wrong.

A *step* is a dict: its operation under ``op`` beside plain arguments. A *run* is a list of steps for a fresh object. A
problem's harness plays whole runs in one call and returns the raw results; here they are compared, never there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from judge.grading.author import Wrong
from judge.grading.shown import describe
from sandbox.contract import LearnerFault

Step = dict[str, Any]
Run = list[Step]
Play = Callable[[list[Run]], Any]  # from runs to a list of results for each
STEPS_SHOWN = 12
_BUDGET_LEAST = 2000
_ARGUMENT_MAX_CHARS = 160


class Impossible(Exception):
    """A step makes no sense in the model's present state: such a step is left out of a run."""


class Model(Protocol):
    """What the submission must do, as plainly as it can be said; a new one for each run."""

    def take(self, step: Step) -> Any:
        """Does ``step`` and returns what the submission must answer; raises `Impossible`."""

    def verify(self, step: Step, got: Any, want: Any) -> None:
        """Raises `Wrong` when ``got`` is no right answer to the ``step`` just taken."""


NewModel = Callable[[], Model]
Known = Mapping[str, NewModel]


@dataclass(frozen=True)
class _Failure:
    """A run cut after its first wrong step, what is wrong there, and what makes another failure the same one."""

    run: Run
    error: Any  # a Wrong, or the submission's exception
    kind: tuple[Any, ...]


def generate(new: NewModel, steps: int, draw: Callable[[Any], Step]) -> Run:
    """A run of ``steps`` possible steps: each is drawn by ``draw(model)``, given the model before it."""
    model = new()
    run: Run = []
    for _ in range(20 * steps):
        if len(run) == steps:
            break
        step = draw(model)
        try:
            model.take(step)
        except Impossible:
            continue
        run.append(step)
    return run


def drive(play: Play, new: NewModel, runs: Sequence[Run], *, known: Known | None = None) -> None:
    """Plays ``runs`` and compares each with a fresh model; what is wrong is raised with a short run that shows it.

    ``known`` maps mistake keys to models that make that mistake: the first that answers as the submission does in all
    runs, or else in each up to its first wrong step, names it. An exception of the submission's is raised again, with its steps too.
    """
    driver = _Driver(play, new, known or {}, max(_BUDGET_LEAST, 2 * sum(map(len, runs))))
    failure = driver.first(list(runs))
    if failure is None:
        return
    shortest = driver.shrink(failure)
    _note(shortest.error, shortest.run)
    raise shortest.error


class _Driver:
    """One `drive`. ``budget`` is in steps: shrinking must not use up the limit that the case runs under."""

    def __init__(self, play: Play, new: NewModel, known: Known, budget: int) -> None:
        self._play, self._new, self._known, self._budget = play, new, known, budget

    def first(self, runs: list[Run]) -> _Failure | None:
        """The failure after the fewest steps; with an exception, the first run that has one."""
        try:
            results = self._play(runs)
        except Exception as error:
            _fault(error)
            return next(filter(None, map(self._alone, runs)), None) or _Failure(
                runs[0], error, _raised(error)
            )
        return self._judge(list(zip(runs, results, strict=True)))

    def shrink(self, failure: _Failure) -> _Failure:
        """The same failure with steps left out, halves first, as far as the budget goes."""
        size = len(failure.run) // 2
        while size:
            before = failure
            end = len(failure.run)
            while end > 0 and self._budget > 0:
                start = max(0, end - size)
                shorter = self._without(failure, start, end)
                failure, end = (shorter, min(start, len(shorter.run))) if shorter else (failure, start)
            size = size if size == 1 and failure is not before and self._budget > 0 else size // 2
        return failure

    def _without(self, failure: _Failure, start: int, end: int) -> _Failure | None:
        run = _possible(self._new, failure.run[:start] + failure.run[end:])
        if not run:
            return None
        self._budget -= len(run)
        again = self._alone(run, failure.kind[1] if failure.kind[0] == "known" else "")
        return again if again is not None and again.kind == failure.kind else None

    def _alone(self, run: Run, named: str | None = None) -> _Failure | None:
        try:
            (results,) = self._play([run])
        except Exception as error:
            _fault(error)
            return _Failure(run, error, _raised(error))
        if named and not _answers_like(self._known[named], run, results):
            return None
        return self._judge([(run, results)], named)

    def _judge(self, pairs: list[tuple[Run, Any]], named: str | None = None) -> _Failure | None:
        """The failure after the fewest steps; with ``named`` None it is named by all of ``pairs``."""
        found = [self._compare(run, results) for run, results in pairs]
        failure = min(filter(None, found), key=lambda one: len(one.run), default=None)
        if failure is None:
            return None
        if named is None:
            cut = [(one.run if one else run, got) for one, (run, got) in zip(found, pairs, strict=True)]
            named = self._name(pairs) or self._name(cut)
        if not named:
            return failure
        failure.error.mistake = named
        return _Failure(failure.run, failure.error, ("known", named))

    def _compare(self, run: Run, results: Any) -> _Failure | None:
        model = self._new()
        for place, (step, got) in enumerate(zip(run, results, strict=False)):
            want = model.take(step)
            try:
                model.verify(step, got, want)
            except Wrong as wrong:
                return _Failure(run[: place + 1], wrong, ("wrong", wrong.mistake))
        if len(results) < len(run):
            raise ValueError("the harness gave fewer results than steps")
        return None

    def _name(self, pairs: Sequence[tuple[Run, Any]]) -> str:
        fits = (key for key, new in self._known.items() if all(_answers_like(new, *pair) for pair in pairs))
        return next(fits, "")


def _possible(new: NewModel, run: Run) -> Run:
    """``run`` without the steps that became impossible."""
    model = new()
    kept: Run = []
    for step in run:
        try:
            model.take(step)
        except Impossible:
            continue
        kept.append(step)
    return kept


def _answers_like(new: NewModel, run: Run, results: Any) -> bool:
    """Whether a model of ``new`` gives just these results; one that fails on the way does not."""
    model = new()
    for step, got in zip(run, results, strict=False):
        try:
            want = model.take(step)
        except (Impossible, LookupError, ValueError, AttributeError):
            return False
        if not _alike(got, want):
            return False
    return True


def _alike(got: Any, want: Any) -> bool:
    """Equal in values, whatever the dtype; a list of integers stands for a tensor."""
    if isinstance(got, torch.Tensor):
        return _alike(got.tolist(), want)
    if isinstance(want, torch.Tensor):
        return _alike(got, want.tolist())
    if isinstance(got, list | tuple) and isinstance(want, list | tuple):
        return len(got) == len(want) and all(map(_alike, got, want))
    if isinstance(got, dict) and isinstance(want, dict):
        return got.keys() == want.keys() and all(_alike(got[key], want[key]) for key in want)
    return bool(got == want)


def _fault(error: Exception) -> LearnerFault:
    """The submission's exception; any other is raised on: it is ours."""
    fault = getattr(error, "learner_fault", None)
    if not isinstance(fault, LearnerFault):
        raise error
    return fault


def _raised(error: Exception) -> tuple[Any, ...]:
    fault = _fault(error)
    return "raised", fault.builtin, fault.frames[-1].line if fault.frames else 0


def _note(error: Exception, run: Run) -> None:
    """How many operations it took may always be told; which they were is a matter of the inputs."""
    facts, detail = {"operations": len(run)}, {"steps": list(_shown(run))}
    if isinstance(error, Wrong):
        error.facts |= facts
        error.detail |= detail
    else:
        error.case_facts, error.case_detail = facts, detail  # type: ignore[attr-defined]


def _shown(run: Run) -> Iterator[dict[str, str]]:
    """The last steps as text, to be put into words when they are shown."""
    for step in run[-STEPS_SHOWN:]:
        yield {
            name: value if isinstance(value, str) else describe(value, _ARGUMENT_MAX_CHARS)
            for name, value in step.items()
        }
