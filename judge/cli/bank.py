"""The commands about the bank: list, start, solution, and new for its authors."""

from __future__ import annotations

from judge import openings
from judge.cli import plain
from judge.cli.context import Context, shown_path
from judge.cli.starter import write_starter
from judge.cli.terminal import table
from judge.lines import UserError
from judge.overview import Filter, Row, by_chapter, next_up, read_rows
from judge.problem import Problem

COLUMNS = ("number", "slug", "title", "chapter", "difficulty", "status")


def list_problems(context: Context) -> int:
    """The problems that fit the options, with what the learner achieved, progress by chapter and what to do next."""
    args, rows = context.args, _overview(context)
    wanted = Filter(
        " ".join(args.words), args.chapter or "", args.difficulty or "", args.status or "", args.tag or ""
    )
    shown = [row for row in rows if wanted.fits(row)]
    head, *body = table(
        [[context.text(f"head-{name}") for name in COLUMNS], *(_cells(context, row) for row in shown)]
    )
    context.out.print(context.out.style(head, "bold"))
    for line in body:
        context.out.print(line)
    if not shown:
        context.note("none-fits" if rows else "no-problems")
    for error in context.catalogue.broken:
        context.note("broken", why=error)
    if wanted == Filter():
        _print_progress(context, rows)
    return 0


def _cells(context: Context, row: Row) -> list[str]:
    problem = row.problem
    status = context.text(row.status) + (f" ({context.text('gave-up')})" if row.gave_up else "")
    title = title_of(problem, context.lang)
    return [
        str(problem.number),
        problem.slug,
        title,
        str(problem.chapter),
        context.text(problem.difficulty),
        status,
    ]


def _print_progress(context: Context, rows: list[Row]) -> None:
    chapters = by_chapter(rows)
    solved = ", ".join(f"{one.number}: {one.solved}/{len(one.rows)}" for one in chapters if one.solved)
    if solved:
        context.note("by-chapter", chapters=solved)
    following = next_up(rows)
    if following is not None:
        row, why = following
        context.note(f"up-{why}", label=row.problem.label_in(context.lang), number=row.problem.number)


def start(context: Context) -> int:
    """Print the statement and put the starter into the workspace, never over a file that is there."""
    problem = context.find(context.args.problem)
    context.out.print(context.out.style(problem.label_in(context.lang), "bold"))
    context.out.print()
    context.out.print(plain.render(problem.statement(context.lang), context.out))
    context.out.print()
    written = write_starter(context, problem)
    path = shown_path(context.workspace_file(problem))
    context.say("started" if written else "kept", path=path, number=problem.number)
    return 0


def solution(context: Context) -> int:
    """Print the reference solution to one who solved the problem or gave it up, which --yes does."""
    problem = context.find(context.args.problem)
    with context.database.read() as session:
        state = openings.opened(session, context.user_id, problem.slug)
    if not state.solution and not context.args.yes:
        raise UserError("spoiler", number=problem.number)
    if not state.solution:
        openings.give_up(context.database, context.user_id, problem.slug)
    context.note("solution", label=problem.label_in(context.lang))
    context.out.print(problem.solution.rstrip())
    others = [shown_path(problem.folder / "solutions" / f"{name}.py") for name in problem.other_solutions]
    if others:
        context.note("other-solutions", paths=", ".join(others))
    return 0


def new(context: Context) -> int:
    """Make the folder of a new problem, a small one that works, in the last root of the bank."""
    from judge.authoring.new import make_problem

    problem = make_problem(context.catalogue, context.args.book, context.args.slug)
    context.say("made", path=shown_path(problem.folder), number=problem.number)
    return 0


def title_of(problem: Problem, lang: str) -> str:
    """The title in the reader's language, or in the one that a draft has."""
    return problem.title.get(lang) or next(iter(problem.title.values()))


def _overview(context: Context) -> list[Row]:
    with context.database.read() as session:
        return read_rows(session, context.user_id, context.catalogue.all())
