import torch
from weights import Weigh, answer

from judge.grading.author import case, check


@case(part="weighted", points=1)
def test_weighted_small(submission):
    rows = torch.tensor([[1.0, 2.0], [3.1, 4.2], [5.3, 6.7]])
    weigh = Weigh([2.25, -1.125, 0.3])
    got = submission.weighted(rows, weigh)
    check.tensor(got, like=answer(rows, weigh.weights), field="out", mistake="weighted-values")
    check.equal(weigh.asked, [0, 1, 2], field="asked", mistake="weighted-asked")
