"""`judge test` beside a running server: judged there at once, and here whenever that cannot be."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest

from judge.catalogue import Catalogue
from judge.grading.report import Grade
from judge.problem import Problem
from judge.remote.place import is_own, place_of, socket_in
from judge.remote.server import Keeper
from judge.remote.takeover import taking_over
from tests.cli.fakes import TINY, FakeGrading, RunCli

HANDED, HERE = "on the server that uses this data folder", "judging here instead"
Serve = Callable[..., Any]


class WarmGrading:
    """Stands for the server's pool and grader."""

    backend, size = "landlock", 2
    protections: ClassVar[dict[str, str]] = {}

    def __init__(self) -> None:
        self.sources: list[bytes] = []
        self.during: Callable[[], None] = lambda: None

    def grade(self, problem: Problem, source: bytes, *, seed: str, mode: str, **_: Any) -> Grade:
        self.sources.append(source)
        self.during()
        return FakeGrading().grade(problem, source, grader=None, seed=seed, mode=mode)


@pytest.fixture
def warm() -> WarmGrading:
    return WarmGrading()


@pytest.fixture
def kept() -> list[tuple[str, bytes]]:
    """What the server was asked to store."""
    return []


@pytest.fixture
def serve(run: RunCli, tmp_path: Path, warm: WarmGrading, kept: list[tuple[str, bytes]]) -> Iterator[Serve]:
    """Starts the server's end on the data folder; it runs until the test is over."""
    for verdict in ("AC", "WA"):
        Path(f"{verdict}.py").write_text(f"{verdict}\n")
    data = tmp_path / "data"
    data.mkdir()

    def keep(graded: Grade, source: bytes) -> str:
        kept.append((str(graded.verdict), source))
        return ""

    with ExitStack() as stack:

        def start(place: str = f"sqlite:///{data / 'judge.sqlite3'}") -> Any:
            keeper = Keeper(place_of(place), keep)
            return stack.enter_context(taking_over(data, warm, Catalogue([TINY]), keeper))

        yield start


def test_a_running_server_judges_and_nothing_is_started(
    run: RunCli, grading: FakeGrading, serve: Serve, warm: WarmGrading, kept: list[tuple[str, bytes]]
) -> None:
    serve()
    told = run("test", "901", "WA.py", "AC.py")
    assert told.status == 1 and HANDED in told.err
    assert sorted(warm.sources) == [b"AC\n", b"WA\n"] and grading.opened == []
    assert sorted(kept) == [("AC", b"AC\n"), ("WA", b"WA\n")]


def test_the_output_is_the_same_as_without(
    run: RunCli, grading: FakeGrading, serve: Serve, warm: WarmGrading
) -> None:
    here = [run("test", "901", "WA.py", "--no-save", *more).out for more in ((), ("--json", "--seed", "s"))]
    serve()
    there = [run("test", "901", "WA.py", "--no-save", *more).out for more in ((), ("--json", "--seed", "s"))]
    assert here == there and len(warm.sources) == 2 and json.loads(there[1])["seed"] == "s"


@pytest.mark.parametrize("how", ["--no-save", "--seed=5eed"])
def test_what_does_not_count_is_not_stored(
    how: str, run: RunCli, grading: FakeGrading, serve: Serve, kept: list[tuple[str, bytes]]
) -> None:
    serve()
    assert run("test", "901", "AC.py", how).status == 0
    assert kept == []


def test_a_socket_that_nobody_answers_costs_one_line(
    run: RunCli, grading: FakeGrading, serve: Serve, tmp_path: Path
) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(socket_in(tmp_path / "data")))
    told = run("test", "901", "AC.py")
    assert (told.status, told.err.count(HERE), len(grading.opened)) == (0, 1, 1)
    serve()  # and a server takes the place of a dead one
    assert HANDED in run("test", "901", "AC.py").err


@pytest.mark.parametrize("where", ["judge.remote.handover.is_own", "judge.remote.takeover.is_own"])
def test_another_user_is_neither_asked_nor_answered(
    where: str,
    run: RunCli,
    grading: FakeGrading,
    serve: Serve,
    warm: WarmGrading,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(where, lambda _: False)
    serve()
    told = run("test", "901", "AC.py")
    assert (told.status, told.err.count(HERE), warm.sources) == (0, 1, [])


def test_another_version_of_the_program_is_not_asked(
    run: RunCli, grading: FakeGrading, serve: Serve, warm: WarmGrading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge.remote.server.VERSION", "0.0.0")
    serve()
    told = run("test", "901", "AC.py")
    assert (told.status, told.err.count(HERE), warm.sources) == (0, 1, [])


def test_a_server_with_another_database_or_problem_does_not_judge(
    run: RunCli, grading: FakeGrading, serve: Serve, warm: WarmGrading, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve("sqlite:////elsewhere")
    told = run("test", "901", "AC.py", "WA.py")
    assert (told.err.count(HERE), warm.sources, len(grading.opened)) == (1, [], 1)
    assert HANDED in run("test", "901", "AC.py", "--no-save").err and warm.sources == [b"AC\n"]
    monkeypatch.setattr("judge.remote.server.GraderServer._find", lambda *_: None)
    assert HERE in run("test", "901", "AC.py", "--no-save").err and len(warm.sources) == 1


def test_a_sandbox_asked_for_by_name_is_the_one_used(
    run: RunCli, grading: FakeGrading, serve: Serve, warm: WarmGrading
) -> None:
    serve()
    run("--sandbox", "namespace", "test", "901", "AC.py")
    assert warm.sources == [] and grading.opened == [("namespace", 1)]
    run("--sandbox", "landlock", "test", "901", "AC.py")
    assert warm.sources == [b"AC\n"] and len(grading.opened) == 1


def test_a_server_that_stops_in_the_middle_is_replaced(
    run: RunCli, grading: FakeGrading, tmp_path: Path, warm: WarmGrading
) -> None:
    Path("AC.py").write_text("AC\n")
    (tmp_path / "data").mkdir()
    begun, over = threading.Event(), threading.Event()

    def during() -> None:
        begun.set()
        over.wait(30)

    warm.during = during

    @contextmanager
    def stopping() -> Iterator[None]:
        opened = taking_over(tmp_path / "data", warm, Catalogue([TINY]), Keeper("", lambda *_: ""))

        def live() -> None:
            with opened:
                begun.wait(30)

        thread = threading.Thread(target=live)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    with stopping():
        while not (tmp_path / "data" / "judge.sock").exists():
            threading.Event().wait(0.01)
        told = run("test", "901", "AC.py", "--no-save")
    assert (told.status, told.err.count(HERE), len(grading.opened)) == (0, 1, 1)
    assert warm.sources == [b"AC\n"]


def test_a_data_folder_with_a_long_path_has_a_socket_too(tmp_path: Path) -> None:
    folder = tmp_path.joinpath(*["a-folder-with-a-long-name"] * 8)
    folder.mkdir(parents=True)
    path = socket_in(folder)
    assert len(bytes(path)) < 108
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as other:
        listener.bind(str(path))
        listener.listen(1)
        other.connect(str(socket_in(folder)))
        assert (folder / "judge.sock").is_socket() and is_own(other)


def test_the_way_to_a_running_server_imports_nothing_heavy() -> None:
    import subprocess
    import sys

    heavy = ("torch", "numpy", "sqlalchemy", "alembic", "flask", "docker", "pytest", "asyncio")
    source = (
        "import sys; import judge.cli, judge.cli.testing, judge.cli.judging, judge.cli.results, judge.remote.handover;"
        f" print([name for name in {heavy} if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
