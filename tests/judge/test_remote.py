"""A web server and a grader of its own: the same judgement over the socket, and neither side trusts the other's bytes."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from judge import VERSION
from judge.catalogue import Catalogue
from judge.config import Config
from judge.grading.grade import Grader, grade
from judge.grading.link import receive_frame, send_frame
from judge.grading.report import Grade
from judge.grading.seam import NotGraded, OwnGrading
from judge.problem import Problem, load_problem
from judge.remote.client import NoGrader, RemoteGrading
from judge.remote.frames import PROTOCOL, BadFrame, read_request
from judge.remote.server import GraderServer, listening
from judge.service import Service
from judge.startup import open_grading
from judge.verdict import Verdict
from sandbox.contract import Limits
from sandbox.pool import NoBackend, Pool, open_pool
from tests.conftest import missing
from tests.judge.conftest import BANK

ROOT = Path(__file__).parents[2]
WRONG = b"def add(a, b):\n    return a - b\n"
HELLO: dict[str, Any] = {
    "protocol": PROTOCOL,
    "judge": VERSION,
    "backend": "landlock",
    "protections": {"network": "none"},
    "size": 2,
}
Answer = Callable[[socket.socket], None]


@pytest.fixture(scope="module")
def own() -> Iterator[tuple[Pool, Grader]]:
    """Pool and warm grader of this process, on the backend that needs no service."""
    try:
        pool = open_pool("landlock", size=1)
    except NoBackend as error:
        missing(str(error))
    with pool, Grader(pool) as grader:
        yield pool, grader


@pytest.fixture(scope="module")
def remote(own: tuple[Pool, Grader], tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteGrading]:
    """The way to a grader with the tiny bank, whose server runs in a thread of this process."""
    path = tmp_path_factory.mktemp("socket") / "grader.sock"
    with listening(path) as listener:
        server = GraderServer(OwnGrading(*own), Catalogue([BANK]))
        threading.Thread(target=server.serve, args=[listener], daemon=True).start()
        yield RemoteGrading(path, wait_s=5)
        listener.shutdown(socket.SHUT_RDWR)


@contextmanager
def answering(path: Path, *answers: Answer) -> Iterator[Path]:
    """A grader that greets and then does as told, one answer for each connection, the last for all that follow."""

    def serve(listener: socket.socket) -> None:
        for number in range(1_000_000):
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            with sock:
                answers[min(number, len(answers) - 1)](sock)

    with listening(path) as listener:
        threading.Thread(target=serve, args=[listener], daemon=True).start()
        yield path
        listener.shutdown(socket.SHUT_RDWR)


def saying(*frames: Any) -> Answer:
    """Greets, reads the request, says ``frames`` and hangs up."""

    def answer(sock: socket.socket) -> None:
        send_frame(sock, {"hello": HELLO})
        if receive_frame(sock, time.monotonic() + 10) is not None:
            for frame in frames:
                sock.sendall(frame) if isinstance(frame, bytes) else send_frame(sock, frame)

    return answer


def judged(grading: RemoteGrading, problem: Problem, source: bytes, heard: list[Any] | None = None) -> Grade:
    told: list[Any] = [] if heard is None else heard
    return grading.grade(
        problem,
        source,
        seed="s",
        mode="submit",
        on_start=told.append,
        on_case=lambda c: told.append(c["name"]),
    )


def test_scratch_lines_go_over_the_socket_too(remote: RemoteGrading, adding: Problem) -> None:
    graded = remote.grade(
        adding,
        adding.solution.encode(),
        seed="s",
        mode="scratch",
        on_start=lambda _: None,
        on_case=lambda _: None,
        lines="add(1, 2)",
    )
    assert [one["text"] for one in graded.cases[0]["detail"]["values"]] == ["3"]


@pytest.mark.parametrize(
    "more", [{"mode": "scratch"}, {"lines": "1"}, {"mode": "scratch", "lines": "1", "keep": "x"}]
)
def test_scratch_lines_that_do_not_go_with_the_rest_are_refused(more: dict[str, str]) -> None:
    asked = {"slug": "s", "version": "v", "mode": "run", "seed": "s", "source": ""}
    with pytest.raises(BadFrame):
        read_request({"grade": {**asked, **more}})


@pytest.mark.parametrize("which", ["solution", "wrong", "broken", "too long"])
def test_a_judgement_over_the_socket_is_the_one_made_here(
    which: str, remote: RemoteGrading, own: tuple[Pool, Grader], adding: Problem
) -> None:
    sources = {"wrong": WRONG, "broken": b"def add(:\n", "too long": b"#" * (200 << 10)}
    source = sources.get(which, adding.solution.encode())
    heard: list[Any] = []
    there = judged(remote, adding, source, heard)
    here = grade(adding, source, grader=own[1], seed="s")

    def fixed(report: dict[str, Any]) -> dict[str, Any]:
        cases = [{**case, "time_s": 0, "memory_mib": 0} for case in report["cases"]]
        return {**report, "phases": {}, "cases": cases}

    assert fixed(there.report()) == fixed(here.report())
    assert there.verdict is not Verdict.SE and there.problem is adding
    assert heard == [len(here.cases), *(case["name"] for case in here.cases)]


def test_the_server_is_told_what_the_grader_lacks(
    remote: RemoteGrading, adding: Problem, counting: Problem, with_hidden: Callable[[str], Problem]
) -> None:
    other = with_hidden("")
    assert remote.differing([adding, counting]) == []
    assert remote.differing([other, counting]) == [other]
    with pytest.raises(NotGraded) as refused:
        judged(remote, other, WRONG)
    assert refused.value.key == "grader-differs"


def test_a_judgement_that_nobody_waits_for_ends(
    remote: RemoteGrading, own: tuple[Pool, Grader], adding: Problem
) -> None:
    class Left(Exception):
        pass

    def leave(_: int) -> None:
        raise Left

    with pytest.raises(Left):
        remote.grade(
            adding, WRONG, seed="s", mode="submit", on_start=leave, on_case=lambda case: None
        )  # closes the connection
    assert judged(remote, adding, WRONG).verdict is Verdict.WA


@pytest.mark.parametrize(
    "said",
    [
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x05[[[[[",
        b"\x00\x00\x00\x02[]",
        b"\x00\x00\x00\x02\xff\xff",
        {"grade": {"slug": "add"}},
        {"grade": {"slug": "add", "version": "", "mode": "all", "seed": "", "source": ""}},
        {"grade": {"slug": "add", "version": "", "mode": "run", "seed": 1, "source": ""}},
        {"grade": {"slug": "add", "version": "", "mode": "run", "seed": "", "source": "no base64"}},
        {"grade": {"slug": "add", "version": "", "mode": "run", "seed": "", "source": "", "folder": "/"}},
        {"compare": {"add": 7}},
        {"compare": [1]},
        {"run": "anything"},
    ],
)
def test_a_grader_answers_no_nonsense_and_stays(said: Any, remote: RemoteGrading, adding: Problem) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(remote._path))
        deadline = time.monotonic() + 30
        assert set(receive_frame(sock, deadline) or {}) == {"hello"}
        sock.sendall(said) if isinstance(said, bytes) else send_frame(sock, said)
        assert receive_frame(sock, deadline) is None
    assert remote.differing([adding]) == []


@pytest.mark.parametrize("slug", ["add", "901", "../901-add", "/"])
def test_a_problem_is_named_by_slug_and_version_alone(slug: str, remote: RemoteGrading) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(remote._path))
        receive_frame(sock, time.monotonic() + 30)
        asked = {"slug": slug, "version": "0" * 64, "mode": "run", "seed": "s", "source": ""}
        send_frame(sock, {"grade": asked})
        assert receive_frame(sock, time.monotonic() + 30) == {"refused": "differs"}


CASE = {
    "name": "n", "group": "example", "part": "p", "verdict": "AC", "points": 1, "max_points": 1, "mistake": None,
    "time_s": 0.0, "memory_mib": 0.0, "ran": True, "facts": {}, "detail": {},
}  # fmt: skip


@pytest.mark.parametrize(
    "said",
    [
        (),
        (b"\xff\xff\xff\xff",),
        (b"\x00\x00\x00\x02[]",),
        ({"start": -1},),
        ({"start": True},),
        ({"start": 1, "more": 1},),
        ({"case": {}},),
        ({"case": {**CASE, "verdict": "FINE"}},),
        ({"case": {**CASE, "points": "1"}},),
        ({"case": {**CASE, "facts": []}},),
        ({"case": {**CASE, "name": None}},),
        ({"report": {"verdict": "AC", "cases": [CASE]}, "faults": []},),
        ({"report": None, "faults": []},),
        ({"refused": "because"},),
    ],
)
def test_what_a_grader_says_is_read_strictly_and_else_a_fault_of_ours(
    said: tuple[Any, ...], tmp_path: Path, adding: Problem
) -> None:
    with answering(tmp_path / "s", saying(*said)) as path:
        graded = judged(RemoteGrading(path, wait_s=5), adding, WRONG)
    assert graded.verdict is Verdict.SE and graded.cases == []
    assert len(graded.faults) == 3 and all("the grader was lost" in fault for fault in graded.faults)


def test_verdict_and_score_are_made_from_the_cases(tmp_path: Path, adding: Problem) -> None:
    made = Grade(
        adding, "submit", "s", Verdict.AC, [{**CASE, "verdict": "WA", "points": 0}], Limits(), "docker", {}
    )
    report = {**made.report(), "verdict": "AC", "score": 100.0}
    with answering(tmp_path / "s", saying({"report": report, "faults": []})) as path:
        graded = judged(RemoteGrading(path, wait_s=5), adding, WRONG)
    assert (graded.verdict, graded.score) == (Verdict.WA, 0.0)


def test_a_lost_grader_is_asked_again(tmp_path: Path, adding: Problem, remote: RemoteGrading) -> None:
    def passed_on(sock: socket.socket) -> None:
        with socket.socket(socket.AF_UNIX) as grader:
            grader.connect(str(remote._path))
            send_frame(sock, receive_frame(grader, time.monotonic() + 30) or {})
            send_frame(grader, receive_frame(sock, time.monotonic() + 30) or {})
            while frame := receive_frame(grader, time.monotonic() + 30):
                send_frame(sock, frame)

    answers = [saying(), saying({"alive": True}, {"start": 2}), passed_on]
    with answering(tmp_path / "s", saying(), *answers) as path:
        grading = RemoteGrading(path, wait_s=5)  # takes the first
        heard: list[Any] = []
        assert judged(grading, adding, WRONG, heard).verdict is Verdict.WA
    assert heard[:2] == [2, 2]


@pytest.mark.parametrize(
    ("hello", "lang", "said"),
    [
        ({**HELLO, "judge": "0.0.1"}, "en", "version 0.0.1"),
        ({**HELLO, "protocol": 99}, "en", "another protocol"),
        ({"protocol": PROTOCOL}, "zh", "同一份代码"),
    ],
)
def test_a_grader_of_another_version_is_refused_in_a_line(
    hello: dict[str, Any], lang: str, said: str, tmp_path: Path
) -> None:
    with (
        answering(tmp_path / "s", lambda sock: send_frame(sock, {"hello": hello})) as path,
        pytest.raises(NoGrader) as refused,
    ):
        RemoteGrading(path, wait_s=5)
    assert said in refused.value.line(lang) and str(path) in refused.value.line(lang)
    assert refused.value.status == 3


def test_a_grader_that_starts_later_is_waited_for_aloud(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("judge.startup.SOON_S", 0.3)
    config = Config.from_env({"JUDGE_GRADER": str(tmp_path / "s"), "JUDGE_DATA": str(tmp_path)})
    opened = threading.Event()

    def open_late() -> None:
        while "waiting for the grader" not in caplog.text:
            time.sleep(0.05)
        with answering(tmp_path / "s", saying({"versions": {}})):
            opened.wait(30)

    threading.Thread(target=open_late, daemon=True).start()
    with open_grading(config, []) as grading:
        assert (grading.backend, grading.size) == (HELLO["backend"], HELLO["size"])
    opened.set()


def test_no_grader_is_one_line_that_says_what_to_start(tmp_path: Path) -> None:
    with pytest.raises(NoGrader) as refused:
        RemoteGrading(tmp_path / "none", wait_s=0)
    assert "judge.py grader" in refused.value.line("en") and "JUDGE_GRADER" in refused.value.line("zh")


@contextmanager
def grader_process(path: Path, bank: Path) -> Iterator[subprocess.Popen[str]]:
    """`judge grader` as an operator starts it."""
    environ = {**os.environ, "JUDGE_GRADER": str(path), "JUDGE_PROBLEMS": str(bank), "JUDGE_LANG": "en"}
    environ |= {"JUDGE_SANDBOX": "landlock", "JUDGE_WORKERS": "1"}
    command = [sys.executable, "practice/judge.py", "grader"]
    process = subprocess.Popen(command, cwd=ROOT, env=environ, text=True, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert "The grader is listening on" in process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait()


def submitted(service: Service, problem: Problem, source: bytes) -> Any:
    number = service.submit(problem, source)
    assert service.wait(number, 120.0)
    return service.view(number, "en")


@pytest.mark.timeout(400)  # two graders are started, each of which imports torch more than once
def test_a_server_judges_with_a_grader_that_comes_and_goes(own: object, tmp_path: Path) -> None:
    bank = Path(shutil.copytree(BANK, tmp_path / "bank"))
    path = tmp_path / "grader.sock"
    config = Config.from_env(
        {"JUDGE_DATA": str(tmp_path / "data"), "JUDGE_PROBLEMS": str(bank), "JUDGE_GRADER": str(path)}
    )
    problem = load_problem(bank / "901-add")
    service = Service(config)
    with ExitStack() as stack:
        with grader_process(path, BANK) as process:
            service.start()
            stack.callback(service.close)
            assert service.backend == "landlock"
            assert submitted(service, problem, problem.solution.encode())["verdict"] == "AC"
        assert process.returncode == -signal.SIGKILL and path.exists()
        number = service.submit(problem, WRONG)  # while no grader is there
        with grader_process(path, BANK) as process:
            assert service.wait(number, 120.0)
            view = service.view(number, "en")
            assert view is not None and view["verdict"] == "WA"
            (bank / "901-add" / "hints.en.md").write_text("## Another\n")  # here alone
            differs = submitted(service, load_problem(bank / "901-add"), WRONG)
            assert differs["verdict"] == "SE" and "rebuild and restart both" in differs["message"]
            process.terminate()
            assert process.wait(30) == 0 and not path.exists()
