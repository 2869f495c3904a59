"""Comparing values: which aspect differs, where, and that facts never hold a value."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import numpy as np
import pytest
import torch

from judge.grading.compare import EXACT, compare_exactly, compare_tensors, same_values, tolerance_for
from judge.grading.seeds import cell_seed, rng_for, settle
from judge.grading.shown import clean, describe, number
from judge.problem_fields import Tolerance

LOOSE = Tolerance(1e-5, 2e-5)
NAN, INF = math.nan, math.inf


def aspects(got: object, want: torch.Tensor, tolerance: Tolerance = EXACT, **more: Any) -> tuple[str, ...]:
    difference = compare_tensors(got, want, tolerance, **more)
    return () if difference is None else difference.aspects


def test_a_right_tensor_differs_in_nothing() -> None:
    want = torch.arange(6, dtype=torch.int32).reshape(2, 3)
    assert aspects(want.clone(), want) == ()
    assert aspects(torch.empty(0, 3), torch.empty(0, 3), LOOSE) == ()


@pytest.mark.parametrize("got", [None, 3, [1, 2], {"a": 1}, object()])
def test_what_is_no_tensor_differs_in_type_alone(got: object) -> None:
    assert aspects(got, torch.tensor([1, 2])) == ("type",)


def test_aspects_come_in_order_of_importance() -> None:
    want = torch.tensor([1, 2], dtype=torch.int32)
    assert aspects(torch.tensor([1, 2]), want) == ("dtype",)
    assert aspects(torch.tensor([1, 3]), want) == ("dtype", "values")
    assert aspects(torch.tensor([1, 2, 3]), want) == ("dtype", "shape")
    assert aspects(want.clone(), want, contiguous=False) == ("contiguous",)
    assert aspects(torch.empty(2, dtype=torch.int32, device="meta"), want) == ("device",)


def test_a_meta_tensor_is_compared_by_form_alone() -> None:
    want = torch.empty(2, 3, device="meta")
    assert aspects(torch.empty(2, 3, device="meta"), want, LOOSE) == ()
    assert aspects(torch.empty(3, 2, device="meta"), want, LOOSE) == ("shape",)


@pytest.mark.parametrize(
    ("got", "want", "right"),
    [
        (1.00001, 1.0, True),
        (1.001, 1.0, False),
        (NAN, 1.0, False),
        (1.0, NAN, False),
        (NAN, NAN, True),
        (INF, INF, True),
        (-INF, INF, False),
        (1.0, INF, False),
        (INF, 1.0, False),
        (-0.0, 0.0, True),
    ],
)
def test_each_number_is_right_within_the_tolerance_alone(got: float, want: float, right: bool) -> None:
    found = aspects(torch.tensor([0.0, got]), torch.tensor([0.0, want]), LOOSE)
    assert (found == ()) is right


def test_half_precision_is_compared_without_losing_digits() -> None:
    want = torch.full((4,), 1000.0, dtype=torch.float16)
    assert aspects(want + 1, want, Tolerance(0.5, 0.0)) == ("values",)
    assert aspects(want + 1, want, Tolerance(1.5, 0.0)) == ()


def test_facts_say_how_much_and_where_and_hold_no_value() -> None:
    want = torch.zeros(2, 4)
    got = want.clone()
    got[0, 3], got[1, 1], got[1, 2] = 7.25, 913.5, NAN
    difference = compare_tensors(got, want, LOOSE)
    assert difference is not None
    told = difference.facts["values"]
    assert (told["bad_count"], told["size"], told["bad_share"]) == (3, 8, 0.375)
    assert (told["first_bad"], told["worst"], told["first_nan"]) == ([0, 3], [1, 1], [1, 2])
    assert "913.5" not in json.dumps(difference.facts) and "7.25" not in json.dumps(difference.facts)
    assert difference.detail["worst"] == {"index": [1, 1], "got": 913.5, "want": 0.0}


def test_a_difference_of_nan_alone_still_has_a_place() -> None:
    difference = compare_tensors(torch.tensor([0.0, NAN]), torch.zeros(2), LOOSE)
    assert difference is not None and difference.facts["values"]["worst"] == [1]
    assert json.loads(json.dumps(difference.detail, allow_nan=False))["first"]["got"] == "nan"


def test_scalars_and_booleans_and_complex_numbers_compare() -> None:
    assert aspects(torch.tensor(3.5), torch.tensor(2.5), LOOSE) == ("values",)
    assert aspects(torch.tensor([True, False]), torch.tensor([True, True])) == ("values",)
    assert aspects(torch.tensor([1 + 2j]), torch.tensor([1 - 2j]), LOOSE) == ("values",)
    assert aspects(torch.tensor([1 + 2j]), torch.tensor([1 + 2j]), LOOSE) == ()


def test_large_integers_are_exact() -> None:
    want = torch.tensor([2**53])
    assert aspects(want + 1, want) == ("values",)


def test_same_values_looks_past_the_dtype() -> None:
    assert same_values(torch.tensor([1, 2]), torch.tensor([1, 2], dtype=torch.int32), EXACT)
    assert not same_values(torch.tensor([1, 2]), torch.tensor([[1, 2]]), EXACT)
    assert not same_values([1, 2], torch.tensor([1, 2]), EXACT)


@pytest.mark.parametrize("name", ["bits8", "int4", "float4_e2m1fn_x2"])
def test_a_dtype_that_torch_can_only_hold_differs_in_dtype_and_can_be_shown(name: str) -> None:
    dtype = getattr(torch, name, None)
    if dtype is None:
        pytest.skip(f"this torch has no {name}")
    got = torch.zeros(2, dtype=torch.uint8).view(dtype) if name == "bits8" else _empty(dtype)
    want = torch.zeros(got.shape)
    difference = compare_tensors(got, want, EXACT)
    assert difference is not None and difference.aspects == ("dtype",)
    assert name in difference.detail["got"] and not same_values(got, want, EXACT)


def _empty(dtype: torch.dtype) -> torch.Tensor:
    try:
        return torch.empty(2, dtype=dtype)
    except (RuntimeError, NotImplementedError) as error:
        pytest.skip(str(error))


def test_a_meta_tensor_has_the_values_of_nothing() -> None:
    assert not same_values(torch.empty(2, device="meta"), torch.zeros(2), EXACT)


def test_integers_are_exact_and_a_float_without_tolerance_is_the_problems_mistake() -> None:
    assert tolerance_for(torch.tensor([1]), {}) == EXACT
    assert tolerance_for(torch.tensor([1.0]), {"float32": LOOSE}) == LOOSE
    with pytest.raises(LookupError, match=r"\[tolerances\] has no float16"):
        tolerance_for(torch.tensor([1.0], dtype=torch.float16), {"float32": LOOSE})


@pytest.mark.parametrize(
    ("got", "want", "aspect", "at"),
    [
        (True, 1, "type", []),
        (1, 1.0, "type", []),
        ((1, 2), [1, 2], "type", []),
        ([1, 2], [1, 2, 3], "length", []),
        ([1, [2, 5]], [1, [2, 3]], "value", [1, 1]),
        ({"a": 1}, {"a": 1, "b": 2}, "keys", []),
        ({"a": 1, "b": 2}, {"a": 1}, "keys", []),
        ({"a": {"b": "x"}}, {"a": {"b": "y"}}, "value", ["'a'", "'b'"]),
        (0.1, 0.2, "value", []),
    ],
)
def test_plain_values_differ_by_aspect_and_place(
    got: object, want: object, aspect: str, at: list[Any]
) -> None:
    difference = compare_exactly(got, want)
    assert difference is not None
    assert difference.aspects == (aspect,) and difference.facts["at"] == at


@pytest.mark.parametrize("value", [None, True, 3, NAN, "x", [1, (2, {"a": None})], torch.float32])
def test_equal_plain_values_differ_in_nothing(value: object) -> None:
    assert compare_exactly(value, value) is None


def test_tensors_within_plain_values_are_refused_as_the_authors_mistake() -> None:
    with pytest.raises(TypeError, match=r"check\.tensor"):
        compare_exactly([torch.ones(1)], [torch.ones(1)])


def test_keys_that_a_learner_chose_are_no_facts() -> None:
    difference = compare_exactly({"a": 1, "leak-31415": 2}, {"a": 1})
    assert difference is not None
    assert "leak" not in json.dumps(difference.facts) and "leak" in difference.detail["got"]


def test_shown_values_are_short_plain_and_free_of_control_characters() -> None:
    assert describe(torch.tensor([[1, 2]], dtype=torch.int32)) == "tensor([[1, 2]], dtype=int32)"
    large = describe(torch.zeros(100, 100))
    assert large.startswith("tensor(shape=[100, 100], dtype=float32, [0, 0") and len(large) < 100
    assert len(describe([["x" * 50] * 1000] * 1000)) <= 2049
    assert "\x1b" not in describe("\x1b[31mred") and "\u202e" not in clean("\u202eabc")
    assert clean("\ud800") == "\ufffd"
    assert describe((1,)) == "(1,)" and describe({"a": [None, True]}) == "{'a': [None, True]}"


def test_a_value_is_shown_without_asking_its_class() -> None:
    class Loud:
        def __repr__(self) -> str:
            raise RuntimeError("asked")

    assert describe([Loud()]) == "[<object>]"


@pytest.mark.parametrize("value", [NAN, INF, 1e308, 10**400, 2**53, True, 1 + 2j])
def test_every_number_becomes_json(value: Any) -> None:
    assert len(json.dumps(number(value), allow_nan=False)) < 100


def test_what_a_case_draws_past_its_own_generator_is_the_same_each_time_too() -> None:
    def drawn(seed: str, case: str) -> tuple[float, float, float]:
        settle(seed, case)
        return float(torch.rand(())), random.random(), float(np.random.rand())

    first = drawn("seed", "a")
    assert drawn("seed", "a") == first
    for other in (drawn("seed", "b"), drawn("other", "a")):
        assert not set(other) & set(first)


def test_a_case_draws_the_same_wherever_it_runs_and_differs_from_its_neighbour() -> None:
    first = rng_for("seed", "a").tensor(4)
    assert torch.equal(first, rng_for("seed", "a").tensor(4))
    assert not torch.equal(first, rng_for("seed", "b").tensor(4))
    assert not torch.equal(first, rng_for("other", "a").tensor(4))
    assert 0 <= cell_seed("seed") < 1 << 63


def test_the_generator_fills_tensors_and_leaves_torchs_own_alone() -> None:
    before = torch.get_rng_state()
    rng = rng_for("seed", "a")
    assert rng.tensor(2, 3, dtype=torch.bfloat16, scale=2.0).shape == (2, 3)
    assert rng.tensor().dim() == 0
    drawn = rng.ints(3, 6, 1000)
    assert drawn.dtype == torch.int32 and set(drawn.tolist()) == {3, 4, 5}
    assert rng.pick("abc") in "abc"
    assert torch.equal(before, torch.get_rng_state())
