"""The commands and their options."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn

from judge.cli import database, people
from judge.cli.context import Context
from judge.config import SANDBOXES
from judge.lines import LANGS, UserError, judge_command, line
from judge.problem import DIFFICULTIES
from judge.statuses import STATUSES

Run = Callable[[Context], int]


HEADINGS = {
    "usage: ": "usage",
    "positional arguments": "arguments",
    "options:": "options",
    "show this help message and exit": "help",
}
COMPLAINTS = {
    r"arguments are required: (?P<names>.*)": "missing",
    r"unrecognized arguments: (?P<names>.*)": "unknown",
    r"invalid choice: (?P<value>\S+?),? .*?\(choose from (?P<choices>.*)\)": "choice",
    r"invalid number value: '(?P<value>.*)'": "whole",
}
COMMANDS = (
    "doctor", "list", "start", "test", "new", "check", "solution", "serve", "db", "replay", "rejudge", "user",
    "grader", "bench", "lang",
)  # fmt: skip


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, in the reader's language; never a page of usage."""

    def __init__(self, *args: Any, lang: str = "zh", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.lang = lang

    def error(self, message: str) -> NoReturn:
        raise UserError("usage", command=self.prog, why=_complaint(message, self.lang))

    def format_help(self) -> str:
        text = super().format_help()
        for said, key in HEADINGS.items():
            text = text.replace(said, line(f"help.{key}", self.lang))
        return text


def _complaint(message: str, lang: str) -> str:
    """argparse's English complaint in the reader's language, where it is one that is known."""
    for pattern, key in COMPLAINTS.items():
        if found := re.search(pattern, message):
            return line(f"usage.{key}", lang, **found.groupdict())
    return message


def later(module: str, function: str) -> Run:
    """A command whose module is imported when it runs: to judge a file takes few of them."""

    def run(context: Context) -> int:
        status: int = getattr(import_module(f"judge.cli.{module}"), function)(context)
        return status

    return run


def make_parser(lang: str) -> Parser:
    """The parser of the whole command line; ``run`` of its result is the command to run."""

    def text(key: str) -> str:
        return line(f"help.{key}", lang)

    common = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--lang", choices=LANGS, help=text("lang"))
    common.add_argument("--sandbox", choices=SANDBOXES, help=text("sandbox"))
    parser = Parser(
        prog=judge_command(), description=text("judge"), epilog=text("epilog"), parents=[common], lang=lang
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)

    def add(name: str, run: Run) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name, lang=lang, help=text(name), description=text(name), parents=[common]
        )
        command.set_defaults(run=run)
        return command

    add("doctor", later("system", "doctor"))
    _add_list(add("list", later("bank", "list_problems")), text)
    add("start", later("bank", "start")).add_argument("problem", metavar="N", help=text("problem"))
    _add_test(add("test", later("testing", "test")), text)
    _add_new(add("new", later("bank", "new")), text)
    _add_check(add("check", later("system", "check")), text)
    solution = add("solution", later("bank", "solution"))
    solution.add_argument("problem", metavar="N", help=text("problem"))
    solution.add_argument("--yes", action="store_true", help=text("yes"))
    serve = add("serve", later("system", "serve"))
    serve.add_argument("--host", help=text("host"))
    serve.add_argument("--port", help=text("port"))
    add("grader", later("grader", "grader"))
    _add_bench(add("bench", later("bench", "bench")), text)
    _add_db(add("db", later("database", "db")), text)
    _add_replay(add("replay", later("again", "replay")), text)
    _add_rejudge(add("rejudge", later("again", "rejudge")), text)
    _add_user(add("user", later("people", "user")), text)
    add("lang", later("system", "lang")).add_argument(
        "language", nargs="?", choices=LANGS, help=text("language")
    )
    return parser


def number(text: str) -> int:
    """A submission's number; ValueError for what no database could hold."""
    value = int(text)
    if not 0 < value < 1 << 31:
        raise ValueError(text)
    return value


