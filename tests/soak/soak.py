"""Many mixed submissions through the embedded dispatcher while processes are killed at random: nothing lost, nothing twice.

By hand: ``python -m tests.soak.soak --count 10000 --backend landlock --minutes 60`` prints what came of it, as JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from judge import queued, submissions
from judge.db import Database
from judge.dispatch.base import Result
from judge.dispatch.embedded import EmbeddedDispatcher
from judge.grading.grade import Grader, grade
from judge.jobs import Job
from judge.models import Judgement, Submission
from judge.problem import load_problem
from judge.users import local_user
from sandbox.pool import Settings, open_pool

ADD = Path(__file__).parents[1] / "judge" / "bank" / "tiny" / "901-add"
_HEAD = "def add(a, b):\n    "
KINDS: dict[str, tuple[str, str]] = {  # name: source, verdict
    "right": (_HEAD + "return a + b\n", "AC"),
    "right, in threads": (
        "from concurrent.futures import ThreadPoolExecutor as P\n"
        + _HEAD
        + "return P(2).submit(a.add, b).result()\n",
        "AC",
    ),
    "wrong": (_HEAD + "return a - b\n", "WA"),
    "raises": (_HEAD + "return a + missing\n", "RE"),
    "exits": (_HEAD + "__import__('os')._exit(0)\n", "RE"),
    "kills itself": (_HEAD + "__import__('os').kill(__import__('os').getpid(), 9)\n", "RE"),
    "does not parse": ("def add(a, b:\n", "CE"),
    "takes memory": (_HEAD + "return bytearray(1 << 40)\n", "MLE"),
    "floods": (_HEAD + "print('x' * 1_000_000)\n    return a + b\n", "OLE"),
    "forges": (_HEAD + "__import__('os').write(3, b'x' * 64)\n    return a + b\n", "RE"),
    "forks": (_HEAD + "__import__('os').fork()\n    return a + b\n", "RE"),
    "leaves things": ("import torch, os\ntorch.add = None\n" + _HEAD + "return a * 0\n", "WA"),
}
RARE = {"loops": (_HEAD + "while True: pass\n", "TLE")}  # each costs seconds
_RARE_EVERY = 40
_WAITING_EACH = 4  # submissions ahead of the judge, for each worker


@dataclass
class Account:
    """What a soak came to."""

    backend: str = ""
    sent: int = 0
    wrong_verdicts: list[str] = field(default_factory=list)
    lost: int = 0  # not done at the end
    twice: int = 0  # with more than one judgement
    ours: int = 0  # SE: three attempts in a row were killed
    kills: Counter[str] = field(default_factory=Counter)
    memory_mib: dict[str, list[int]] = field(
        default_factory=lambda: {"judge": [], "grader": [], "zygote": []}
    )  # resident, over time
    seconds: float = 0.0

    def growth_mib(self, name: str) -> int:
        """By how much the least of the last third is above that of the second; 0 where too little was seen."""
        seen = [one for one in self.memory_mib[name] if one]
        third = len(seen) // 3
        return min(seen[-third:]) - min(seen[third : 2 * third]) if third else 0


class Soak:
    """A database, a pool, a grader and a dispatcher in a folder of their own."""

    def __init__(self, folder: Path, backend: str, seed: int, workers: int = 2) -> None:
        self.account = Account(backend=backend)
        self._random = random.Random(seed)
        self._problem = load_problem(ADD)
        self._database = Database(f"sqlite:///{folder / 'judge.sqlite3'}")
        self._database.upgrade()
        self._user = local_user(self._database)
        self._pool = open_pool(backend, size=workers, settings=Settings(spares=1))
        self._grader = Grader(self._pool)
        self._grader.start()
        self._dispatcher = EmbeddedDispatcher(
            self._database, self._judge, owner="soak", workers=workers, poll_s=0.2
        )
        self._ahead = _WAITING_EACH * workers
        self._expected: dict[int, str] = {}
        self._done = 0
        self._over = threading.Event()

    def close(self) -> None:
        """End everything."""
        self._over.set()
        self._dispatcher.close()
        self._grader.close()
        self._pool.close()
        self._database.close()

    def run(self, count: int, limit_s: float, kill_every: int) -> Account:
        """Send ``count`` submissions, or as many as ``limit_s`` allows, and wait for all; kills meanwhile."""
        began = time.monotonic()
        self._dispatcher.start()
        killer = threading.Thread(target=self._kill_now_and_then, args=(kill_every,), daemon=True)
        killer.start()
        while self.account.sent < count and time.monotonic() - began < limit_s:
            if self._waiting() < self._ahead:
                self._send()
                self._weigh()
            else:
                time.sleep(0.02)
        self._finish(limit_s=300)
        self._over.set()
        killer.join()
        self._weigh()
        self.account.seconds = round(time.monotonic() - began, 1)
        self._audit()
        return self.account

    def _judge(self, job: Job, on_start: Callable[[int], None], on_case: Callable[[Any], None]) -> Result:
        graded = grade(
            self._problem,
            job.source,
            grader=self._grader,
            seed=job.seed,
            mode=job.mode,
            on_start=on_start,
            on_case=on_case,
        )
        self._done += 1
        return Result(graded.report(), graded.problem)

    def _send(self) -> None:
        self.account.sent += 1
        kinds = RARE if self.account.sent % _RARE_EVERY == 0 else KINDS
        source, verdict = kinds[self._random.choice(list(kinds))]
        with self._database.write() as session:
            text = f"{source}# {self.account.sent}\n".encode()
            number = submissions.submit(session, self._user, self._problem, text, "submit").submission_id
        self._expected[number] = verdict
        self._dispatcher.dispatch(number)

    def _waiting(self) -> int:
        with self._database.read() as session:
            return queued.count(session)

    def _finish(self, limit_s: float) -> None:
        until_s = time.monotonic() + limit_s
        unfinished = select(func.count()).select_from(Judgement).where(Judgement.status != "done")
        while time.monotonic() < until_s:
            with self._database.read() as session:
                if not session.scalar(unfinished):
                    return
            time.sleep(0.1)

    def _kill_now_and_then(self, every: int) -> None:
        """Kill somebody each time that about so many more are done: a slow machine gets no more of it than a fast one."""
        killed_at = 0
        while not self._over.wait(0.05):
            if self._done - killed_at < self._random.uniform(0.5, 1.5) * every:
                continue
            killed_at = self._done
            name, kill = self._random.choice(list(self._victims()))
            with contextlib.suppress(ProcessLookupError):
                kill()
                self.account.kills[name] += 1

    def _victims(self) -> Iterator[tuple[str, Callable[[], object]]]:
        for zygote in [*self._pool._busy, *self._pool._idle]:
            yield "zygote", zygote.end
        if self._grader.pid is not None:
            yield "grader", functools.partial(os.kill, self._grader.pid, signal.SIGKILL)
            for template in _children(self._grader.pid):
                yield "template", functools.partial(os.kill, template, signal.SIGKILL)
                for judgement in _children(template):
                    yield "judgement", functools.partial(os.kill, judgement, signal.SIGKILL)

    def _weigh(self) -> None:
        self.account.memory_mib["judge"].append(_rss_mib(os.getpid()))
        self.account.memory_mib["grader"].append(_rss_mib(self._grader.pid or 0))
        zygotes = [*self._pool._idle, *self._pool._busy]
        pids = [int(one.name.split()[1]) for one in zygotes if one.name.startswith("process")]
        self.account.memory_mib["zygote"].append(max(map(_rss_mib, pids), default=0))

    def _audit(self) -> None:
        with self._database.read() as session:
            found = session.execute(
                select(Submission.id, Judgement.verdict, Judgement.status).join(Judgement)
            ).all()
        seen: Counter[int] = Counter()
        for number, verdict, status in found:
            seen[number] += 1
            if status != "done":
                self.account.lost += 1
            elif verdict == "SE":
                self.account.ours += 1
            elif verdict != self._expected[number]:
                self.account.wrong_verdicts.append(f"{number}: {verdict} and not {self._expected[number]}")
        self.account.twice = sum(count > 1 for count in seen.values())
        self.account.lost += len(self._expected.keys() - seen.keys())


def _children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _rss_mib(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        return next(int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmRSS"))
    except (OSError, StopIteration):
        return 0


def soak(backend: str, count: int, limit_s: float, kill_every: int, seed: int, workers: int = 2) -> Account:
    """One soak in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        one = Soak(Path(folder), backend, seed, workers)
        try:
            return one.run(count, limit_s, kill_every)
        finally:
            one.close()


def main() -> None:
    """The command line; exit status 1 where something was lost, judged twice or wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="landlock")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--kill-every", type=int, default=25, metavar="JUDGEMENTS")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    found = soak(asked.backend, asked.count, 60 * asked.minutes, asked.kill_every, asked.seed, asked.workers)
    told = {
        **vars(found),
        "kills": dict(found.kills),
        "growth_mib": {name: found.growth_mib(name) for name in found.memory_mib},
    }
    told["memory_mib"] = {name: seen[:: max(1, len(seen) // 12)] for name, seen in found.memory_mib.items()}
    print(json.dumps(told, indent=2))
    sys.exit(bool(found.lost or found.twice or found.wrong_verdicts))


if __name__ == "__main__":
    main()
