"""What a submission raises: told with care, and raised again as a builtin exception from a fixed table or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sandbox.cell.caps import MAX_FRAMES, MAX_MESSAGE_BYTES
from sandbox.contract import CellDied, LearnerError, LearnerFault, Limits, Timeout

Submit = Callable[..., Any]


def fault_of(submission: Any, expected: type[BaseException]) -> LearnerFault:
    with pytest.raises(expected) as caught:
        submission.f()
    assert type(caught.value) is expected
    found: LearnerFault = caught.value.learner_fault  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize(
    ("statement", "expected", "builtin", "name", "message"),
    [
        ("raise ValueError('no')", ValueError, "ValueError", "ValueError", "no"),
        ("raise KeyError('k')", KeyError, "KeyError", "KeyError", "'k'"),
        ("1 / 0", ZeroDivisionError, "ZeroDivisionError", "ZeroDivisionError", "division by zero"),
        ("raise Mine(1, 2)", IndexError, "IndexError", "Mine", "(1, 2)"),
        ("raise AssertionError('a')", LearnerError, "AssertionError", "AssertionError", "a"),
        ("raise StopIteration(3)", LearnerError, "StopIteration", "StopIteration", "3"),
        ("raise SystemExit(0)", LearnerError, "SystemExit", "SystemExit", "0"),
        ("raise KeyboardInterrupt", LearnerError, "KeyboardInterrupt", "KeyboardInterrupt", ""),
        ("raise GeneratorExit", LearnerError, "GeneratorExit", "GeneratorExit", ""),
        ("raise Root('r')", LearnerError, "BaseException", "Root", "r"),
        ("raise Skipped('s')", Exception, "Exception", "Skipped", "s"),
        (
            "raise ExceptionGroup('g', [ValueError()])",
            LearnerError,
            "ExceptionGroup",
            "ExceptionGroup",
            "g (1 sub-exception)",
        ),
        ("b'\\xff'.decode()", UnicodeError, "UnicodeDecodeError", "UnicodeDecodeError", None),
        ("raise MemoryError('out of pages')", MemoryError, "MemoryError", "MemoryError", "out of pages"),
        ("raise MemoryError()", MemoryError, "MemoryError", "MemoryError", ""),
        ("raise ValueError('a\\0b\\ud800')", ValueError, "ValueError", "ValueError", "ab\\ud800"),
        ("raise ValueError('x' * 10**7)", ValueError, "ValueError", "ValueError", "x" * MAX_MESSAGE_BYTES),
        ("raise ValueError('\\u6c49' * 5000)", ValueError, "ValueError", "ValueError", "\u6c49" * 682),
        ("raise Hostile", RuntimeError, "RuntimeError", "Hostile", "<__str__ raised SystemExit>"),
        ("raise Liar", RuntimeError, "RuntimeError", "Liar", "real text"),
        ("raise NoText", RuntimeError, "RuntimeError", "NoText", "<__str__ raised TypeError>"),
        ("raise type('N' * 500, (ValueError,), {})", ValueError, "ValueError", "N" * 100, ""),
        (
            "raise RuntimeError(Hostile())",
            RuntimeError,
            "RuntimeError",
            "RuntimeError",
            "<__str__ raised SystemExit>",
        ),
        (
            "raise RuntimeError(Hostile) from Hostile()",
            RuntimeError,
            "RuntimeError",
            "RuntimeError",
            "<class 'solution.Hostile'>",
        ),
        ("raise Meta()", ValueError, "ValueError", "Meta", ""),
    ],
)
def test_an_exception_is_told(
    submit: Submit,
    statement: str,
    expected: type[BaseException],
    builtin: str,
    name: str,
    message: str | None,
) -> None:
    source = f"""
class Mine(IndexError): pass
class Root(BaseException): pass
class Skipped(Exception): pass
class Hostile(RuntimeError):
    def __str__(self): raise SystemExit(1)
    __repr__ = __str__
class Sly(str):
    def __getitem__(self, key): raise SystemExit
    encode = __len__ = __getitem__
class Liar(RuntimeError):
    def __str__(self): return Sly('real text')
class NoText(RuntimeError):
    def __str__(self): return 3
class Kind(type):
    __name__ = __mro__ = __module__ = property(lambda cls: 1 / 0)
    def __getattribute__(cls, name): raise SystemExit
class Meta(ValueError, metaclass=Kind): pass
def f():
    {statement}
"""
    fault = fault_of(submit(source, "f"), expected)
    assert (fault.builtin, fault.name) == (builtin, name)
    assert message is None or fault.message == message


def test_frames_are_the_submissions_own_lines(submit: Submit) -> None:
    source = "import json\ndef g(x):\n    return 1 / x\n\ndef f():\n    json.loads('{}', object_hook=lambda d: g(0))\n"
    fault = fault_of(submit(source, "f"), ZeroDivisionError)
    assert [(frame.line, frame.function) for frame in fault.frames] == [(6, "f"), (6, "<lambda>"), (3, "g")]


def test_a_deep_recursion_is_cut(submit: Submit) -> None:
    fault = fault_of(submit("def f():\n    return f()\n", "f"), RecursionError)
    assert 2 <= len(fault.frames) <= MAX_FRAMES


@pytest.mark.parametrize(
    "statement",
    [
        "x = ' ' * (1 << 40)",
        "x = [0] * (1 << 40)",
        "torch.empty(1 << 40).fill_(0)",
        "x = [bytearray(1 << 24) for _ in range(10_000)]",
        "numpy.zeros(1 << 40).fill(1)",
    ],
)
def test_no_more_memory_is_a_death_by_memory(submit: Submit, statement: str) -> None:
    with pytest.raises(CellDied) as caught:
        submit(
            f"import torch, numpy\ndef f():\n    {statement}\n", "f", limits=Limits(memory_limit_mib=256)
        ).f()
    assert caught.value.why == "memory"


def test_a_hostile_message_can_only_use_up_the_time(submit: Submit) -> None:
    source = (
        "class Slow(ValueError):\n    def __str__(self):\n        while True: pass\ndef f(): raise Slow\n"
    )
    with pytest.raises(Timeout):
        submit(source, "f", limits=Limits(time_limit_s=0.3)).f()