def expand(arguments: list[str]) -> list[str]:
    """``189 my.py`` is short for ``test 189 my.py``; options before it stay before it."""
    for place, argument in enumerate(arguments):
        value_of_option = place > 0 and arguments[place - 1] in ("--lang", "--sandbox")
        if argument.startswith("-") or value_of_option:
            continue
        return arguments if argument in COMMANDS else [*arguments[:place], "test", *arguments[place:]]
    return arguments


def _add_list(command: argparse.ArgumentParser, text: Callable[[str], str]) -> None:
    command.add_argument("words", metavar="WORD", nargs="*", default=[], help=text("words"))
    command.add_argument("--chapter", metavar="N", help=text("chapter"))
    command.add_argument("--tag", help=text("tag"))
    command.add_argument("--difficulty", choices=DIFFICULTIES, help=text("difficulty"))
    command.add_argument("--status", choices=STATUSES, help=text("status"))


def _add_test(command: argparse.ArgumentParser, text: Callable[[str], str]) -> None:
    command.add_argument("problem", metavar="N", help=text("problem"))
    command.add_argument("files", metavar="FILE", nargs="*", default=[], help=text("files"))
    command.add_argument("--examples", "--run", action="store_true", help=text("examples"))
    command.add_argument("--json", action="store_true", help=text("json"))
    command.add_argument("--seed", help=text("seed"))
    command.add_argument("--watch", action="store_true", help=text("watch"))
    command.add_argument("--no-save", action="store_true", help=text("no-save"))
    command.add_argument("--repro", action="store_true", help=text("repro"))
    command.add_argument("-v", "--verbose", action="store_true", help=text("verbose"))


def _add_check(command: argparse.ArgumentParser, text: Callable[[str], str]) -> None:
    command.add_argument("problems", metavar="N", nargs="*", default=[], help=text("problems"))
    command.add_argument("--quick", action="store_true", help=text("quick"))
    command.add_argument("--json", action="store_true", help=text("check-json"))
    command.add_argument("--watch", action="store_true", help=text("check-watch"))
    command.add_argument("--no-cache", action="store_true", help=text("no-cache"))
    command.add_argument("-v", "--verbose", action="store_true", help=text("check-verbose"))


def _add_new(command: argparse.ArgumentParser, text: Callable[[str], str]) -> None:
    command.add_argument("slug", metavar="SLUG", help=text("new-slug"))
    command.add_argument("--book", default="minisgl", help=text("new-book"))


def _add_bench(command: argparse.ArgumentParser, text: Callable[[str], str]) -> None:
    command.add_argument("--quick", action="store_true", help=text("bench-quick"))
    command.add_argument("--json", action="store_true", help=text("check-json"))


def _add_db(command: argparse.ArgumentParser, text: Callable[[str], str]) -> None:
    command.add_argument(
        "action", nargs="?", choices=database.ACTIONS, default="status", help=text("db-action")
    )
    command.add_argument("file", metavar="FILE", nargs="?", help=text("db-file"))


def _add_replay(command: argparse.ArgumentParser, text: Callable[[str], str]) -> None:
    command.add_argument("submission", metavar="ID", type=number, help=text("submission"))
    command.add_argument("--json", action="store_true", help=text("replay-json"))


def _add_rejudge(command: argparse.ArgumentParser, text: Callable[[str], str]) -> None:
    command.add_argument(
        "submissions", metavar="ID", type=number, nargs="*", default=[], help=text("submission")
    )
    command.add_argument("--problem", metavar="N", help=text("rejudge-problem"))


def _add_user(command: argparse.ArgumentParser, text: Callable[[str], str]) -> None:
    command.add_argument("action", choices=people.ACTIONS, help=text("user-action"))
    command.add_argument("who", metavar="NAME", nargs="?", help=text("user-who"))
    command.add_argument("new_role", metavar="ROLE", nargs="?", help=text("user-role"))
    command.add_argument(
        "--role", dest="new_role", metavar="ROLE", default=argparse.SUPPRESS, help=text("user-role")
    )
    command.add_argument("--full-name", default="", help=text("full-name"))
    command.add_argument("--codes", metavar="FILE", help=text("codes"))
