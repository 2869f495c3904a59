"""Pictures as numbers, the sentence that says the same, and the learner's own attention map."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from judge.grading import after
from judge.grading.attention_map import NoMap, Probe
from judge.grading.author import Wrong, check, tolerances
from judge.grading.disclose import disclose_case
from judge.grading.notes import Notes, here
from judge.grading.pictures import TENSOR_ROWS_MAX, picture
from judge.problem_fields import Tolerance
from judge.words import words
from judge.words.pictures import all_described, described

STARTS, LENGTHS = [0, 6, 9, 10], [6, 7, 9]
SLOTS = [[0, 1, 2, 3, 4, 5], [40, 41, 42, 43, 20, 21, 22], list(range(50, 59))]


@pytest.fixture(autouse=True)
def board() -> Iterator[None]:
    with Notes().taken():
        yield


def drawn() -> list[dict[str, Any]]:
    """The pictures asked for so far, as a report would store them."""
    faults: list[str] = []
    found = after.drawn(here().pictures, faults.append)
    assert faults == []
    again: list[dict[str, Any]] = json.loads(json.dumps(found, allow_nan=False))
    return again


def said(one: dict[str, Any], lang: str = "en") -> str:
    text: str = described(one, words(lang))["sentence"]
    return text


def attend(q: torch.Tensor, v_pool: torch.Tensor, offset: int | None = None, heads: int = 2) -> torch.Tensor:
    """Causal attention with keys of all ones; ``offset`` 0 aligns the mask to the top left."""
    out = torch.zeros_like(q)
    for i, slots in enumerate(SLOTS):
        begin, end = STARTS[i], STARTS[i + 1]
        n, length = end - begin, len(slots)
        shift = length - n if offset is None else offset
        visible = torch.arange(length) <= torch.arange(n)[:, None] + shift
        weights = visible / visible.sum(-1, keepdim=True)
        out[begin:end] = torch.einsum("nl,lhd->nhd", weights, v_pool[slots])
    return out


def probe(forward: Any, v_pool: torch.Tensor | None = None) -> Probe:
    pool = torch.randn(64, 2, 16) if v_pool is None else v_pool
    return Probe(forward, attend, torch.randn(10, 2, 16), pool, STARTS, SLOTS, 3)


def test_a_mask_in_the_top_left_is_told_row_by_row() -> None:
    found = probe(lambda q, v: attend(q, v, 0)).run()
    assert (found["what"], found["same"]) == ("sees", False)
    assert said(found) == (
        "Rows 6–8 (B) see keys 0, 0–1 and 0–2; they should see 0–4, 0–5 and 0–6, respectively. "
        "Row 9 (C) sees keys 0; it should see 0–8."
    )
    assert said(found, "zh").startswith("第 6–8 行（B）分别看见 key 0、0–1 和 0–2，应分别看见 0–4")
    assert [one["same"] for one in found["requests"]] == [True, False, False]


def test_a_right_map_is_said_to_be_right() -> None:
    found = probe(attend).run()
    assert (found["what"], found["same"]) == ("weights", True)
    assert "right keys" in said(found)


def test_wrong_weights_over_the_right_keys_name_the_worst() -> None:
    found = probe(lambda q, v: attend(q, v) * 0.5).run()
    assert found["what"] == "weights" and not found["same"]
    assert "row 0 (A, head 0), key 0 has weight 0.5; it should be 1" in said(found)
    assert "sum to 0.5" in said(found)


def test_slots_of_others_are_seen() -> None:
    found = probe(lambda q, v: attend(q, v.roll(-7, 0))).run()
    assert "of other requests" in said(found)


def test_nan_rows_are_named() -> None:
    def ill(q: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        out = attend(q, v)
        out[7:9] = torch.nan
        return out

    found = probe(ill).run()
    assert said(found) == "Rows 7–8 (B) contain NaN or Inf."
    json.dumps(found, allow_nan=False)


def test_an_output_that_is_not_made_of_values_is_told_as_that() -> None:
    found = probe(lambda q, v: attend(q, torch.ones_like(v))).run()
    assert found["what"] == "values"
    assert "v_pool all zero" in said(found)


@pytest.mark.parametrize("forward", [lambda q, v: None, lambda q, v: attend(q, v).flatten(1)])
def test_what_is_no_output_gives_no_map(forward: Any) -> None:
    with pytest.raises(NoMap):
        probe(forward).run()


def test_too_large_a_pool_is_not_probed() -> None:
    with pytest.raises(NoMap):
        probe(attend, torch.zeros(4096, 2, 16)).run()


def test_rows_name_whose_they_are_and_where_the_learners_differ() -> None:
    picture.rows(torch.tensor(STARTS), got=torch.tensor([0, 6, 12, 13]), real=2)
    picture.rows(STARTS, got=torch.tensor(STARTS))
    wrong, right = drawn()
    assert (
        said(wrong)
        == "B has rows 6–8; by your numbers it has 6–11. dummy 1 has rows 9; by your numbers it has 12."
    )
    assert said(right) == "Query rows: A: 0–5, B: 6–8, C: 9."


def test_a_page_table_tells_slots_and_wrong_cells() -> None:
    table = torch.zeros(3, 9, dtype=torch.int32)
    for row, slots in zip(table, SLOTS, strict=True):
        row[: len(slots)] = torch.tensor(slots)
    wrong = table.clone()
    wrong[1, 4:6] = 7
    picture.page_table(table, LENGTHS, slots=64, cached=[0, 4, 8])
    picture.page_table(table, LENGTHS, slots=64, got=wrong)
    differs, plain = drawn()
    assert said(differs) == "Row 1 (B): cells 4–5 hold 7, 7; they should hold 20, 21."
    assert "B: slots 40–43, 20–22; the first 4 from the prefix cache." in said(plain)


def test_a_mask_tells_what_each_row_must_see() -> None:
    picture.mask(STARTS, LENGTHS)
    assert "B: rows 6–8 see keys 0–4, 0–5 and 0–6, respectively." in said(drawn()[0])


def test_a_mask_is_left_out_beside_the_learners_map() -> None:
    picture.mask(STARTS, LENGTHS)
    found = after.in_order([*drawn(), probe(attend).run()])
    assert [one["kind"] for one in found] == ["attention"]


def test_wrong_values_are_pictured_at_the_worst_place() -> None:
    want = torch.zeros(40, 6, 3)
    got = want.clone()
    got[30:32, 2, 1] = torch.tensor([5.0, float("nan")])
    with tolerances({"float32": Tolerance(1e-5, 1e-5)}), pytest.raises(Wrong):
        check.tensor(got, like=want, field="out", mistake="m", axes=(0, 1))
    (one,) = drawn()
    assert (one["at"], one["axes"], one["bad_rows"], one["bad_columns"]) == (
        [None, None, 1],
        [0, 1],
        [30, 31],
        [2],
    )
    top = one["origin"][0]
    assert one["got"][31 - top][2] == "nan" and one["bad"][30 - top][2] == 1
    assert len(one["got"]) <= TENSOR_ROWS_MAX
    assert said(one) == "Wrong along axis 0 at 30–31, along axis 1 at 2."


@pytest.mark.parametrize("shape", [(), (5,), (4, 300), (2, 3, 4, 5)])
def test_tensors_of_any_rank_are_drawn(shape: tuple[int, ...]) -> None:
    want = torch.zeros(shape)
    picture.tensor(want + 1, want, field="x")
    (one,) = drawn()
    assert said(one) and said(one, "zh")


def test_pictures_stay_small() -> None:
    picture.rows(range(5000))
    picture.page_table(torch.zeros(4000, 4000, dtype=torch.int32), [4000] * 4000, slots=1 << 30)
    picture.mask(range(0, 9000, 3), [5] * 2999)
    picture.tensor(torch.ones(900, 900), torch.zeros(900, 900))
    found = drawn()
    assert len(found) == 4 and len(json.dumps(found)) < 32_000
    assert all(said(one) for one in found)


def test_a_broken_picture_costs_nothing_but_itself() -> None:
    faults: list[str] = []
    picture.page_table("no table", LENGTHS, slots=64)  # type: ignore[arg-type]
    picture.rows(STARTS)
    assert [one["kind"] for one in after.drawn(here().pictures, faults.append)] == ["rows"]
    assert len(faults) == 1


def test_a_picture_that_cannot_be_read_is_left_out() -> None:
    picture.rows(STARTS)
    odd: list[Any] = [{"kind": "other"}, {"kind": "rows"}, {"kind": "tensor", "shape": 3}, 7, *drawn()]
    assert [one["kind"] for one in all_described(odd, words("en"))] == ["rows"]


def test_pictures_of_hidden_cases_are_shown_at_level_full_alone() -> None:
    case = {
        **dict.fromkeys(("name", "part", "verdict", "mistake"), ""),
        **dict.fromkeys(("points", "max_points", "time_s", "memory_mib"), 0),
        "group": "hidden",
        "ran": True,
        "facts": {},
        "detail": {"repro": {}},
        "pictures": [{"kind": "rows"}],
    }
    for level in ("verdict", "diagnosis"):
        shown = disclose_case(case, level)  # type: ignore[arg-type]
        assert "pictures" not in shown and shown["detail"] == {}
    assert disclose_case(case, "full")["pictures"] == case["pictures"]
    assert disclose_case({**case, "group": "example"}, "verdict")["pictures"] == case["pictures"]
