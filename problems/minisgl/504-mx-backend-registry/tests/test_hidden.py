"""Hidden cases with fresh names for each judgement. Those made for one mistake say which by ``because``."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from . import registry
from .registry import Op, words


@case(part="registry", points=4)
def test_two_registries(submission: Any, rng: Rng) -> None:
    """What is filed in one is not in the other."""
    kinds, (first, second) = words(rng, 2, 9), words(rng, 2)
    ops: list[Op] = [
        [0, "register", first, "one"],
        [1, "names"],
        [1, "register", first, "two"],
        [1, "register", second, "three"],
        [0, "names"],
        [0, "get", first],
        [1, "get", first],
        [0, "supported", first],
    ]
    registry.run(submission, kinds, ops, because="shared-between-registries")


@case(part="registry", points=3)
def test_new_registry(submission: Any, rng: Rng) -> None:
    """Nothing is filed yet: the errors still say what they can."""
    ops: list[Op] = [[0, "names"], [0, "get", words(rng, 1)[0]], [0, "supported", words(rng, 1)[0]]]
    registry.run(submission, words(rng, 1, 9), ops)


@case(part="registry", points=4)
def test_name_taken(submission: Any, rng: Rng) -> None:
    """The first keeps the name, and the error comes before anything is decorated."""
    first, second = words(rng, 2)
    ops: list[Op] = [
        [0, "register", first, "one"],
        [0, "register", second, "two"],
        [0, "begin", first],
        [0, "register", first, "three"],
        [0, "get", first],
        [0, "names"],
        [0, "register", second, "two"],
    ]
    registry.run(submission, words(rng, 1, 9), ops)


@case(part="registry", points=3)
def test_begun_but_not_filed(submission: Any, rng: Rng) -> None:
    """``register(name)`` alone files nothing."""
    first, second = words(rng, 2)
    ops: list[Op] = [
        [0, "begin", first],
        [0, "names"],
        [0, "supported", first],
        [0, "register", second, "two"],
        [0, "register", first, "one"],
        [0, "names"],
        [0, "get", first],
    ]
    registry.run(submission, words(rng, 1, 9), ops, because="filed-too-early")


@case(part="registry", points=4)
def test_false_objects(submission: Any, rng: Rng) -> None:
    """Objects that count as false are there like any other."""
    first, second = words(rng, 2)
    ops: list[Op] = [
        [0, "register", first, "falsy one"],
        [0, "register", first, "two"],
        [0, "get", first],
        [0, "supported", first],
        [0, "register", second, "falsy two"],
        [0, "get", second],
        [0, "names"],
    ]
    registry.run(submission, words(rng, 1, 9), ops, because="truth-of-the-object")


@case(part="registry", points=4)
def test_names_in_order(submission: Any, rng: Rng) -> None:
    """Many names, in the order in which they came; what is done to a list that was returned stays outside."""
    names = words(rng, 12)
    ops: list[Op] = [[0, "register", name, f"item {i}"] for i, name in enumerate(names)]
    ops += [[0, "names"], [0, "supported", names[0]]]
    registry.run(submission, words(rng, 1, 9), ops)
    ops += [[0, "change-names", "intruder"], [0, "names"], [0, "supported", "intruder"]]
    registry.run(submission, words(rng, 1, 9), ops, because="names-shared")


@case(part="registry", points=3)
def test_case_matters(submission: Any, rng: Rng) -> None:
    name = words(rng, 1)[0]
    ops: list[Op] = [
        [0, "register", name, "one"],
        [0, "supported", name.upper()],
        [0, "register", name.title(), "two"],
        [0, "get", name],
        [0, "get", name.title()],
        [0, "supported", f" {name}"],
        [0, "names"],
    ]
    registry.run(submission, words(rng, 1, 9), ops, because="name-changed")


@case(part="registry", points=4)
def test_one_object_many_names(submission: Any, rng: Rng) -> None:
    names = words(rng, 4)
    ops: list[Op] = [[0, "register", *names, "one"], [0, "names"], *([0, "get", name] for name in names)]
    registry.run(submission, words(rng, 1, 9), ops)


@case(part="registry", points=7)
def test_long_random_run(submission: Any, rng: Rng) -> None:
    """Two registries, few names, and everything in any order."""
    names = words(rng, 6)
    ops: list[Op] = []
    for number in range(80):
        which, name = int(rng.integers(2)), rng.pick(names)
        made: list[Op] = [
            [which, "register", name, f"item {number}"],
            [which, "get", name],
            [which, "supported", name],
            [which, "names"],
            [which, "begin", name],
        ]
        ops.append(rng.pick(made))
    registry.run(submission, words(rng, 2, 9), ops)


# --- validate_backend ---


@case(part="validate", points=4)
def test_validate_valid(submission: Any, rng: Rng) -> None:
    names = words(rng, 5)
    for allow_auto in (False, True):
        for name in names:
            registry.verify_choice(submission, names, name, allow_auto, "name-refused")
        pair = f"{names[0]},{names[3]}"
        registry.verify_choice(submission, names, pair, allow_auto, "pair-refused")
        registry.verify_choice(submission, names, f"{names[2]},{names[2]}", allow_auto, "equal-pair-refused")


@case(part="validate", points=5)
def test_validate_unknown(submission: Any, rng: Rng) -> None:
    *names, typo, other = words(rng, 5)
    for allow_auto in (False, True):
        for text, mistake in (
            (typo, "unknown-accepted"),
            (f"{names[0]},{typo}", "second-half-accepted"),
            (f"{typo},{names[0]}", "first-half-accepted"),
            (f"{typo},{other}", "first-half-accepted"),
            (names[0].upper(), "text-changed"),
            (f" {names[0]}", "text-changed"),
            (f"{names[0]}, {names[1]}", "text-changed"),
        ):
            registry.verify_choice(submission, names, text, allow_auto, mistake)


@case(part="validate", points=4)
def test_validate_commas(submission: Any, rng: Rng) -> None:
    """Places left empty beside a comma, and more names than two."""
    names = words(rng, 4)
    for text, mistake in (
        ("", "empty-accepted"),
        (",", "empty-accepted"),
        (f"{names[0]},", "empty-accepted"),
        (f",{names[0]}", "empty-accepted"),
        (f"{names[0]},{names[1]},{names[2]}", "three-accepted"),
        (f"{names[0]},{names[1]},", "three-accepted"),
        (f"{names[0]},,{names[1]}", "three-accepted"),
    ):
        registry.verify_choice(submission, names, text, False, mistake)
    registry.verify_choice(submission, names, f"{names[0]},{names[3]}", False, "pair-refused")


@case(part="validate", points=4)
def test_validate_auto(submission: Any, rng: Rng) -> None:
    names = words(rng, 3)
    for text, allow_auto, mistake in (
        ("auto", True, "auto-refused"),
        ("auto", False, "auto-accepted"),
        (f"auto,{names[0]}", True, "auto-in-a-pair"),
        (f"{names[0]},auto", True, "auto-in-a-pair"),
        ("auto,auto", True, "auto-in-a-pair"),
        ("AUTO", True, "text-changed"),
        (names[1], True, "name-refused"),
    ):
        registry.verify_choice(submission, names, text, allow_auto, mistake)
    registry.verify_choice(submission, [*names, "auto"], "auto", False, "auto-is-a-name")
