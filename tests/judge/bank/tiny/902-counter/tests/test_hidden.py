import pytest

from judge.grading.author import case, check, wrong


@case(part="total", points=1)
@pytest.mark.parametrize("size", [pytest.param(1, id="one"), pytest.param(40, id="many")])
def test_total_n(submission, rng, size):
    values = [int(v) for v in rng.integers(0, 100, size)]
    check.equal(submission.harness.total_of(values)["sum"], sum(values), field="sum", mistake="total-value")


@case(part="total", points=1)
def test_fill_harness(submission):
    got = submission.harness.total_of([3, 1, 2])
    unchanged = got["after"] == [3, 1, 2]
    check.that(unchanged, mistake="fill-input", field="values", got=got["after"], want=[3, 1, 2])


@case(part="fill", points=4)
def test_fill_raises(submission):
    check.equal(submission.fill(2), [2, 2], field="out", mistake="total-value")
    try:
        submission.fill(-1)
    except ValueError:
        return
    wrong("fill-negative", field="out")
