"""One pool of zygotes and one warm grader for all tests of the judge that grade for real."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from judge import db, migrate
from judge.grading.grade import Grader
from judge.problem import Problem, load_problem
from sandbox.pool import NoBackend, Pool, open_pool
from tests.conftest import missing

BANK = Path(__file__).parent / "bank" / "tiny"


@pytest.fixture(scope="session")
def grader(request: pytest.FixtureRequest) -> Iterator[Grader]:
    """A grader over two zygotes of the first backend with a boundary that can be had; `every_backend` asks for each.

    Not of `process`, where every cell imports torch for seconds.
    """
    asked = getattr(request, "param", None)
    try:
        pool = open_pool(asked, size=2) if asked else open_first_pool()
    except NoBackend as error:
        missing(str(error))
    with pool, Grader(pool) as grader:
        yield grader


def open_first_pool() -> Pool:
    """Two zygotes, on whatever of these can be had; raises the last one's NoBackend."""
    for backend in ("landlock", "namespace"):
        with suppress(NoBackend):
            return open_pool(backend, size=2)
    return open_pool("docker", size=2)


@pytest.fixture(scope="session")
def adding() -> Problem:
    """A problem of one example and one hidden case."""
    return load_problem(BANK / "901-add")


@pytest.fixture(scope="session")
def counting() -> Problem:
    """A problem with support.py, harness.py, two parts and five cases."""
    return load_problem(BANK / "902-counter")


@pytest.fixture
def with_hidden(tmp_path: Path) -> Callable[[str], Problem]:
    """Makes a copy of `adding` whose hidden cases are the given source."""

    def make(cases: str) -> Problem:
        folder = Path(shutil.copytree(BANK / "901-add", tmp_path / "901-add", dirs_exist_ok=True))
        (folder / "tests" / "test_hidden.py").write_text(HEAD + cases)
        return load_problem(folder)

    return make


HEAD = "import pytest\nimport torch\n\nfrom judge.grading.author import case, check, wrong\n\n\n"

MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision = "0999"
down_revision = "{before}"


def upgrade() -> None:
    with op.batch_alter_table("users", recreate="always") as users:
        users.add_column(sa.Column("shoe_size", sa.Integer))
    {more}
"""


@pytest.fixture
def next_release(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """Turns this program into a later one with one migration more, which copies and drops a table others refer to."""

    def make(more: str = "pass") -> str:
        folder = tmp_path_factory.mktemp("release") / "migrations"
        shutil.copytree(migrate.MIGRATIONS, folder)
        text = MIGRATION.format(before=db.REVISION, more=more)
        (folder / "versions" / "0999_next.py").write_text(text, "utf-8")
        monkeypatch.setattr(migrate, "MIGRATIONS", folder)
        monkeypatch.setattr(db, "REVISION", "0999")
        return "0999"

    return make
