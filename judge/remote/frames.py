"""What web server and grader say to each other over the socket, and how strictly each side reads it.

Frames are a length and one JSON object, never pickle. The grader greets with ``hello``; the server asks one thing,
``compare`` or ``grade``; the grader answers, and for ``grade`` tells on the way what is known. A byte that is not as
expected ends the connection.
"""

from __future__ import annotations

import base64
import dataclasses
import socket
from dataclasses import dataclass
from typing import Any, get_args

from judge.grading.link import receive_frame
from judge.grading.report import PHASES, Grade, verdict_of
from judge.grading.seam import LINES_MAX_CHARS, SOURCE_MAX_BYTES, Mode
from judge.problem import Problem
from judge.verdict import Verdict
from sandbox.contract import Limits

PROTOCOL = 1
REQUEST_MAX_BYTES = 1 << 20
ALIVE_EVERY_S = 5.0
SILENT_MAX_S = 60.0  # without a word for that long, the other end is lost
_LARGEST = 1e12
_CASE_NUMBERS = ("points", "max_points", "time_s", "memory_mib")
_CASE_TABLES = ("facts", "detail")
_OPTIONAL = ("keep", "lines")  # fields of a request


class BadFrame(Exception):
    """The other end said something that is not in the protocol; the text names it without repeating it."""


@dataclass(frozen=True)
class Hello:
    """What a grader says of itself."""

    judge: str  # version of the program
    backend: str
    protections: dict[str, str]
    size: int


@dataclass(frozen=True)
class Request:
    """One submission to judge, by slug and version of the problem."""

    slug: str
    version: str
    mode: Mode
    seed: str
    source: bytes
    lines: str = ""  # of a scratch run, which is never stored
    keep: str = (
        ""  # the database that the result is to be stored in, as Keeper.place names it; empty: in none
    )

    def frame(self) -> dict[str, Any]:
        """The request as it is sent."""
        told = {**dataclasses.asdict(self), "source": base64.b64encode(self.source).decode()}
        return {"grade": {name: value for name, value in told.items() if name not in _OPTIONAL or value}}


def receive(sock: socket.socket, deadline: float, most_bytes: int | None = None) -> dict[str, Any] | None:
    """The next frame, None once the other end is gone; TimeoutError, or BadFrame for what is no JSON object."""
    try:
        frame = receive_frame(sock, deadline, most_bytes)
    except (ValueError, RecursionError):
        raise BadFrame("not JSON") from None
    if frame is not None and not isinstance(frame, dict):
        raise BadFrame("not an object")
    return frame


def read_hello(frame: dict[str, Any]) -> Hello:
    """The greeting of a grader; BadFrame for anything else, another protocol included."""
    told = _table(frame, "hello", ("protocol", "judge", "backend", "protections", "size"))
    if told["protocol"] != PROTOCOL:
        raise BadFrame("another protocol")
    protections = _texts(told["protections"])
    return Hello(_text(told["judge"]), _text(told["backend"]), protections, max(1, _whole(told["size"])))


def read_versions(frame: dict[str, Any], key: str) -> dict[str, str]:
    """Problem versions by slug, from ``{key: {...}}``."""
    if set(frame) != {key}:
        raise BadFrame(f"no {key}")
    return _texts(frame[key])


def read_request(frame: dict[str, Any]) -> Request:
    """What a web server asks to be judged; BadFrame for anything else."""
    told = _table(frame, "grade", ("slug", "version", "mode", "seed", "source"), _OPTIONAL)
    try:
        source = base64.b64decode(_text(told["source"], REQUEST_MAX_BYTES), validate=True)
    except ValueError:  # binascii's error is one, and so is what other characters raise
        raise BadFrame("a source that is not base64") from None
    mode: Mode = told["mode"]
    if mode not in get_args(Mode) or len(source) > SOURCE_MAX_BYTES + 1:
        raise BadFrame("an unknown mode, or too long a source")
    keep, lines = _text(told.get("keep", "")), _text(told.get("lines", ""), LINES_MAX_CHARS)
    if (mode == "scratch") != bool(lines) or (lines and keep):
        raise BadFrame("scratch lines that do not go with the rest")
    slug, version, seed = _text(told["slug"]), _text(told["version"]), _text(told["seed"])
    return Request(slug, version, mode, seed, source, lines, keep)


