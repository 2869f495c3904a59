"""Hidden cases: random operations against the model, then what was made to see one mistake."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng
from judge.grading.stateful import Run, generate

from .pages import Pages, drawer
from .playing import Config, config_of, count, play


def random_runs(rng: Rng, config: Config, runs: int, steps: int, *, lazy: bool = False) -> list[Run]:
    """Runs of random operations, each for an allocator of its own."""
    return [generate(lambda: Pages(**config), steps, drawer(rng, lazy=lazy)) for _ in range(runs)]


@case(part="count", points=8)
@pytest.mark.parametrize("page_size", [1, 7])
def test_count(submission: Any, rng: Rng, page_size: int) -> None:
    starts = [int(start) for start in rng.integers(0, 40, 12)]
    spans = [(start, start + int(more)) for start, more in zip(starts, rng.integers(1, 30, 12), strict=True)]
    count(submission, spans, page_size)


@case(part="allocate", points=4)
@pytest.mark.parametrize("page_size", [1, 4, 3])
def test_allocate_random(submission: Any, rng: Rng, page_size: int) -> None:
    config = config_of(13, page_size, 5, 8 * page_size)
    play(submission, config, random_runs(rng, config, 8, 20))


@case(part="allocate", points=4)
def test_allocate_one_long_run(submission: Any, rng: Rng) -> None:
    config = config_of(40, 5, 9, 60)
    play(submission, config, random_runs(rng, config, 1, 120))


@case(part="allocate", points=5)
def test_allocate_the_last_page(submission: Any, rng: Rng) -> None:
    """Everything is given out, to the last page, then comes back."""
    size = int(rng.integers(5, 9))
    fill = [{"op": "allocate", "reqs": [[1, 0, 3 * size], [0, 0, 2 * size - 1]]}]
    back = [
        {"op": "free", "row": 1, "start": 0, "end": 3 * size},
        {"op": "allocate", "reqs": [[2, 0, 2 * size + 1]]},
    ]
    play(submission, config_of(5, size, 3, 4 * size), [fill + back])


@case(part="allocate", points=5)
def test_allocate_too_few_pages(submission: Any, rng: Rng) -> None:
    """The second of three requests finds too few pages: nothing at all may have changed."""
    size = int(rng.integers(5, 9))
    asked = {"op": "allocate", "reqs": [[3, 0, 2 * size], [1, 0, 4 * size], [0, 0, 1]]}
    smaller = {"op": "allocate", "reqs": [[1, 0, 4 * size], [3, 0, size]]}
    play(submission, config_of(5, size, 4, 4 * size), [[asked, smaller]])


@case(part="allocate", points=4, means={"RE": "row-overrun"})
def test_allocate_a_row_that_ends_within_a_page(submission: Any, rng: Rng) -> None:
    size = int(rng.integers(4, 7))
    config = config_of(12, size, 4, 3 * size + 2)
    play(submission, config, random_runs(rng, config, 8, 16))


@case(part="allocate", points=4)
def test_allocate_out_loc_is_a_copy(submission: Any, rng: Rng) -> None:
    size = int(rng.integers(5, 9))
    config = config_of(4, size, 3, 3 * size)
    reqs = [[2, 0, 2 * size], [0, 0, size + 1]]
    for asked in ([[2, 1, size]], [[2, size, 2 * size], [0, 1, 2]]):
        model = Pages(**config)
        model.allocate(reqs)
        want = torch.tensor(model.out_loc(asked)[1], dtype=torch.int32)
        got = submission.harness.out_loc_then_overwrite(config, reqs, asked, -77)
        check.tensor(got, like=want, field="out_loc", mistake="out-loc-is-a-view", dtype="out-loc-dtype")


@case(part="allocate", points=4)
def test_allocate_leaves_the_list_alone(submission: Any, rng: Rng) -> None:
    reqs = [(2, 0, int(rng.integers(10, 20))), (0, 0, 5), (1, 0, 7)]
    config = config_of(12, 5, 3, 24)
    model = Pages(**config)
    model.allocate([list(req) for req in reqs])
    table, after = submission.harness.allocate_and_show(config, reqs)
    check.equal(after, reqs, field="reqs", mistake="requests-changed")
    want = torch.tensor(model.table, dtype=torch.int32)
    check.tensor(table, like=want, field="page_table", mistake="table-wrong")


@case(part="allocate", points=6, means={"TLE": "python-loop"})
def test_allocate_a_million_tokens(submission: Any, rng: Rng) -> None:
    rows, width, size = 256, 4096, 16
    order = [int(row) for row in rng.permutation(rows)]
    config = config_of(rows * width // size, size, rows, width)
    got = submission.harness.fill(config, [[row, 0, width] for row in order])
    want = torch.empty(rows, width, dtype=torch.int32)
    want[order] = torch.arange(rows * width, dtype=torch.int32).view(rows, width)
    check.tensor(got, like=want, field="page_table", mistake="table-wrong")


@case(part="lazy", points=5)
@pytest.mark.parametrize("page_size", [1, 4])
def test_lazy_random(submission: Any, rng: Rng, page_size: int) -> None:
    config = config_of(9, page_size, 4, 8 * page_size)
    play(submission, config, random_runs(rng, config, 8, 22, lazy=True))


@case(part="lazy", points=4)
def test_lazy_without_anything_freed(submission: Any, rng: Rng) -> None:
    size = int(rng.integers(5, 9))
    run: Run = [{"op": "enter"}, {"op": "allocate", "reqs": [[1, 0, size + 1]]}, {"op": "leave"}]
    play(
        submission, config_of(4, size, 3, 4 * size), [run, [{"op": "enter"}, {"op": "leave_by_error"}, *run]]
    )


@case(part="lazy", points=6)
def test_lazy_exception(submission: Any, rng: Rng) -> None:
    """An exception ends the region: the pages come back, and the exception goes on."""
    size = int(rng.integers(5, 9))
    run: Run = [
        {"op": "allocate", "reqs": [[0, 0, 2 * size]]},
        {"op": "enter"},
        {"op": "free", "row": 0, "start": size, "end": 2 * size},
        {"op": "leave_by_error"},
        {"op": "allocate", "reqs": [[1, 0, 2 * size]]},
    ]
    play(submission, config_of(3, size, 3, 4 * size), [run])


@case(part="lazy", points=6)
def test_lazy_nested(submission: Any, rng: Rng) -> None:
    """Only the end of the outermost region makes pages available, those freed before and within the inner one."""
    size = int(rng.integers(5, 9))
    run: Run = [
        {"op": "allocate", "reqs": [[0, 0, 3 * size]]},
        {"op": "enter"},
        {"op": "free", "row": 0, "start": 2 * size, "end": 3 * size},
        {"op": "enter"},
        {"op": "free", "row": 0, "start": size, "end": 2 * size},
        {"op": "leave"},
        {"op": "free", "row": 0, "start": 0, "end": size},
        {"op": "leave"},
        {"op": "allocate", "reqs": [[2, 0, 3 * size]]},
    ]
    play(submission, config_of(3, size, 3, 4 * size), [run])
