"""Hidden cases: every generation, dtype and way of writing a choice."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from .rules import HALF, NAMES, OTHERS, PICK_KNOWN, RESOLVE_KNOWN, capability, pick, resolve, verify

CARDS = (6, 7, 8, 9, 10, 12)


def resolve_all(submission: Any, inputs: list[tuple[Any, ...]]) -> None:
    """Judges choices."""
    verify(submission.resolve_backend, inputs, resolve, RESOLVE_KNOWN, "resolve_backend")


@case(part="pick", points=21)
def test_pick_every_card(submission: Any, rng: Rng) -> None:
    inputs = [(capability(rng, major), dtype) for major in CARDS for dtype in (*HALF, *OTHERS)]
    verify(submission.pick_backend, inputs, pick, PICK_KNOWN, "pick_backend")


@case(part="pick", points=21, means={"TypeError": "cpu-has-no-capability"})
def test_pick_on_the_cpu(submission: Any, rng: Rng) -> None:
    inputs = [(None, dtype) for dtype in (*HALF, *OTHERS)] + [(capability(rng, 8), HALF[0])]
    verify(submission.pick_backend, inputs, pick, PICK_KNOWN, "pick_backend")


@case(part="resolve", points=9)
def test_resolve_auto(submission: Any, rng: Rng) -> None:
    cards = [None, *(capability(rng, major) for major in CARDS)]
    resolve_all(submission, [("auto", card, dtype) for card in cards for dtype in (*HALF, *OTHERS)])


@case(part="resolve", points=9)
def test_resolve_names_and_pairs(submission: Any, rng: Rng) -> None:
    """What the user asked for is created as asked, on whatever card, and on the CPU too."""
    choices = [*NAMES, *(f"{a},{b}" for a in NAMES for b in NAMES)]
    cards = [None, *(capability(rng, major) for major in (8, 9))]
    resolve_all(submission, [(choice, card, rng.pick(HALF)) for choice in choices for card in cards])


@case(part="resolve", points=8)
def test_resolve_without_kernels(submission: Any, rng: Rng) -> None:
    """A dtype that the kernels are not built for: torch, whatever was asked for."""
    choices = ["auto", *NAMES, *(f"{a},{b}" for a in NAMES for b in NAMES)]
    resolve_all(submission, [(choice, capability(rng, 9), dtype) for choice in choices for dtype in OTHERS])


@case(part="resolve", points=8)
def test_resolve_unknown_names(submission: Any, rng: Rng) -> None:
    wrong = ["", ",", "fi,", ",fa", "flashinfer", "fa;fi", "auto,fi", "fa,auto", "fi,fa,fi", "fa,fi,",
             "fa, fi", " fi", "FA", "Torch,fi", "fi,torch2"]  # fmt: skip
    resolve_all(
        submission,
        [(choice, capability(rng, 9), dtype) for choice in wrong for dtype in (HALF[0], OTHERS[0])],
    )


@case(part="resolve", points=8)
def test_resolve_error_names_the_choices(submission: Any, rng: Rng) -> None:
    name = rng.pick(["cutlass", "xformers", "flex"])
    for choice in (name, f"fi,{name}"):
        try:
            got = submission.resolve_backend(choice, capability(rng, 9), torch.float16)
        except ValueError as error:
            said = str(error)
            missing = [one for one in (name, "auto", *NAMES) if one not in said]
            check.that(not missing, mistake="message-without-choices", field="message", got=said)
        else:
            check.equal(got, "ValueError", field="resolve_backend", mistake="unknown-accepted")
