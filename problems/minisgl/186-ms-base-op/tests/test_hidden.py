"""Hidden cases: trees of all kinds, then what was made to see one mistake."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from .loading import accepted, others, refused
from .trees import block, flat, linear, op, ops, tree, value, verify, walk, weight


def some(rng: Rng) -> str:
    """A prefix that no other case has."""
    return f"model{int(rng.integers(10, 10**6))}"


@case(part="names", points=10)
def test_names_random(submission: Any, rng: Rng) -> None:
    for _ in range(6):
        verify(submission, op(model=tree(rng), head=linear(rng, 3, 2, bias=True)), some(rng))


@case(part="names", points=6)
def test_names_private(submission: Any, rng: Rng) -> None:
    """Private weights, operations and lists, each before something public."""
    told = op(
        _scratch=weight(rng.tensor(3)),
        _helper=linear(rng, 2, 2),
        _list=ops([linear(rng, 2, 2)]),
        a_=weight(rng.tensor(1)),
        __odd=weight(rng.tensor(1)),
        norm=linear(rng, 1, 1),
    )
    verify(submission, told, some(rng))


@case(part="names", points=6)
def test_names_twelve_layers(submission: Any, rng: Rng) -> None:
    verify(
        submission,
        op(layers=ops([linear(rng, 1, 1) for _ in range(12)]), norm=weight(rng.tensor(2))),
        some(rng),
    )


@case(part="names", points=6)
def test_names_lists_in_lists(submission: Any, rng: Rng) -> None:
    """Also an empty list, operations without weights, a list at the top."""
    told = ops(
        [ops([linear(rng, 1, 2), op()]), op(act=value("silu"), none=ops([])), linear(rng, 2, 1, bias=True)]
    )
    verify(submission, told, some(rng))
    verify(submission, op(experts=ops([told, told])), some(rng))


@case(part="names", points=5)
def test_names_prefix(submission: Any, rng: Rng) -> None:
    told = op(layers=ops([block(rng)]), scale=weight(rng.tensor()))
    for prefix in (some(rng), "a.b", "", None):
        verify(submission, told, prefix)


@case(part="names", points=5)
def test_names_meta(submission: Any, rng: Rng) -> None:
    """Weights on the meta device, as a model has them before it is loaded; they have no values to look at."""
    told = op(embed=weight(torch.empty(1 << 20, 64, device="meta")), norm=weight(rng.tensor(4)))
    verify(submission, told, some(rng))


@case(part="names", points=6)
def test_names_list_protocol(submission: Any, rng: Rng) -> None:
    """OPList takes any iterable, has a length, and can be gone through more than once."""
    count = int(rng.integers(3, 9))
    got = submission.harness.list_protocol(count)
    check.equal(got, [count, [True] * count, [True] * count], field="OPList", mistake="list-protocol")


@case(part="load", points=8)
def test_load_random(submission: Any, rng: Rng) -> None:
    for _ in range(6):
        told = op(model=tree(rng), head=linear(rng, 3, 2, bias=True))
        accepted(submission, told, others(rng, told))


@case(part="load", points=5, means={"TypeError": "dict-needed", "AttributeError": "dict-needed"})
def test_load_read_only(submission: Any, rng: Rng) -> None:
    """A Mapping that cannot be changed; a list at the top."""
    told = ops([block(rng) for _ in range(11)])
    accepted(submission, told, others(rng, told), frozen=True)


@case(part="load", points=7)
def test_load_missing(submission: Any, rng: Rng) -> None:
    """Without one, wherever it stands; then without two."""
    told = op(layers=ops([block(rng), block(rng)]), norm=weight(rng.tensor(2)))
    names = [name for name, _ in walk(told)]
    for name in (names[0], names[-1], rng.pick(names)):
        state = others(rng, told)
        del state[name]
        refused(submission, told, state, "KeyError", [name], "missing-accepted")


@case(part="load", points=7)
def test_load_unknown(submission: Any, rng: Rng) -> None:
    """A name that nobody has; the name of something private; a weight that is None."""
    told = op(layers=ops([block(rng), block(rng)]), head=linear(rng, 2, 2))
    for name in ("layers.2.norm_weight", "layers.0._cache", "head.bias", "layers"):
        state = {**others(rng, told), name: rng.tensor(3)}
        refused(submission, told, state, "KeyError", [name], "unknown-accepted")


@case(part="load", points=7)
def test_load_shape(submission: Any, rng: Rng) -> None:
    """As many numbers in another shape, or one that would broadcast."""
    told = op(a=linear(rng, 4, 2), layers=ops([linear(rng, 6, 3), linear(rng, 1, 3)]))
    for name, shape in (("layers.0.weight", (3, 6)), ("layers.1.weight", (3,)), ("a.weight", (2, 4))):
        state = {**others(rng, told), name: rng.tensor(*shape)}
        refused(submission, told, state, "ValueError", [name], "shape-accepted")


@case(part="load", points=6)
def test_load_dtype(submission: Any, rng: Rng) -> None:
    told = op(a=linear(rng, 4, 2), layers=ops([linear(rng, 6, 3), linear(rng, 1, 3)]))
    for name, dtype in (("layers.1.weight", torch.float16), ("a.weight", torch.int32)):
        state = others(rng, told)
        state[name] = state[name].to(dtype)
        refused(submission, told, state, "ValueError", [name], "dtype-accepted")


@case(part="load", points=5, means={"MLE": "load-allocates"})
def test_load_over_meta(submission: Any, rng: Rng) -> None:
    """A model on the meta device is given weights that would be 1 GiB if they were copied."""
    shape = (1 << 20, 64)
    told = op(**{name: weight(torch.empty(shape, device="meta")) for name in ("q", "k", "v", "o")})
    numbers = {name: rng.tensor(1, 1) for name in "qkvo"}
    got = submission.harness.load_expanded(flat(told), numbers, list(shape))
    check.equal(
        got, {name: float(number) for name, number in numbers.items()}, field="weights", mistake="not-loaded"
    )
