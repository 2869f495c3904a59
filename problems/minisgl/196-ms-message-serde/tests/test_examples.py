"""Cases that a learner sees in full: the statement's message, in both directions."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from . import judging
from .shapes import MARK, plain, tensor

MESSAGE = {
    MARK: "UserMsg",
    "uid": 7,
    "input_ids": tensor("int32", [9, 872, -1]),
    "sampling_params": {
        MARK: "SamplingParams",
        "temperature": 0.5,
        "top_k": 20,
        "top_p": 1.0,
        "ignore_eos": False,
        "max_tokens": 64,
    },
}


@case(part="serialize", points=6)
def test_serialize_book(submission: Any, rng: Rng) -> None:
    judging.written(submission.harness.write(MESSAGE), MESSAGE)


@case(part="deserialize", points=6)
def test_deserialize_book(submission: Any, rng: Rng) -> None:
    got = submission.harness.read(plain(MESSAGE), ["UserMsg", "SamplingParams"])
    judging.restored(got, MESSAGE)