def read_count(value: Any) -> int:
    """A number of cases."""
    return _whole(value)


def read_case(value: Any) -> dict[str, Any]:
    """One case's record: every field that scores, the database and `disclose` rest on has its type."""
    if not isinstance(value, dict):
        raise BadFrame("a case that is no object")
    try:
        Verdict(value["verdict"])
        named = [value[key] for key in ("name", "group", "part")]
        numbers = [value[key] for key in _CASE_NUMBERS]
        tables = [value[key] for key in _CASE_TABLES]
        ran, mistake = value["ran"], value["mistake"]
    except (KeyError, ValueError, TypeError):
        raise BadFrame("a case without one of its fields") from None
    for text in (*named, *([] if mistake is None else [mistake])):
        _text(text)
    points, most, *measured = map(_number, numbers)
    if not 0 <= points <= most or min(measured) < 0:
        raise BadFrame("a case with too many points, or a number below nothing")
    if not all(isinstance(table, dict) for table in tables) or not isinstance(ran, bool):
        raise BadFrame("a case with a field of another type")
    return value


def read_grade(frame: dict[str, Any], problem: Problem, request: Request) -> Grade:
    """The result of ``request``; verdict and score are made here from the cases, not taken over."""
    report, faults = frame.get("report"), frame.get("faults")
    if (
        not isinstance(report, dict)
        or not isinstance(faults, list)
        or not isinstance(report.get("cases"), list)
    ):
        raise BadFrame("no report")
    cases = [read_case(case) for case in report["cases"]]
    asked = (request.slug, request.version, request.mode, request.seed)
    if tuple(report.get(key) for key in ("slug", "problem_version", "mode", "seed")) != asked:
        raise BadFrame("the report of something else")
    load = report.get("load")
    if load is not None and not isinstance(load, dict):
        raise BadFrame("a load that is no object")
    is_fault = report.get("verdict") == Verdict.SE
    return Grade(
        problem=problem,
        mode=request.mode,
        seed=request.seed,
        verdict=Verdict.SE if is_fault else verdict_of(cases),
        cases=cases,
        limits=_limits(report.get("limits")),
        backend=_text(report.get("backend")),
        protections=_texts(report.get("protections")),
        load=load,
        versions=_texts(report.get("versions")),
        phases=_phases(report.get("phases")),
        faults=[_text(fault, 8192) for fault in faults],
    )


def _table(
    frame: dict[str, Any], key: str, fields: tuple[str, ...], optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    told = frame.get(key)
    if set(frame) != {key} or not isinstance(told, dict) or set(told) - set(optional) != set(fields):
        raise BadFrame(f"no {key}")
    return told


def _text(value: Any, most: int = 200) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise BadFrame("no text, or too long a one")
    return value


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise BadFrame("no object of texts")
    return {_text(key): _text(text) for key, text in value.items()}


def _number(value: Any) -> float:
    # NaN is neither above nor below; an integer may be too long for a float
    if isinstance(value, bool) or not isinstance(value, int | float) or not -_LARGEST <= value <= _LARGEST:
        raise BadFrame("no number")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise BadFrame("no whole number")
    return value


def _phases(value: Any) -> dict[str, float]:
    if not isinstance(value, dict) or not set(value) <= set(PHASES):
        raise BadFrame("no phases")
    return {name: _number(seconds) for name, seconds in value.items()}


def _limits(value: Any) -> Limits:
    names = {field.name for field in dataclasses.fields(Limits)}
    if not isinstance(value, dict) or set(value) != names:
        raise BadFrame("no limits")
    return Limits(**{name: _number(limit) for name, limit in value.items()})  # type: ignore[arg-type]
