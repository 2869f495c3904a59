"""Loading: each way in which a learner's file can be bad has its own kind, and the next one is judged as usual."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
import torch

from sandbox.contract import Limits, LoadFailed, SandboxFault
from sandbox.session import Session

Submit = Callable[..., Any]
Open = Callable[..., Session]

FINE = "def f():\n    return 1\n"


@pytest.mark.parametrize(
    ("source", "kind", "line"),
    [
        ("def f(:\n    pass\n", "syntax", 1),
        ("x = 1\n  y = 2\n", "syntax", 2),
        ("(" * 5000 + ")" * 5000, "syntax", 1),
        ("x = " + "-" * 60_000 + "1", "syntax", 0),
        ("x = " + "9" * 5000, "syntax", 1),
        ("return 1", "syntax", 1),
        ("", "empty", 0),
        (b"\xef\xbb\xbf \n\t\n", "empty", 0),
        (b"x = 1\ny = '\xff'\n", "encoding", 2),
        ("a = 1\n".encode("utf-16"), "encoding", 1),
        (b"x = 1\n\n\0", "nul", 3),
        ("#" * (128 * 1024 + 1), "too-big", 0),
        ("x = 1", "missing", 0),
        ("f = 3", "not-callable", 0),
        ("import torch\nraise ValueError('no')", "raised", 2),
        ("import nothing_of_that_name", "raised", 1),
        ("import sys\nsys.exit(0)", "raised", 2),
        ("raise KeyboardInterrupt", "raised", 1),
        ("def g():\n    g()\ng()", "raised", 2),
        ("import os\nos._exit(0)", "died", 0),
        ("x = ' ' * (1 << 40)", "memory", 0),
        ("import torch\ntorch.empty(1 << 40).fill_(1)", "memory", 0),
        ("while True: pass", "timeout", 0),
        ("import time\ntime.sleep(60)", "timeout", 0),
        ("while True: print('x' * 10000)", "output", 0),
        ("import os\nos.closerange(3, 60)", "died", 0),
    ],
    ids=lambda value: repr(value)[:40] if isinstance(value, str | bytes) else None,
)
def test_a_file_that_cannot_be_loaded_says_why(open_session: Open, source: Any, kind: str, line: int) -> None:
    limits = Limits(load_limit_s=0.4)
    with pytest.raises(LoadFailed) as caught:
        open_session(source, "f", limits=limits).begin_case()
    assert (caught.value.kind, caught.value.line) == (kind, line)
    assert open_session(FINE, "f").begin_case().f() == 1


def test_a_missing_entry_point_is_named(submit: Submit) -> None:
    with pytest.raises(LoadFailed) as caught:
        submit("def f(): pass\ng = None", "f", "g", "h")
    assert (caught.value.kind, caught.value.entry) == ("not-callable", "g")


def test_what_a_load_raises_is_told(submit: Submit) -> None:
    with pytest.raises(LoadFailed) as caught:
        submit("class Bad(KeyError): pass\n\ndef go():\n    raise Bad('x')\ngo()", "f")
    fault = caught.value.fault
    assert fault is not None and (fault.builtin, fault.name, fault.message) == ("KeyError", "Bad", "'x'")
    assert [(frame.line, frame.function) for frame in fault.frames] == [(5, "<module>"), (4, "go")]


def test_a_coding_cookie_and_other_line_ends_change_nothing(submit: Submit) -> None:
    assert submit("# coding: latin-1\r\ndef f():\r\n    return '\u6c49'\r\n".encode(), "f").f() == "\u6c49"


def test_the_submission_finds_its_source_and_no_main(submit: Submit) -> None:
    source = """
        import inspect
        class Thing:
            pass
        def f():
            return inspect.getsource(f), inspect.getsource(Thing), __name__, __file__
        if __name__ == "__main__":
            raise SystemExit
    """
    of_f, of_thing, name, file = submit(source, "f").f()
    assert of_f.startswith("def f():\n    return") and of_thing == "class Thing:\n    pass\n"
    assert (name, file) == ("solution", "solution.py")


def test_each_cell_draws_the_same_random_numbers(open_session: Open) -> None:
    source = """
        import random, numpy, torch
        def f():
            return [random.random(), float(numpy.random.rand()), torch.rand(1).item()]
    """
    random.seed(5)
    torch.manual_seed(5)
    session = open_session(source, "f")
    first = session.begin_case().f()
    session.close()
    assert open_session(source, "f").begin_case().f() == first


HARNESS = """
    import solution
    from support import Item

    def doubled(x):
        return solution.f(x) + solution.f(Item(x).value)
"""
SUPPORT = """
    from dataclasses import dataclass

    @dataclass
    class Item:
        value: int
"""


def test_harness_and_support_run_beside_the_submission(submit: Submit) -> None:
    source = "from support import Item\ndef f(x):\n    return Item(x).value + 1\n"
    assert submit(source, "f", support=SUPPORT, harness=HARNESS).harness.doubled(4) == 10


@pytest.mark.parametrize(
    "files", [{"support": "1/0"}, {"harness": "def"}, {"harness": "import missing_module"}]
)
def test_a_problem_file_that_fails_is_our_fault(submit: Submit, files: dict[str, str]) -> None:
    with pytest.raises(SandboxFault):
        submit(FINE, "f", **files)
