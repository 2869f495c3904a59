"""Cases that a learner sees in full: the registry of the statement."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case

from . import registry

KIND = "attention backend"


@case(part="registry", points=4)
def test_registry_statement(submission: Any) -> None:
    ops: list[registry.Op] = [
        [0, "register", "torch", "create_torch"],
        [0, "register", "fa", "fi", "create_gpu"],
        [0, "get", "torch"],
        [0, "get", "fi"],
        [0, "names"],
        [0, "register", "fa", "another"],
        [0, "get", "fa"],
        [0, "supported", "torch"],
        [0, "supported", "tourch"],
        [0, "get", "tourch"],
    ]
    registry.run(submission, [KIND], ops)


@case(part="validate", points=3)
def test_validate_statement(submission: Any) -> None:
    names = ["torch", "fa", "fi"]
    for text, allow_auto, mistake in (
        ("fa,fi", False, "pair-refused"),
        ("torch", True, "name-refused"),
        ("auto", True, "auto-refused"),
        ("auto", False, "auto-accepted"),
        ("fa,tourch", True, "second-half-accepted"),
        ("tourch,fa", True, "first-half-accepted"),
        ("fa,fi,torch", True, "three-accepted"),
    ):
        registry.verify_choice(submission, names, text, allow_auto, mistake)
