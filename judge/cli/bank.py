"""The commands about the bank: list, start, solution, and new for its authors."""

from __future__ import annotations

from judge.cli import plain
from judge.cli.context import Context, shown_path
from judge.cli.terminal import table
from judge.lines import UserError
from judge.problem import Problem


def list_problems(context: Context) -> int:
    """All problems with number, slug, title, chapter, difficulty and what the learner achieved."""
    statuses = _statuses(context)
    rows = [
        [
            context.text(f"head-{name}")
            for name in ("number", "slug", "title", "chapter", "difficulty", "status")
        ]
    ]
    for problem in context.catalogue.all():
        rows.append(
            [
                str(problem.number),
                problem.slug,
                title_of(problem, context.lang),
                str(problem.chapter),
                context.text(problem.difficulty),
                context.text(statuses.get(problem.slug, "new")),
            ]
        )
    head, *body = table(rows)
    context.out.print(context.out.style(head, "bold"))
    for row in body:
        context.out.print(row)
    for error in context.catalogue.broken:
        context.note("broken", why=error)
    return 0


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


def write_starter(context: Context, problem: Problem) -> bool:
    """Make the learner's file from the starter; False where there is one already."""
    path = context.workspace_file(problem)
    try:
        if path.exists():
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(problem.starter)
    except OSError as error:
        raise UserError("workspace", path=path, why=error.strerror or error) from error
    return True


def solution(context: Context) -> int:
    """Print the reference solution to one who solved the problem, or who says --yes."""
    problem = context.find(context.args.problem)
    if not context.args.yes and _statuses(context).get(problem.slug) != "solved":
        raise UserError("spoiler", number=problem.number)
    context.note("solution", label=problem.label_in(context.lang))
    context.out.print(problem.solution.rstrip())
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


def _statuses(context: Context) -> dict[str, str]:
    from judge.scores import standings

    with context.database.read() as session:
        found = standings(session, context.user_id)
    return {slug: "solved" if standing.solved else "tried" for slug, standing in found.items()}
