"""`judge grader`: a grader of its own, which judges what a web server sends to its socket."""

from __future__ import annotations

import contextlib
import logging
import signal
from types import FrameType
from typing import NoReturn

from judge.cli.context import Context
from judge.lines import UserError


def grader(context: Context) -> int:
    """Listen at JUDGE_GRADER until stopped; UserError where that is not set, or nothing can be judged here."""
    from judge.remote.server import GraderServer, listening
    from judge.startup import open_own_grading

    path = context.config.grader
    if path is None:
        raise UserError("grader-unset")
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    signal.signal(signal.SIGTERM, _stop)
    problems = context.catalogue.all()
    with (
        listening(path) as listener,
        open_own_grading(context.config, problems, one_user=False) as grading,
    ):
        context.say("grader-ready", path=path, backend=grading.backend, size=grading.size)
        with contextlib.suppress(KeyboardInterrupt):
            GraderServer(grading, context.catalogue).serve(listener)
    return 0


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    """End as Ctrl+C does, so that zygotes and socket go too."""
    raise KeyboardInterrupt
