"""A class behind one address: everybody logs in, submits and watches, as web/static/js/judge.js does.

By hand: ``python -m tests.soak.crowd --people 500 --seconds 30`` prints, as JSON, what the server used and how long pages took.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from judge.db import Database
from judge.models import User
from judge.passwords import hash_password

ROOT = Path(__file__).parents[2]
PASSWORD = "a-long-one-7"
PROBLEM = "ms-attn-metadata"
SOURCE = "import time\n\ntime.sleep(2)\n"  # takes its time and uses no CPU, so that the figures are the server's alone
FIRST_S, GROWTH, LONGEST_S, BETWEEN_S = 0.25, 1.15, 2.0, 0.08  # judge.js has the same
PAGES = {
    "list": "/",
    "problem": f"/problems/{PROBLEM}",
    "chapter": "/chapters/5",
    "panel": "/submissions/{}/panel",
}
START_LIMIT_S, ANSWER_LIMIT_S = 120.0, 60.0


@dataclass
class Answer:
    """A response: its status, its headers by small letters, its text."""

    status: int
    headers: dict[str, str]
    text: str


class Browser:
    """One person's connection, kept alive, with its cookies."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._cookies: dict[str, str] = {}
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: str = "", **headers: str) -> Answer:
        """One request and its answer; TimeoutError where none comes."""
        asked = (method, path, body, headers)
        try:
            return await asyncio.wait_for(self._ask(*asked), ANSWER_LIMIT_S)
        except (
            ConnectionError,
            asyncio.IncompleteReadError,
        ):  # an idle connection was closed: browsers ask anew
            self.close()
            return await asyncio.wait_for(self._ask(*asked), ANSWER_LIMIT_S)

    async def _ask(self, method: str, path: str, body: str, headers: dict[str, str]) -> Answer:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        data = body.encode()
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent |= {"Host": f"127.0.0.1:{self._port}", "Content-Length": str(len(data))}
        sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items()), "", ""]
        writer.write("\r\n".join(lines).encode() + data)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status, found = int(head[0].split()[1]), {}
        for line in filter(None, head[1:]):
            name, _, value = line.partition(": ")
            if name.lower() == "set-cookie":
                key, _, kept = value.partition(";")[0].partition("=")
                self._cookies[key] = kept
            found[name.lower()] = value
        text = (await reader.readexactly(int(found.get("content-length", 0)))).decode()
        if found.get("connection", "").lower() == "close":
            self.close()
        return Answer(status, found, text)

    def close(self) -> None:
        """Ends the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def log_in(self, name: str) -> int:
        """The status of the login; 303 is right."""
        form = (await self.ask("GET", "/login")).text
        token = re.search(r'name="csrf" value="([^"]+)"', form)
        assert token is not None, form[:500]
        fields = {"csrf": token[1], "name": name, "password": PASSWORD}
        kind = "application/x-www-form-urlencoded"
        return (await self.ask("POST", "/login", urlencode(fields), Content_Type=kind)).status

    async def submit(self) -> Answer:
        """Has the waiting source judged."""
        body = json.dumps({"problem": PROBLEM, "source": SOURCE, "mode": "submit"})
        return await self.ask("POST", "/api/submissions", body, Content_Type="application/json")


@dataclass
class Found:
    """What a crowd met."""

    people: int
    logins: Counter[int] = field(default_factory=Counter)  # by status
    submits: Counter[int] = field(default_factory=Counter)
    polls: Counter[int] = field(default_factory=Counter)
    too_many: Counter[int] = field(default_factory=Counter)  # of one person who submits without end
    beside: int = 0  # the status that somebody else met right after
    server_cores: float = 0.0  # of the web process, while all watch
    pages_ms: dict[str, list[float]] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """The figures as JSON takes them: p50 and p95 of each page in milliseconds."""
        pages = {
            name: [round(statistics.median(ms), 1), round(p95(ms), 1)] for name, ms in self.pages_ms.items()
        }
        return {**vars(self), "pages_ms": pages, "server_cores": round(self.server_cores, 3)}


def p95(figures: list[float]) -> float:
    """The value that one in twenty exceeds."""
    return statistics.quantiles(figures, n=20)[-1] if len(figures) > 1 else figures[0]


async def crowd(port: int, pid: int, people: int, seconds: float) -> Found:
    """Everybody logs in, submits, and watches for ``seconds`` while one more person opens pages."""
    found = Found(people)
    browsers = [Browser(port) for _ in range(people)]
    gate = asyncio.Semaphore(20)

    async def arrive(number: int) -> int:
        async with gate:
            found.logins[await browsers[number].log_in(f"learner{number}")] += 1
            answer = await browsers[number].submit()
            found.submits[answer.status] += 1
            return int(json.loads(answer.text).get("id", 0))

    visitor = Browser(port)
    await visitor.log_in("learner0")
    submissions = await asyncio.gather(*map(arrive, range(people)))
    over = time.monotonic() + seconds
    watching = [
        asyncio.create_task(_watch(browser, number, found, over))
        for browser, number in zip(browsers, submissions, strict=True)
    ]
    await asyncio.sleep(seconds / 4)  # by then the pauses between questions have grown
    began, used = time.monotonic(), _cpu_s(pid)
    await asyncio.sleep(seconds / 4)
    found.server_cores = (_cpu_s(pid) - used) / (time.monotonic() - began)
    while not found.pages_ms or time.monotonic() < over - 0.5:  # each page once, however busy the machine
        for name, path in PAGES.items():
            asked = time.monotonic()
            answer = await visitor.ask("GET", path.format(submissions[0]))
            found.pages_ms.setdefault(name, []).append(1000 * (time.monotonic() - asked))
            assert answer.status == 200, (path, answer.status)
            await asyncio.sleep(0.2)
    await asyncio.gather(*watching)
    for _ in range(40):
        found.too_many[(await visitor.submit()).status] += 1
    found.beside = (await browsers[-1].submit()).status
    for browser in [*browsers, visitor]:
        browser.close()
    return found


async def _watch(browser: Browser, number: int, found: Found, over: float) -> None:
    """Follows one panel as the page does."""
    tag, pause = "", FIRST_S
    while time.monotonic() < over:
        asked = time.monotonic()
        headers = {"Prefer": "wait=2", **({"If_None_Match": tag} if tag else {})}
        answer = await browser.ask("GET", f"/submissions/{number}/panel", **headers)
        found.polls[answer.status] += 1
        if answer.status == 200:
            tag, pause = answer.headers["etag"], FIRST_S
            if 'data-status="done"' in answer.text:
                return
            await asyncio.sleep(float(answer.headers.get("retry-after", BETWEEN_S)))
        elif time.monotonic() - asked < LONGEST_S / 2:
            await asyncio.sleep(float(answer.headers.get("retry-after", pause)))
            pause = min(LONGEST_S, pause * GROWTH)


def _cpu_s(pid: int) -> float:
    """CPU seconds of a process so far, without its children."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def serve_and_watch(people: int, seconds: float, sandbox: str, cores: Collection[int] = ()) -> Found:
    """A server of its own with ``people`` accounts, held to ``cores`` with all that it starts, and its crowd."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        database = Database(f"sqlite:///{data / 'judge.sqlite3'}")
        database.upgrade()
        password = hash_password(PASSWORD, "everybody")
        with database.write() as session:
            session.add(User(name="teacher", role="admin", password_hash=password))
            session.add_all(
                User(name=f"learner{n}", role="learner", password_hash=password) for n in range(people)
            )
        database.close()
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
            port = sock.getsockname()[1]
        settings = {"DATA": folder, "PORT": str(port), "SANDBOX": sandbox, "ACCOUNTS": "on"}
        env = {**os.environ, **{f"JUDGE_{name}": value for name, value in settings.items()}}
        log = data / "log"
        with log.open("w") as out:
            ours = os.sched_getaffinity(0)
            os.sched_setaffinity(0, cores or ours)
            server = subprocess.Popen(
                [sys.executable, "-m", "web"], cwd=ROOT, env=env, stdout=out, stderr=out
            )
            os.sched_setaffinity(0, ours)
        try:
            _wait_for(port, server, log)
            return asyncio.run(crowd(port, server.pid, people, seconds))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_LIMIT_S
    while server.poll() is None and time.monotonic() < until:
        with socket.socket() as sock:
            if (
                sock.connect_ex(("127.0.0.1", port)) == 0
                and asyncio.run(Browser(port).ask("GET", "/healthz")).status == 200
            ):
                return
        time.sleep(0.2)
    raise RuntimeError(log.read_text()[-2000:])


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--sandbox", default="landlock")
    parser.add_argument("--cores", type=int, nargs="*", default=[], help="of the server; the crowd has all")
    asked = parser.parse_args()
    found = serve_and_watch(asked.people, asked.seconds, asked.sandbox, asked.cores)
    print(json.dumps(found.told(), indent=2))


if __name__ == "__main__":
    main()
