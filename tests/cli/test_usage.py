from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from judge.cli import main
from tests.cli.fakes import TINY, RunCli


def is_one_line(text: str) -> bool:
    return text.endswith("\n") and text.count("\n") == 1


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)


def test_without_a_command_it_says_what_there_is(run: RunCli) -> None:
    told = run()
    assert told.status == 0
    assert all(
        command in told.out for command in ("doctor", "list", "start", "test", "check", "solution", "serve")
    )


@pytest.mark.parametrize(
    "argv",
    [
        ("test",),
        ("test", "901", "--nonsense"),
        ("start",),
        ("db", "drop"),
        ("--sandbox", "chroot", "list"),
        ("start", "no-such-problem"),
        ("901", "no-such-file.py"),
        ("no-such-command",),
        ("start", "tiny"),
        ("solution", "901"),
    ],
)
def test_bad_usage_is_one_line_in_either_language_and_status_2(run: RunCli, argv: tuple[str, ...]) -> None:
    english, chinese = run(*argv), run("--lang", "zh", *argv)
    for told in (english, chinese):
        assert (told.status, told.out) == (2, "")
        assert is_one_line(told.err)
    assert is_chinese(chinese.err) and not is_chinese(english.err.replace("相加", "").replace("计数", ""))


def test_a_problem_that_is_nearly_named_is_suggested(run: RunCli) -> None:
    assert "#901 tiny-add Add" in run("start", "tiny-ad-d").err
    several = run("start", "tiny").err
    assert "#901" in several and "#902" in several


def test_help_of_every_command_speaks_the_asked_language(
    run: RunCli, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (
        "doctor",
        "list",
        "start",
        "test",
        "check",
        "solution",
        "serve",
        "db",
        "replay",
        "rejudge",
        "lang",
    ):
        with pytest.raises(SystemExit) as ended:
            main([command, "--lang", "zh", "--help"])
        assert ended.value.code == 0
        told = capsys.readouterr().out
        assert is_chinese(told) and "show this help" not in told


@pytest.mark.parametrize("name", ["JUDGE_PORT", "JUDGE_SANDBOX", "JUDGE_LEVEL"])
def test_a_setting_that_cannot_be_used_is_one_line(
    run: RunCli, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "nonsense")
    told = run("list")
    assert told.status == 2
    assert is_one_line(told.err) and name in told.err


def test_a_bank_with_two_claims_to_a_number_is_one_line(
    run: RunCli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for book in ("a", "b"):
        shutil.copytree(TINY / "901-add", tmp_path / "bank" / book / "901-add")
    text = (
        (tmp_path / "bank" / "b" / "901-add" / "problem.toml")
        .read_text("utf-8")
        .replace("tiny-add", "tiny-else")
    )
    (tmp_path / "bank" / "b" / "901-add" / "problem.toml").write_text(text, "utf-8")
    monkeypatch.setenv("JUDGE_PROBLEMS", str(tmp_path / "bank"))
    told = run("list")
    assert told.status == 3
    assert is_one_line(told.err) and "901" in told.err


def test_a_terminal_that_cannot_show_chinese_is_no_reason_to_fail(run: RunCli) -> None:
    code = "import sys; from judge.cli import main; sys.exit(main(['--lang', 'zh', 'lang']))"
    environ = {"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
