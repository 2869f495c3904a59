"""The command line: ``judge.cli.main(argv)`` runs one command and returns its exit status.

0: every file accepted, or done; 1: some not; 2: bad usage or settings, one line; 3: the judge's own fault.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Sequence
from contextlib import closing

from judge.cli.context import Context
from judge.cli.parser import expand, make_parser
from judge.cli.terminal import Terminal
from judge.config import Config, choose_language
from judge.lines import LANGS, UserError, line
from judge.problem import ProblemError
from sandbox.contract import SandboxFault

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command of ``argv`` (without the program's name)."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a terminal that cannot show Chinese is no reason to fail
    lang = _asked_language(arguments) or "zh"
    try:
        config = Config.from_env()
        lang = choose_language(config, _asked_language(arguments))
        return _run(arguments, config, lang)
    except UserError as error:
        return _complain(error.line(lang), error.status)
    except ProblemError as error:
        return _complain(line("error.problem", lang, why=error), 3)
    except SandboxFault as error:
        return _complain(line("error.sandbox", lang, why=error), 3)
    except KeyboardInterrupt:
        return _complain(line("error.interrupted", lang), INTERRUPTED)
    except BrokenPipeError:  # `judge list | head`: whoever read has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(arguments: list[str], config: Config, lang: str) -> int:
    parser = make_parser(lang)
    args = parser.parse_args(expand(arguments))
    if args.command is None:
        parser.print_help()
        return 0
    config = dataclasses.replace(config, sandbox=getattr(args, "sandbox", config.sandbox))
    with closing(Context(config, lang, args)) as context:
        status: int = args.run(context)
    return status


def _asked_language(arguments: list[str]) -> str | None:
    """The value of ``--lang``, looked for before parsing so that even a usage error speaks it."""
    for place, argument in enumerate(arguments):
        value = (
            argument.removeprefix("--lang=")
            if argument != "--lang"
            else "".join(arguments[place + 1 : place + 2])
        )
        if argument.startswith("--lang") and value in LANGS:
            return value
    return None


def _complain(text: str, status: int) -> int:
    Terminal(sys.stderr).print(text)
    return status
