"""Sessions: budgets, output, memory and deaths, whatever the far end of the wire does."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from typing import Any

import pytest
import torch

from sandbox import channel
from sandbox.contract import BadValue, CellDied, Limits, Timeout
from sandbox.session import Session

Open = Callable[..., Session]
SHORT = Limits(time_limit_s=0.3)


@pytest.mark.parametrize(
    "body", ["while True: pass", "import time; time.sleep(60)", "import os; os.read(os.pipe()[0], 1)"]
)
def test_a_call_without_end_is_a_timeout(open_session: Open, body: str) -> None:
    session = open_session(f"def f():\n    {body}\ndef g(): return 1", "f", "g", limits=SHORT)
    with pytest.raises(Timeout) as caught:
        session.begin_case().f()
    assert caught.value.cpu_s > SHORT.time_limit_s or caught.value.wall_s > 3 * SHORT.time_limit_s
    usage = session.end_case()
    assert usage.died is not None and usage.cpu_s == pytest.approx(caught.value.cpu_s)
    assert session.deaths == 1
    assert session.begin_case().g() == 1
    assert session.end_case().died is None


def test_many_short_calls_share_one_budget(open_session: Open) -> None:
    source = "import time\ndef f():\n    end = time.process_time() + 0.05\n    while time.process_time() < end: pass"
    submission = open_session(source, "f", limits=SHORT).begin_case()
    with pytest.raises(Timeout):
        for _ in range(100):
            submission.f()


def test_the_budget_is_the_cells_and_not_the_graders(open_session: Open) -> None:
    session = open_session("def f(g): return g()", "f", limits=Limits(time_limit_s=0.2))
    submission = session.begin_case()
    time.sleep(0.7)
    assert submission.f(lambda: time.sleep(0.7)) is None
    usage = session.end_case()
    assert usage.died is None and usage.wall_s < 0.6


def test_each_case_has_its_own_budget_and_load_is_apart(open_session: Open) -> None:
    burn = "    end = time.process_time() + 0.4\n    while time.process_time() < end: pass\n"
    source = f"import time\ndef f():\n{burn}f()\n"
    session = open_session(source, "f", limits=Limits(time_limit_s=1.0, load_limit_s=2.0))
    for _ in range(3):
        session.begin_case().f()
        usage = session.end_case()
        assert usage.died is None and 0.35 < usage.cpu_s < 1.0
    assert 0.35 < session.load_s < 1.0 and session.deaths == 0


@pytest.mark.parametrize(("unasked_s", "asked"), [(0.0, 4), (1000.0, 0), (0.05, 1)])
def test_tiny_cases_in_a_row_are_asked_about_together(
    open_session: Open, monkeypatch: pytest.MonkeyPatch, unasked_s: float, asked: int
) -> None:
    monkeypatch.setattr(channel, "_UNASKED_MAX_S", unasked_s)
    monkeypatch.setattr(channel, "_LONG_S", 1000.0)
    burn = "    end = time.process_time() + 0.02\n    while time.process_time() < end: pass\n"
    session = open_session(f"import time\ndef f():\n{burn}", "f")
    session.begin_case()
    session.end_case()
    assert session._channel is not None
    cell, asks = session._channel.cell, []
    usage = cell.usage
    monkeypatch.setattr(cell, "usage", lambda: asks.append(1) or usage())
    used = []
    for _ in range(4):
        session.begin_case().f()
        used.append(session.end_case())
    assert len(asks) >= asked and (asked or not asks)
    assert sum(one.cpu_s for one in used) > 0.075  # four times 0.02, by clocks of their own
    assert all(one.cpu_s > (0.005 if asked else 0.018) for one in used)


def test_a_tiny_case_has_its_share_where_those_before_it_were_given_all(
    open_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel, "_UNASKED_MAX_S", 0.05)
    session = open_session("import time\ndef f(): time.sleep(0.02)", "f")
    used = []
    for _ in range(3):
        session.begin_case().f()
        used.append(session.end_case().cpu_s)
    assert used[0] > 0.02 and used[1] > 0.02 and 0 < used[2] < 0.02


def test_what_the_cell_does_while_the_grader_has_other_work_is_asked_about(
    open_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    burn = "    end = time.process_time() + 0.05\n    while time.process_time() < end: pass\n"
    session = open_session(f"import time\ndef f():\n{burn}", "f")
    monkeypatch.setattr(session, "_meanwhile", lambda: time.sleep(0.5))
    session.begin_case().f()
    usage = session.end_case()
    assert 0.045 < usage.cpu_s < 0.4 and usage.wall_s < 0.4


def test_the_case_gets_what_it_printed(open_session: Open) -> None:
    source = """
        import sys, os
        print("at load")
        def f(text):
            print(text)
            sys.stderr.write("err\\n")
            os.write(1, b"\\xff\\0raw")
    """
    session = open_session(source, "f")
    session.begin_case().f("one")
    assert session.end_case().stdout == "at load\none\nerr\n\ufffdraw"
    session.begin_case().f("\ud800")
    assert session.end_case().stdout.startswith("\\ud800\n")
    session.begin_case()
    assert session.end_case().stdout == ""


def test_long_output_keeps_head_and_tail(open_session: Open) -> None:
    session = open_session("def f():\n    print('head')\n    print('x' * 50_000)\n    print('tail')", "f")
    session.begin_case().f()
    usage = session.end_case()
    assert usage.stdout_cut and len(usage.stdout) < 20_000
    assert usage.stdout.startswith("head\n") and usage.stdout.endswith("tail\n")


@pytest.mark.parametrize(
    "body", ["while True: print('x' * 1000)", "print('x' * (1 << 20))", "os.write(2, b'y' * 70_000)"]
)
def test_too_much_output_is_a_death_by_output(open_session: Open, body: str) -> None:
    session = open_session(f"import os\ndef f():\n    {body}\n", "f")
    with pytest.raises(CellDied) as caught:
        session.begin_case().f()
    assert caught.value.why == "output"
    usage = session.end_case()
    assert usage.stdout and usage.stdout_cut and session.deaths == 1


def test_output_is_counted_over_the_judgement(open_session: Open) -> None:
    session = open_session("def f(): print('x' * 30_000)", "f")
    for _ in range(2):
        session.begin_case().f()
        session.end_case()
    with pytest.raises(CellDied) as caught:
        session.begin_case().f()
    assert caught.value.why == "output"


@pytest.mark.parametrize(
    "body",
    [
        "os._exit(0)",
        "os.kill(os.getpid(), 9)",
        "ctypes.string_at(0)",
        "os.closerange(3, 64)",
        "[os.dup2(0, fd) for fd in range(3, 64) if is_socket(fd)]",
    ],
)
def test_a_cell_that_ends_is_a_death_and_the_next_case_runs(open_session: Open, body: str) -> None:
    source = f"""
