"""What the cases of #196 and #197 ask for is what the reference engine's messages and detokenizer do."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

from minisgl.message import DetokenizeMsg, deserialize_type, serialize_type
from minisgl.tokenizer import DetokenizeManager

from judge.grading.seeds import rng_for
from tests.problems.beside import Beside


class Detokenizer(DetokenizeManager):
    """The engine's, by the problem's names."""

    def __init__(self, decode: Callable[[list[int]], str], eos_id: int) -> None:
        super().__init__(SimpleNamespace(decode=decode, eos_token_id=eos_id))

    @property
    def active(self) -> int:
        return len(self.decode_map)

    def step(self, msgs: list[tuple[int, int, bool]]) -> list[str]:
        return self.detokenize([DetokenizeMsg(*msg) for msg in msgs])


def test_196_the_engines_messages_are_accepted(beside: Callable[..., Beside]) -> None:
    problem = beside(196, serialize=serialize_type, deserialize=deserialize_type)
    hidden = problem.module("test_hidden")
    names = [
        name for name in vars(hidden) if name.startswith("test_") and name != "test_deserialize_long_tensor"
    ]
    assert len(names) > 12
    for name in names:
        getattr(hidden, name)(problem.submission, rng_for("seed", name))


def test_197_the_engines_detokenizer_is_accepted(beside: Callable[..., Beside]) -> None:
    problem = beside(197, Detokenizer=Detokenizer)
    hidden = problem.module("test_hidden")
    names = [name for name in vars(hidden) if name.startswith("test_") and not name.endswith("_random")]
    assert len(names) > 8
    for name in names:
        getattr(hidden, name)(problem.submission, rng_for("seed", name))
    for kind in ("bytes", "spaces"):
        hidden.test_text_random(problem.submission, rng_for("seed", kind), kind)
        hidden.test_batch_random(problem.submission, rng_for("seed", kind), kind)
