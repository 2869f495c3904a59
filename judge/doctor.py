"""`judge doctor`: what this machine can do, what protects it, and one line for each obstacle."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from judge.catalogue import Catalogue
from judge.config import REPOSITORY, Config
from judge.db import REVISION, Database
from judge.lines import UserError, line
from judge.problem import ProblemError

if TYPE_CHECKING:
    from sandbox.pool import Pool

PACKAGES = ("torch", "numpy", "pytest", "flask", "sqlalchemy")
BUNDLE = REPOSITORY / "web" / "static" / "vendor" / "bundle.json"


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's. ``bad``: nothing can be judged until it is put right; ``warn``: something is missing."""

    level: Literal["ok", "warn", "bad"]
    text: str


def examine(config: Config, lang: str) -> Iterator[Finding]:
    """Findings one by one, as they are made: the sandbox comes last, because it takes seconds."""
    yield Finding(
        "ok", _line(lang, "python", version=platform.python_version(), system=_system(), cores=os.cpu_count())
    )
    yield from _packages(lang)
    yield from _data(config, lang)
    yield from _problems(config, lang)
    yield _bundle(lang)
    yield from _sandbox(config, lang) if config.grader is None else _other_grader(config.grader, config, lang)


def _line(lang: str, key: str, /, **values: object) -> str:
    return line(f"doctor.{key}", lang, **values)


def _system() -> str:
    return f"{platform.system()} {platform.release()} {platform.machine()}"


def _packages(lang: str) -> Iterator[Finding]:
    for name in PACKAGES:
        try:
            yield Finding("ok", f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            yield Finding("bad", _line(lang, "no-package", name=name))


def _data(config: Config, lang: str) -> Iterator[Finding]:
    try:
        database = Database(config.database_url)
        database.upgrade()
        database.check_writable()
    except UserError as error:
        yield Finding("bad", error.line(lang))
    else:
        yield Finding("ok", _line(lang, "database", place=database.place, revision=REVISION))
        database.close()


def _problems(config: Config, lang: str) -> Iterator[Finding]:
    try:
        catalogue = Catalogue(config.problem_roots)
    except ProblemError as error:
        yield Finding("bad", str(error))
        return
    problems = catalogue.all()
    here = [problem for problem in problems if problem.gpu != "required" or _has_gpu()]
    level: Literal["ok", "bad"] = "ok" if here else "bad"
    yield Finding(level, _line(lang, "problems", here=len(here), total=len(problems)))
    for broken in catalogue.broken:
        yield Finding("warn", _line(lang, "broken", why=broken))


def _has_gpu() -> bool:
    return os.path.exists("/dev/nvidiactl")


def _bundle(lang: str) -> Finding:
    if BUNDLE.is_file():
        return Finding("ok", _line(lang, "bundle"))
    return Finding("warn", _line(lang, "no-bundle"))


def _other_grader(path: Path, config: Config, lang: str) -> Iterator[Finding]:
    from judge.remote.client import RemoteGrading

    try:
        remote = RemoteGrading(path, wait_s=5.0)
        differing = remote.differing(Catalogue(config.problem_roots).all())
    except UserError as error:
        yield Finding("bad", error.line(lang))
        return
    except ProblemError:  # told above
        return
    yield Finding("ok", _line(lang, "grader", path=path, name=remote.backend, size=remote.size))
    yield from _protections(remote.protections, lang)
    for problem in differing:
        yield Finding("bad", _line(lang, "grader-differs", slug=problem.slug))


def _protections(protections: Mapping[str, str], lang: str) -> Iterator[Finding]:
    for name, how in protections.items():
        yield Finding("ok", _line(lang, "protection", name=name, how=how))


def _sandbox(config: Config, lang: str) -> Iterator[Finding]:
    from sandbox.pool import NoBackend, Settings, all_backends, open_pool

    settings = Settings(spares=0, image=config.sandbox_image, run_folder=config.run_folder)
    for backend in all_backends(settings, memory_mib=2048):
        reason = backend.available()
        if reason:
            yield Finding("warn", _line(lang, "no-backend", name=backend.name, why=reason.text(lang)))
        else:
            protects = _line(lang, f"protects-{backend.name}")
            yield Finding("ok", _line(lang, "backend", name=backend.name, protects=protects))
    try:
        pool = open_pool(config.sandbox, size=1, settings=settings)
    except NoBackend as error:
        yield from (Finding("bad", why) for why in error.lines(lang))
        return
    with pool:
        yield Finding("ok", _line(lang, "chosen", name=pool.backend, factor=f"{pool.factor:.2f}"))
        yield from _protections(pool.protections, lang)
        if pool.backend == "process":
            yield Finding("warn", _line(lang, "no-boundary"))
        else:
            yield from _canary(pool, lang)


def _canary(pool: Pool, lang: str) -> Iterator[Finding]:
    from sandbox.canary import run_canary

    escaped = run_canary(pool)
    for what in escaped:
        yield Finding("bad", what.text(lang))
    if not escaped:
        yield Finding("ok", _line(lang, "canary"))