import ctypes, os, stat
def is_socket(fd):
    try: return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError: return False
def f():
    {body}
def g(x): return x
"""
    session = open_session(source, "f", "g")
    with pytest.raises(CellDied) as caught:
        session.begin_case().f()
    assert caught.value.why == "died"
    assert session.end_case().died == caught.value.exit
    assert session.begin_case().g(2) == 2


SOCKET = """
import os, socket, stat, threading, time
def wire():
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode): return fd
        except OSError: pass
def write(data): os.write(wire(), data)
def late():
    threading.Thread(target=lambda: (time.sleep(0.1), write(b"x"))).start()
    return 1
def g(): return 2
"""


@pytest.mark.parametrize("data", [b"x", b"\0" * 12, b"\xff" * 1000, struct.pack(">IQ", 2, 0) + b"{}"])
def test_garbage_on_the_wire_ends_the_cell(open_session: Open, data: bytes) -> None:
    session = open_session(SOCKET, "write", "g", limits=SHORT)
    submission = session.begin_case()
    with pytest.raises((CellDied, Timeout)):
        submission.write(data)
        submission.g()
    session.end_case()
    assert session.begin_case().g() == 2


def test_a_byte_written_between_calls_ends_the_cell(open_session: Open) -> None:
    session = open_session(SOCKET, "late", "g")
    submission = session.begin_case()
    assert submission.late() == 1
    time.sleep(0.4)
    with pytest.raises(CellDied) as caught:
        submission.g()
    assert caught.value.why == "protocol"


def test_a_byte_written_between_cases_costs_a_cell_and_no_case(open_session: Open) -> None:
    session = open_session(SOCKET, "late", "g")
    session.begin_case().late()
    session.end_case()
    time.sleep(0.4)
    assert session.begin_case().g() == 2
    assert session.deaths == 1


def test_calls_are_told_to_the_watcher(open_session: Open) -> None:
    told: list[Any] = []
    session = open_session("def f(x, y=0): return x", "f", on_call=lambda *call: told.append(call))
    session.begin_case().f(1, y=2)
    assert told == [("f", (1,), {"y": 2})]


def test_large_arguments_and_results_cross(open_session: Open) -> None:
    tensor = torch.arange(12 << 20, dtype=torch.float32)
    got = open_session("def f(x): return {'x': x, 'text': 'a' * (1 << 20)}", "f").begin_case().f(tensor)
    assert torch.equal(got["x"], tensor) and len(got["text"]) == 1 << 20


def test_what_is_too_big_is_a_bad_value_and_no_death(open_session: Open) -> None:
    source = "import torch\ndef f(): return torch.zeros(17 << 20)\ndef g(): return b'x' * (65 << 20)\ndef h(): return 1"
    session = open_session(source, "f", "g", "h")
    submission = session.begin_case()
    for call in (submission.f, submission.g):
        with pytest.raises(BadValue) as caught:
            call()
        assert caught.value.kind == "too-big"
    assert submission.h() == 1 and session.deaths == 0


def test_a_case_that_breaks_off_inside_a_callback_leaves_no_half_call(open_session: Open) -> None:
    session = open_session("def f(g): return g()\ndef h(): return 5", "f", "h")

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        session.begin_case().f(interrupt)
    session.end_case()
    assert session.begin_case().h() == 5
    assert session.deaths == 0


def test_changes_to_the_interpreter_do_not_reach_the_next_call(open_session: Open) -> None:
    source = """
        import sys, torch
        def f():
            sys.stdout.close()
            torch.set_default_device("meta")
            torch.set_default_dtype(torch.float64)
            sys.setrecursionlimit(60)
            sys.settrace(lambda *args: 1 / 0)
        def g(x): return x
    """
    submission = open_session(source, "f", "g").begin_case()
    submission.f()
    got = submission.g({"x": [torch.ones(2)]})["x"][0]
    assert got.tolist() == [1, 1] and got.dtype == torch.float32


def test_keyword_arguments_may_have_any_name(open_session: Open) -> None:
    source = "def f(self, op, target, args, kwargs): return [self, op, target, args, kwargs]"
    submission = open_session(source, "f").begin_case()
    assert submission.f(self=1, op=2, target=3, args=4, kwargs=5) == [1, 2, 3, 4, 5]
