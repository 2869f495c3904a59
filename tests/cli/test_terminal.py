from __future__ import annotations

import io

import pytest

from judge.cli import plain
from judge.cli.terminal import Terminal, pad, safe, table, width


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def tty(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal(Tty())


def test_chinese_takes_two_columns_and_a_combining_mark_none() -> None:
    assert width("注意力 ok") == 9
    assert width("e\u0301") == 1
    assert pad("注意", 6) == "注意  "


def test_columns_stand_under_each_other_whatever_the_script() -> None:
    lines = table([["编号", "题目", "x"], ["1", "Add", "y"]])
    assert lines == ["编号  题目  x", "1     Add   y"]


@pytest.mark.parametrize(
    "text",
    [
        "a sentence of plain English words that is longer than the terminal is wide",
        "一句比终端还要宽的中文，里面有 English words 和标点；它要在字与字之间断开，而标点不能放在行首。",
        "word " + "x" * 60,
    ],
)
def test_long_lines_are_broken_and_nothing_is_lost(tty: Terminal, text: str) -> None:
    lines = tty.wrap(text, "  ").split("\n")
    assert len(lines) > 1
    assert all(line.startswith("  ") and line[2] not in "，。；、" for line in lines)
    assert all(width(line) <= 42 or " " not in line.strip() for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_file_or_a_pipe_gets_plain_unbroken_lines() -> None:
    terminal = Terminal(io.StringIO())
    assert terminal.style("WA", "red") == "WA"
    assert terminal.wrap("long " * 100, "  ") == "  " + ("long " * 100).rstrip()


def test_colour_is_for_terminals_that_want_it(tty: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tty.style("WA", "red", "bold") == "\x1b[31;1mWA\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert Terminal(Tty()).style("WA", "red") == "WA"


def test_what_a_learner_printed_cannot_steer_the_terminal() -> None:
    assert (
        safe("a\x1b]0;title\x07\rb\u202ec\ud800\n\tx") == "a\ufffd]0;title\ufffd\ufffdb\ufffdc\ufffd\n    x"
    )


def test_a_statement_loses_its_marks_and_keeps_its_code() -> None:
    markdown = "# Title\n\nSome **bold** [link](https://x.y).\n\n- item\n\n```python\ndef f(**kw):\n    pass\n```\n| a | b |\n"
    text = plain.render(markdown, Terminal(io.StringIO()))
    assert (
        text
        == "Title\n\nSome bold link (https://x.y).\n\n- item\n\n    def f(**kw):\n        pass\n| a | b |"
    )


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("in `__init__`, **not** `super().__init__()`", "in `__init__`, not `super().__init__()`"),
        ('| `{"__type__": 1}` | `a ** b ** c` |', '| `{"__type__": 1}` | `a ** b ** c` |'),
        ("`make[name](config)` and [`x`](https://x.y)", "`make[name](config)` and `x` (https://x.y)"),
        ("1. **`T` may be 0.** So __may__ `k`.", "1. `T` may be 0. So may `k`."),
        ("``a ` __b__`` and a lone ` with **bold**", "``a ` __b__`` and a lone ` with bold"),
    ],
)
def test_code_within_a_line_keeps_its_marks(markdown: str, text: str) -> None:
    assert plain.render(markdown, Terminal(io.StringIO())) == text
