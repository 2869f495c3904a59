"""A failing case as a plain Python file: values as source, and the file run by itself."""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import Any

import pytest
import torch

from judge import repro
from judge.grading.literal import NotWritable, source_of
from judge.grading.reproduce import Call, Compared, recorded
from judge.problem import Problem, load_problem
from judge.problem_fields import Tolerance
from sandbox.proxy import Handle

BANK = Path(__file__).parent / "bank" / "tiny"
ROOM = 1 << 20


def again(value: object) -> Any:
    """The value that its source makes."""
    names: dict[str, Any] = {"torch": torch, "nan": float("nan"), "inf": float("inf")}
    exec("import base64\n" + "\n".join(repro.HELPERS.values()), names)
    return eval(source_of(value, ROOM), names)


TENSORS = [
    torch.randn(3, 4),
    torch.randn(2, 3, 40),
    torch.randn(40, 40, dtype=torch.float64),
    torch.randn(700, 2).to(torch.bfloat16),
    torch.randn(9, 3).to(torch.bfloat16),
    torch.randn(9, 3).to(torch.float16),
    torch.tensor([float("nan"), float("inf"), -float("inf"), 0.1]),
    torch.arange(12, dtype=torch.int32).view(3, 4).T,
    torch.arange(24).view(2, 3, 4)[:, 1:, ::2],
    torch.tensor([True, False]),
    torch.tensor(3),
    torch.empty(0, 5, dtype=torch.int32),
    torch.zeros(1, 3).expand(4, 3),
]


@pytest.mark.parametrize("tensor", TENSORS, ids=lambda one: f"{one.dtype}-{tuple(one.shape)}")
def test_a_tensor_comes_back_from_its_source(tensor: torch.Tensor) -> None:
    found = again(tensor)
    assert (found.dtype, found.shape) == (tensor.dtype, tensor.shape)
    torch.testing.assert_close(found, tensor, atol=0, rtol=0, equal_nan=True)
    if 0 not in tensor.stride():
        assert found.stride() == tensor.stride()


def test_containers_come_back_from_their_source() -> None:
    value = {"a": [1, (2,), "x\n'"], 3: None, "b": (True, 1.5), "d": torch.float16}
    assert again(value) == value
    assert again(torch.zeros(2, device="meta")).device.type == "meta"


def test_what_has_no_source_is_refused() -> None:
    with pytest.raises(NotWritable):
        source_of(object(), ROOM)
    with pytest.raises(NotWritable):
        source_of(torch.randn(1000), 50)


@pytest.fixture
def adding() -> Problem:
    return load_problem(BANK / "901-add")


def case_of(calls: list[Call], compared: Compared | None) -> dict[str, Any]:
    return {"name": "add-small", "detail": {"repro": recorded(deque(calls), compared)}}


def run(folder: Path, problem: Problem, case: dict[str, Any], solution: str, lang: str = "en") -> Any:
    """The file run beside ``solution``."""
    text = repro.write(case, problem, lang, submission="mine.py")
    assert text is not None
    (folder / "mine.py").write_text(solution)
    (folder / "repro.py").write_text(text, "utf-8")
    return subprocess.run([sys.executable, "-I", "repro.py"], cwd=folder, capture_output=True, text=True)


RIGHT = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return a - b\n"


def test_the_file_shows_the_mismatch_and_none_for_a_right_solution(tmp_path: Path, adding: Problem) -> None:
    a, b = torch.randn(3), torch.randn(3)
    got = a - b
    call = Call(("entry", "add"), (a, b), {}, got)
    case = case_of([call], Compared(got, a + b, Tolerance(1e-5, 1e-5)))
    wrong = run(tmp_path, adding, case, WRONG)
    assert wrong.returncode == 1 and "not close" in wrong.stderr and "expected" in wrong.stdout
    right = run(tmp_path, adding, case, RIGHT, "zh")
    assert right.returncode == 0 and "没有差别" in right.stdout, right.stderr


def test_a_value_within_a_result_is_found(tmp_path: Path, adding: Problem) -> None:
    held = {"x": [torch.ones(2), torch.zeros(2)]}
    calls = [Call(("entry", "add"), (1, 2), {}, held), Call(("entry", "add"), (3, 4), {}, {})]
    case = case_of(calls, Compared(held["x"][1], torch.ones(2), Tolerance(0, 0)))
    assert (case["detail"]["repro"]["path"], len(case["detail"]["repro"]["calls"])) == ("['x'][1]", 1)
    source = "import torch\ndef add(a, b):\n    return {'x': [0, torch.zeros(2)]}\n"
    assert run(tmp_path, adding, case, source).returncode == 1


def test_exact_values_and_exceptions_show_themselves(tmp_path: Path, adding: Problem) -> None:
    exact = case_of([Call(("entry", "add"), (1, 2), {}, True)], Compared(True, 1))
    told = run(tmp_path, adding, exact, "def add(a, b):\n    return True\n")
    assert told.returncode == 1 and "True is not 1" in told.stderr
    raised = case_of([Call(("entry", "add"), (1, 0), {})], None)
    told = run(tmp_path, adding, raised, "def add(a, b):\n    return a / b\n")
    assert "ZeroDivisionError" in told.stderr and "mine.py" in told.stderr


def test_support_and_harness_are_carried_along(tmp_path: Path) -> None:
    counting = load_problem(BANK / "902-counter")
    harness = next(
        line.split("(")[0].removeprefix("def ")
        for line in (counting.harness or "").splitlines()
        if line.startswith("def ")
    )
    case = case_of([Call(("harness", harness), (), {})], None)
    text = repro.write(case, counting, "en", submission="mine.py") or ""
    compile(text, "repro.py", "exec")
    assert 'sys.modules["support"]' in text and f"harness.{harness}(" in text
    probe = text.split("result = ")[0] + "\nprint(support.__name__, harness.__name__)\n"
    (tmp_path / "mine.py").write_text(counting.solution)
    (tmp_path / "repro.py").write_text(probe, "utf-8")
    told = subprocess.run([sys.executable, "-I", "repro.py"], cwd=tmp_path, capture_output=True, text=True)
    assert told.stdout == "support harness\n", told.stderr


def test_what_stays_in_the_cell_has_no_file() -> None:
    handle: Any = object.__new__(Handle)
    handle._owner, handle._number = type("Owner", (), {"drop": lambda self, number: None})(), 0
    assert recorded([Call(("entry", "make"), (), {}, [handle])], None) is None
    assert recorded([], None) is None


def test_a_title_or_text_cannot_leave_its_place(adding: Problem) -> None:
    case = case_of([Call(("entry", "add"), ('"""\nimport os', "\\"), {}, 3)], Compared("\nboom(", 4))
    case["name"] = 'x"""\nraise SystemExit(9)\n"""'
    compile(repro.write(case, adding, "en", submission="a\"b'.py") or "", "repro.py", "exec")
    assert repro.file_name("../a b", "mine") == "mine-repro-..-a-b.py"
