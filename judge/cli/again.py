"""The commands that judge stored submissions again: replay (looked at only) and rejudge (counts)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from judge.cli.context import Context
from judge.lines import UserError, judge_command, line
from judge.verdict import Verdict

if TYPE_CHECKING:
    from judge.replay import CaseVerdicts, Stored
    from judge.service import Service

WAIT_S = 60.0


def replay(context: Context) -> int:
    """Judge a submission as it was judged; 0 when every case has the same verdict, 1 when not, 3 for a fault of ours."""
    from judge.grading.grade import grade
    from judge.replay import compare, laid_out, load_stored
    from judge.startup import open_grader

    stored = load_stored(context.database, context.args.submission)
    with laid_out(stored) as problem:
        context.note("starting", sandbox=context.config.sandbox)
        with open_grader(context.config.sandbox, 1, spares=0, problems=[problem]) as (_, grader):
            graded = grade(problem, stored.source, grader=grader, seed=stored.seed, mode=stored.mode)
    for fault in graded.faults:
        context.note("fault", why=fault)
    report = graded.report()
    cases = compare(stored.report, report)
    same = all(case.same for case in cases) and stored.report["verdict"] == report["verdict"]
    if context.args.json:
        told = _as_json(context, stored, report, cases, same)
        context.out.print(json.dumps(told, ensure_ascii=False, allow_nan=False))
    else:
        label = problem.label_in(context.lang)
        context.say("replayed", id=stored.submission_id, label=label, version=stored.problem_version[:12])
        _show(context, stored, report, cases, same)
    if graded.verdict is Verdict.SE:
        return 3
    return 0 if same else 1


def _as_json(
    context: Context, stored: Stored, report: dict[str, Any], cases: list[CaseVerdicts], same: bool
) -> dict[str, Any]:
    """The object of ``replay --json``, format 1; the seed is null below level full."""
    shown = ("verdict", "score", "limits", "backend", "protections", "versions")
    return {
        "format": 1,
        "submission": stored.submission_id,
        "judgement": stored.judgement_id,
        "problem": report["problem"],
        "slug": report["slug"],
        "problem_version": stored.problem_version,
        "mode": stored.mode,
        "seed": stored.seed if context.config.level == "full" else None,
        "same": same,
        "stored": {name: stored.report.get(name) for name in shown},
        "replayed": {name: report[name] for name in shown},
        "cases": [
            {"name": case.name, "stored": case.stored, "replayed": case.replayed, "same": case.same}
            for case in cases
        ],
    }


def _show(
    context: Context, stored: Stored, report: dict[str, Any], cases: list[CaseVerdicts], same: bool
) -> None:
    from judge.replay import changed_surroundings

    out = context.out
    different = [case for case in cases if not case.same]
    for case in different:
        then, now = case.stored or "-", case.replayed or "-"
        out.print(out.wrap(context.text("replay-case", name=case.name, then=then, now=now), "  "))
    for name, (then, now) in changed_surroundings(stored.report, report).items():
        context.say("replay-changed", name=name, then=then, now=now)
    then, now = stored.report["verdict"], report["verdict"]
    if same:
        context.say("replay-same", count=len(cases), verdict=now, score=f"{report['score']:g}")
    else:
        context.say("replay-different", count=len(different), total=len(cases), then=then, now=now)


def rejudge(context: Context) -> int:
    """Judge submissions again with their seeds on the problem as it is now; 3 when one ends in a fault of ours."""
    from judge.lock import DataInUse
    from judge.service import Service

    chosen = _chosen(context)
    if not chosen:
        context.say("rejudge-none")
        return 0
    service = Service(context.config)
    context.note("starting", sandbox=context.config.sandbox)
    try:
        service.start()
    except DataInUse as used:
        return _leave_to_server(context, list(chosen), str(used.values["address"]))
    try:
        for submission_id in chosen:
            service.rejudge(submission_id)
        verdicts = [_told(context, service, number, before) for number, before in chosen.items()]
    finally:
        service.close()
    return 3 if "SE" in verdicts else 0


def _chosen(context: Context) -> dict[int, str]:
    """The submissions meant and what each came to so far; NoSubmission for a number that is none."""
    from judge import submissions

    args = context.args
    if not args.submissions and args.problem is None:
        why = line("usage.missing", context.lang, names="ID")
        raise UserError("usage", command=f"{judge_command()} rejudge", why=why)
    chosen: dict[int, str] = {}
    with context.database.read() as session:
        ids = list(args.submissions)
        if args.problem is not None:
            ids += submissions.judged_ids(session, context.find(args.problem).slug)
        for number in ids:
            judgement = submissions.latest(session, number)
            if judgement is None:
                raise submissions.NoSubmission("no-submission", id=number)
            chosen[number] = _result(judgement.verdict, judgement.score)
    return chosen


def _leave_to_server(context: Context, ids: list[int], address: str) -> int:
    """Queue the judgements: the server that holds the folder looks for such every few seconds."""
    from judge import submissions

    with context.database.write() as session:
        for number in ids:
            submissions.rejudge(session, number)
    context.say("rejudge-left", count=len(ids), address=address)
    return 0


def _told(context: Context, service: Service, submission_id: int, before: str) -> str | None:
    """Wait for one submission, print what it came to before and now; returns its verdict."""
    from judge import submissions

    while not service.wait(submission_id, WAIT_S):
        pass
    view = service.view(submission_id, context.lang)
    with context.database.read() as session:
        judgement = submissions.newest(session, submission_id)
    assert view is not None and judgement is not None
    now = _result(judgement.verdict, judgement.score)
    label = f"#{view['problem']} {view['slug']} {view['title']}"
    context.say("rejudged", id=submission_id, label=label, before=before, now=now)
    return judgement.verdict


def _result(verdict: str | None, score: float | None) -> str:
    return f"{verdict or '-'}" if score is None else f"{verdict} {score:g}"
