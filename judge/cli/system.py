"""The commands about the judge itself: doctor, serve, check, lang."""

from __future__ import annotations

import os
import sys

from judge.cli.context import Context
from judge.config import REPOSITORY, Config, save_language

MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "bad": ("✗", "red")}


def doctor(context: Context) -> int:
    """Say what works here and what stands in the way; 3 when nothing can be judged."""
    from judge.doctor import examine

    bad = 0
    for finding in examine(context.config, context.lang):
        sign, colour = MARKS[finding.level]
        context.out.print(f"{context.out.style(sign, colour)} {finding.text}")
        bad += finding.level == "bad"
    context.out.print()
    context.say("doctor-bad" if bad else "doctor-good", count=bad)
    return 3 if bad else 0


def serve(context: Context) -> int:
    """Say where the data lies and hand the process over to the web server."""
    environ = {**os.environ, **server_environment(context.config, context.lang)}
    host, port = context.args.host, context.args.port
    environ |= {name: value for name, value in (("JUDGE_HOST", host), ("JUDGE_PORT", port)) if value}
    config = Config.from_env(environ)
    context.say("serving", data=config.data, address=config.address)
    sys.stdout.flush()
    os.chdir(
        REPOSITORY
    )  # `-m` looks in the current folder first, and a learner's may hold a `web` of its own
    os.execve(sys.executable, [sys.executable, "-m", "web"], environ)


def server_environment(config: Config, lang: str) -> dict[str, str]:
    """The settings for a server that starts in another folder: every path made absolute."""
    extra_roots = os.pathsep.join(str(root) for root in config.problem_roots[1:])
    return {
        "JUDGE_DATA": str(config.data),
        "JUDGE_DATABASE_URL": config.database_url,
        "JUDGE_WORKSPACE": str(config.workspace),
        "JUDGE_PROBLEMS": extra_roots,
        "JUDGE_LANG": lang,
        "JUDGE_SANDBOX": config.sandbox,
        "JUDGE_GRADER": str(config.grader or ""),
        "JUDGE_RUN_FOLDER": config.run_folder,
        "JUDGE_DOCKER_RUNTIME": config.docker_runtime,
    }


def check(context: Context) -> int:
    """The gate that every problem passes: solutions, wrong solutions, stubs, mutations."""
    from judge.authoring import gate

    names = context.args.problems
    problems = [context.find(name) for name in names] if names else context.catalogue.all()
    args, config = context.args, context.config
    manner = gate.Manner(
        json=args.json,
        quick=args.quick,
        lang=context.lang,
        verbose=args.verbose,
        watch=args.watch,
        workers=config.workers,
        data=None if args.no_cache else config.data,
    )
    return gate.main(problems, config.sandbox, manner)


def lang(context: Context) -> int:
    """Show the language, or keep another one for later."""
    if context.args.language:
        save_language(context.config.data, context.args.language)
        context.lang = context.args.language
    context.say("language")
    return 0
