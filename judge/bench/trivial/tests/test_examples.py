import torch

from judge.grading.author import case, check


@case(part="add", points=1)
def test_add_small(submission):
    got = submission.add(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    check.tensor(got, like=torch.tensor([4.0, 6.0]), field="out", mistake="add-values")
