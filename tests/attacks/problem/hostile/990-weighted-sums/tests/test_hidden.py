from weights import Weigh, answer

from judge.grading.author import case, check


@case(part="weighted", points=2)
def test_weighted_twice(submission, rng):
    rows, others = rng.tensor(5, 3), rng.tensor(5, 3)
    weigh = Weigh([float(weight) for weight in rng.standard_normal(5)])
    got = submission.harness.twice(rows, others, weigh)
    check.keys(got, {"first", "kept", "second", "after"}, mistake="weighted-values")
    check.tensor(got["first"], like=answer(rows, weigh.weights), field="first", mistake="weighted-values")
    check.tensor(got["second"], like=answer(others, weigh.weights), field="second", mistake="weighted-values")
    check.tensor(got["kept"], like=rows, field="kept", mistake="weighted-input")
    check.tensor(got["after"], like=others, field="after", mistake="weighted-input")
    check.equal(weigh.asked, [*range(5), *range(5)], field="asked", mistake="weighted-asked")
