"""The web site over a range: some people, the real judge, and a record of what an attack on it came to."""

from __future__ import annotations

import dataclasses
import re
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from judge.config import Config
from judge.dispatch.base import Result
from judge.grading.grade import grade
from judge.jobs import Job
from judge.models import Judgement, User
from judge.passwords import hash_password
from judge.service import Service
from tests.attacks.attack import Attack
from tests.attacks.shooting import BANK, Range
from web.app import create_app

PASSWORD = "correct horse"
PATIENCE_S = 300  # a flood of twenty is judged first, on whatever machine this is
LEARNERS = ("anna", "ben", "carl", "dora")  # who floods the site gets no further for a minute


class Site:
    """What an attack on the site gets as its only argument."""

    def __init__(self, folder: Path, shooting_range: Range) -> None:
        url = f"sqlite:///{folder / 'judge.sqlite3'}"
        config = Config(folder, (BANK,), url, lang="en", workers=1, accounts=True)
        config = dataclasses.replace(config, level="diagnosis")
        self.solution = shooting_range.problem.solution
        self.told: list[str] = []
        self._range = shooting_range
        self._gate = threading.Event()
        self._gate.set()
        self.service = Service(config, judge=self._judge)
        self.service.start()
        self._add_people()
        self.app: Flask = create_app(self.service, config)

    def close(self) -> None:
        """Stop judging."""
        self._gate.set()
        self.service.close()

    def _add_people(self) -> None:
        secret = hash_password(PASSWORD, "")
        with self.service.database.write() as session:
            for name, role in (*((name, "learner") for name in LEARNERS), ("ines", "instructor")):
                session.add(User(name=name, full_name=name, role=role, password_hash=secret))

    def _judge(
        self, job: Job, on_start: Callable[[int], None], on_case: Callable[[dict[str, Any]], None]
    ) -> Result:
        self._gate.wait(60)
        graded = grade(
            self._range.problem,
            job.source,
            grader=self._range.grader,
            seed=job.seed,
            mode=job.mode,
            on_start=on_start,
            on_case=on_case,
        )
        return Result(graded.report(), graded.problem)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nothing is judged meanwhile."""
        self._gate.clear()
        try:
            yield
        finally:
            self._gate.set()

    def enter(self, name: str) -> FlaskClient:
        """A browser in which somebody has logged in."""
        client = self.app.test_client()
        found = re.search(r'name="csrf" value="([^"]+)"', client.get("/login").text)
        assert found is not None
        answer = client.post("/login", data={"csrf": found[1], "name": name, "password": PASSWORD})
        assert answer.status_code == 303, answer.text
        return client

    def judged(self, client: FlaskClient, source: str) -> dict[str, Any]:
        """Submit and wait for the verdict."""
        answer = client.post("/api/submissions", json={"problem": 990, "source": source, "mode": "submit"})
        assert answer.status_code in (201, 202), answer.text
        return self.wait(client, answer.get_json()["id"])

    def wait(self, client: FlaskClient, number: int) -> dict[str, Any]:
        """The view of a submission once it is judged."""
        assert self.service.wait(number, PATIENCE_S)
        view: dict[str, Any] = client.get(f"/api/submissions/{number}").get_json()
        return view

    def settle(self) -> None:
        """Wait until nothing is left to be judged."""
        with self.service.database.read() as session:
            waiting = session.scalars(select(Judgement.submission_id).where(Judgement.status != "done")).all()
        for number in waiting:
            assert self.service.wait(number, PATIENCE_S)

    def judged_more_than_once(self) -> int:
        """How many submissions have more than one judgement, or one that was taken up twice."""
        with self.service.database.read() as session:
            twice = select(Judgement.submission_id).group_by(Judgement.submission_id)
            again = session.scalars(twice.having(func.count() > 1)).all()
            taken = session.scalars(select(Judgement.id).where(Judgement.attempt > 1)).all()
        return len(again) + len(taken)

    def tell(self, what: str, came: object, harmless: Collection[object]) -> None:
        """Note what came of one step, and whether that is as it should be."""
        self.told.append(f"{what}: {came}" if came in harmless else f"{what}: WORKED, {came}")


def made_on(site: Site, attack: Attack) -> list[str]:
    """Make an attack on the site; why it does not count as defeated."""
    module = ModuleType(attack.name)
    exec(compile(attack.source, str(attack.path), "exec"), vars(module))
    site.told.clear()
    module.attack(site)
    site.settle()
    told = "\n".join(site.told)
    found = [line for line in site.told if "WORKED" in line]
    return found + [
        f"nothing shows {shows!r}:\n{told}" for shows in attack.shows if not re.search(shows, told)
    ]
