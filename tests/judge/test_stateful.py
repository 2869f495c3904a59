"""Operation sequences: what is wrong is found, named, and cut down to a few steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from judge.grading.author import Wrong, check
from judge.grading.outcome import outcome_of
from judge.grading.seeds import rng_for
from judge.grading.stateful import Impossible, Run, Step, drive, generate
from judge.words.steps import step_sentences
from judge.words.table import Words
from sandbox.contract import Frame, LearnerFault


class Stack:
    """The model: numbers pushed and popped."""

    def __init__(self) -> None:
        self.items: list[int] = []

    def take(self, step: Step) -> int | None:
        if step["op"] == "push":
            self.items.append(step["number"])
            return None
        if not self.items:
            raise Impossible
        return self.popped()

    def popped(self) -> int:
        return self.items.pop()

    def verify(self, step: Step, got: Any, want: Any) -> None:
        check.equal(got, want, field=step["op"], mistake="pop-wrong")


class Queue(Stack):
    """The mistake with a name."""

    def popped(self) -> int:
        return self.items.pop(0)


def playing(make: Callable[[], Stack]) -> Callable[[list[Run]], list[list[Any]]]:
    def play(runs: list[Run]) -> list[list[Any]]:
        return [[model.take(step) for step in run] for run in runs for model in [make()]]

    return play


def random_runs(count: int, steps: int) -> list[Run]:
    rng = rng_for("seed", "stack")

    def draw(model: Any) -> Step:
        if rng.integers(3) == 0:
            return {"op": "pop"}
        return {"op": "push", "number": int(rng.integers(100))}

    return [generate(Stack, steps, draw) for _ in range(count)]


def test_a_right_answer_passes() -> None:
    drive(playing(Stack), Stack, random_runs(3, 30), known={"a-queue": Queue})


def test_generated_runs_are_possible_and_as_long_as_asked() -> None:
    for run in random_runs(5, 30):
        model = Stack()
        assert len([model.take(step) for step in run]) == 30


def test_a_failure_is_named_and_cut_down_to_the_least_steps() -> None:
    with pytest.raises(Wrong) as caught:
        drive(playing(Queue), Stack, random_runs(3, 40), known={"a-stack": Stack, "a-queue": Queue})
    wrong = caught.value
    assert wrong.mistake == "a-queue"
    assert [step["op"] for step in wrong.detail["steps"]] == ["push", "push", "pop"]
    assert wrong.facts["operations"] == 3
    assert "steps" not in wrong.facts


def test_an_unknown_mistake_keeps_the_checks_own_name() -> None:
    class Off(Stack):
        def popped(self) -> int:
            return super().popped() + (len(self.items) == 3)

    with pytest.raises(Wrong) as caught:
        drive(playing(Off), Stack, random_runs(3, 40), known={"a-queue": Queue})
    assert caught.value.mistake == "pop-wrong"
    assert caught.value.facts["operations"] == 5


def test_an_exception_of_the_submission_is_raised_again_with_its_steps() -> None:
    def play(runs: list[Run]) -> list[list[Any]]:
        if any([step["op"] for step in run].count("pop") > 1 for run in runs):
            error = TypeError("mine")
            error.learner_fault = LearnerFault("TypeError", "TypeError", "mine", (Frame(3, "pop"),))  # type: ignore[attr-defined]
            raise error
        return playing(Stack)(runs)

    with pytest.raises(TypeError) as caught:
        drive(play, Stack, random_runs(2, 40))
    outcome = outcome_of(caught.value, called=True)
    assert outcome.facts["operations"] == 4 and outcome.facts["builtin"] == "TypeError"
    assert len(outcome.detail["steps"]) == 4


def test_an_error_of_our_own_is_not_taken_for_the_submissions() -> None:
    def play(runs: list[Run]) -> Any:
        raise ValueError("harness")

    with pytest.raises(ValueError, match="harness"):
        drive(play, Stack, random_runs(1, 5))


def test_shrinking_plays_no_more_than_its_budget() -> None:
    played = 0
    make = playing(Queue)

    def play(runs: list[Run]) -> list[list[Any]]:
        nonlocal played
        played += sum(map(len, runs))
        return make(runs)

    with pytest.raises(Wrong):
        drive(play, Stack, random_runs(1, 400), known={"a-queue": Queue})
    assert played < 400 + 2000 + 400


WORDS = Words(
    {
        "steps": {
            "after": "After {count}.",
            "listed": "They were:",
            "more": "({count} more)",
            "one": "{number}. {text}",
        }
    }
)


def test_steps_are_put_into_the_problems_words() -> None:
    case = {"facts": {"operations": 3}, "detail": {"steps": [{"op": "push", "number": "7"}, {"op": "pop"}]}}
    told = list(step_sentences(case, {"push": "push {number} on {what}"}, WORDS))
    assert told == ["After 3.", "\nThey were:", "\n(1 more)", "\n2. push 7 on {what}", "\n3. pop"]


def test_where_inputs_are_hidden_only_the_count_is_told() -> None:
    assert list(step_sentences({"facts": {"operations": 3}, "detail": {}}, {}, WORDS)) == ["After 3."]
    assert list(step_sentences({"facts": {}, "detail": {}}, {}, WORDS)) == []
