"""`judge test N [FILE...]`: judge files as the server does, store what came of it, say it in words or JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from judge.cli.context import Context, shown_path
from judge.cli.judging import Judging
from judge.cli.starter import write_starter
from judge.grading.seam import SOURCE_MAX_BYTES
from judge.lines import UserError
from judge.problem import Problem

if TYPE_CHECKING:
    from judge.cli.results import Judged

WATCH_EVERY_S = 0.3


def test(context: Context) -> int:
    """Judge the files named, or the learner's own in the workspace; 0 when every one is accepted."""
    args = context.args
    problem = context.find(args.problem)
    files = [Path(name) for name in args.files] or [context.workspace_file(problem)]
    if not args.files and write_starter(context, problem):
        context.note("started", path=shown_path(files[0]), number=problem.number)
        if not args.watch:
            return 1
    sources = [read_source(path) for path in files]
    return _judge_files(context, problem, files, sources)


def read_source(path: Path) -> bytes:
    """The bytes of a file to judge, at most one more than may be submitted; UserError when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(SOURCE_MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise UserError("no-file", path=path) from error
    except OSError as error:
        raise UserError("file", path=path, why=error.strerror or error) from error


def _judge_files(context: Context, problem: Problem, files: list[Path], sources: list[bytes]) -> int:
    with Judging(context, problem, len(files), mode=_mode(context), stores=_stores(context)) as judging:
        verdicts = [_tell(context, one) for one in _graded(context, files, sources, judging)]
        if context.args.watch:
            _watch(context, files, judging)
    if "SE" in verdicts:
        return 3
    return 0 if all(verdict == "AC" for verdict in verdicts) else 1


def _graded(context: Context, files: list[Path], sources: list[bytes], judging: Judging) -> Iterator[Judged]:
    """The judgements in the files' order, some of them at a time."""
    from judge.cli.results import put_into_words

    with ThreadPoolExecutor(judging.size) as threads:
        grades = threads.map(judging.grade, sources)
        for path, source, (graded, to_store) in zip(files, sources, grades, strict=True):
            if to_store:
                judging.store(source, graded)
            for fault in graded.faults:
                context.note("fault", why=fault)
            yield put_into_words(context, shown_path(path), graded.problem, graded.report())


def _tell(context: Context, judged: Judged) -> str:
    from judge.cli.results import as_json, show

    if context.args.json:
        context.out.print(json.dumps(as_json(judged), ensure_ascii=False, allow_nan=False))
    else:
        show(context, judged, context.args.verbose)
    if context.args.repro:
        _write_repro(context, judged)
    return judged.verdict


def _write_repro(context: Context, judged: Judged) -> None:
    """Write a file that shows the first failing case beside the judged one; what is there already is left alone."""
    from judge import repro

    path = Path(judged.file)
    for case in judged.report["cases"]:
        text = repro.write(case, judged.problem, context.lang, submission=path.name)
        if text is not None:
            break
    else:
        context.note("no-repro")
        return
    target = path.with_name(repro.file_name(case["name"], path.stem))
    for number in range(2, 100):
        try:
            with target.open("x", encoding="utf-8") as file:
                file.write(text)
            context.note("repro", path=shown_path(target), case=case["name"])
            return
        except FileExistsError:
            if target.read_text(encoding="utf-8", errors="replace") == text:
                context.note("repro", path=shown_path(target), case=case["name"])
                return
            target = path.with_name(repro.file_name(f"{case['name']}-{number}", path.stem))
        except OSError as error:
            raise UserError("file-not-written", path=target, why=error.strerror or error) from error
    context.note("no-repro")


def _watch(context: Context, files: list[Path], judging: Judging) -> None:
    """Judge each file again whenever it is saved, until Ctrl+C."""
    seen = {path: _stamp(path) for path in files}
    context.note("watching")
    try:
        while True:
            time.sleep(WATCH_EVERY_S)
            changed = [path for path in files if _stamp(path) not in (seen[path], None)]
            seen |= {path: _stamp(path) for path in changed}
            sources = [read_source(path) for path in changed]
            for judged in _graded(context, changed, sources, judging):
                _tell(context, judged)
    except KeyboardInterrupt:
        context.err.print()


def _stamp(path: Path) -> tuple[int, int] | None:
    """What changes when a file is saved; None while an editor has it away."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


def _mode(context: Context) -> Literal["run", "submit"]:
    return "run" if context.args.examples else "submit"


def _stores(context: Context) -> bool:
    """A judgement with a chosen seed is a replay: it is looked at, and counts for nothing."""
    return not context.args.no_save and context.args.seed is None
