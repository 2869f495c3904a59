import torch

from judge.grading.author import case, check


@case(part="scale", points=1)
def test_scale_small(submission):
    x = torch.tensor([1.0, 2.0])
    known = {"no-one": lambda: x * 3, "divided": lambda: x / 3 + 1}
    check.tensor(submission.scale(x, 3.0), like=x * 3 + 1, field="out", mistake="values", known=known)
