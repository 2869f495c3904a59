"""What submissions return, end to end: each bad value is named, and the cell goes on."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from sandbox.contract import BadValue
from sandbox.proxy import Handle

Submit = Callable[..., Any]

BAD = {
    "numpy.zeros(2)": ("numpy", "ndarray"),
    "numpy.float32(1)": ("numpy", "float32"),
    "cyclic()": ("cyclic", "list"),
    "deep()": ("too-deep", "list"),
    "list(range(200_000))": ("too-big", ""),
    "wide()": ("too-big", ""),
    "10 ** 1000": ("int", "int"),
    "{1, 2}": ("type", "set"),
    "{(1, 2): 3}": ("key", "tuple"),
    "torch": ("type", "module"),
    "torch.nn.Linear(1, 1)": ("type", "Linear"),
    "Sub([1])": ("subclass", "Sub"),
    "torch.zeros(1).expand(1 << 40)": ("too-big", ""),
    "torch.zeros(17 << 20)": ("too-big", ""),
    "[torch.zeros(1)] * 300": ("too-big", "Tensor"),
    "torch.eye(3).to_sparse()": ("sparse", "Tensor"),
    "torch.quantize_per_tensor(torch.zeros(2), 1.0, 0, torch.qint8)": ("quantised", "Tensor"),
    "torch.nested.nested_tensor([torch.zeros(1), torch.zeros(2)])": ("nested", "Tensor"),
    "torch.zeros(2).as_subclass(Mine)": ("subclass", "Mine"),
    "escaped()": ("wrapped", "Tensor"),
}
SOURCE = """
    import math, warnings
    import numpy, torch
    warnings.simplefilter("ignore")
    class Sub(list):
        def __len__(self): raise SystemExit
    class Mine(torch.Tensor): pass
    def cyclic():
        x = []
        x.append(x)
        return x
    def deep():
        x = []
        for _ in range(5000): x = [x]
        return x
    def wide():
        x = [1] * 10
        for _ in range(10): x = [x] * 10
        return x
    def escaped():
        seen = []
        torch.vmap(lambda row: (seen.append(row), row)[1])(torch.zeros(3, 2))
        return seen
    def endless():
        while True: yield 1
    def f(text): return eval(text)
"""


@pytest.mark.parametrize("text", list(BAD))
def test_a_bad_value_is_named(submit: Submit, text: str) -> None:
    submission = submit(SOURCE, "f")
    with pytest.raises(BadValue) as caught:
        submission.f(text)
    assert (caught.value.kind, caught.value.type_name) == BAD[text]
    assert submission.f("1 + 1") == 2


def test_odd_values_that_may_cross(submit: Submit) -> None:
    submission = submit(SOURCE, "f")
    assert submission.f("'\\ud800\\0x'") == "\\ud800x"
    assert math.isnan(submission.f("float('nan')"))
    values, indices = submission.f("torch.tensor([[3.0, 4.0]]).max(dim=1)")
    assert (values.tolist(), indices.tolist()) == ([4], [1])
    assert submission.f("torch.empty(1 << 40, device='meta')").shape == (1 << 40,)
    assert isinstance(submission.f("endless()"), Handle)
    assert submission.f("torch.nn.Linear(2, 1).state_dict()")["weight"].shape == (1, 2)


def test_an_argument_changed_in_the_cell_stays_the_same_here(submit: Submit) -> None:
    tensor = torch.zeros(3)
    submit("def f(x):\n    x.fill_(7)\n    return x", "f").f(tensor)
    assert tensor.tolist() == [0, 0, 0]
