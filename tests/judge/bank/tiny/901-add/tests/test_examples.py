import torch

from judge.grading.author import case, check


@case(part="add", points=1)
def test_add_small(submission):
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
    known = {"add-subtracts": lambda: a - b}
    check.tensor(submission.add(a, b), like=a + b, field="out", mistake="add-values", known=known)
