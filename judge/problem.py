"""A problem: one folder with a statement, limits, cases and wrong solutions, read once, not executed here.

`load_problem` keeps every file's bytes, so that texts, limits and `Problem.version` belong together even
while somebody edits the folder.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from judge.problem_fields import (
    Messages,
    Part,
    Tolerance,
    read_entry_points,
    read_limits,
    read_messages,
    read_parts,
    read_slug,
    read_tolerances,
)
from judge.toml_table import LANGUAGES, TableError, parse_table
from sandbox.contract import Limits

DIFFICULTIES = ("easy", "medium", "hard")
GPU_NEEDS = ("none", "optional", "required")
STATUSES = ("draft", "ready")
FOLDER_MAX_BYTES = 8 << 20

Signature = tuple[tuple[str, int, int], ...]
"""Path, size and modification time (ns) of every file: changes whenever somebody saves one."""


class ProblemError(ValueError):
    """A folder is not a problem: one line that names the file and what to change."""


@dataclass(frozen=True)
class Problem:
    """Everything about a problem but its running cases; ``files`` maps relative posix paths to bytes."""

    folder: Path
    number: int
    slug: str
    book: str
    chapter: int
    difficulty: str
    tags: tuple[str, ...]
    entry_points: tuple[str, ...]
    title: Mapping[str, str]
    parts: tuple[Part, ...]
    limits: Limits
    fresh: bool  # each submission gets a zygote that no other has used or will use
    tolerances: Mapping[str, Tolerance]
    tolerance_reason: Mapping[str, str]
    plain_editor: bool  # the site's editor gives no help with it, as in an interview
    gpu: str
    status: str
    version: str
    files: Mapping[str, bytes] = field(repr=False)
    signature: Signature = field(repr=False, compare=False)
    _messages: Mapping[str, Messages] = field(repr=False)

    def label_in(self, lang: str) -> str:
        """Number, slug and title, which are always shown together."""
        return f"#{self.number} {self.slug} {self.title.get(lang) or next(iter(self.title.values()))}"

    @property
    def label(self) -> str:
        """`label_in` Chinese, the book's language."""
        return self.label_in("zh")

    @property
    def starter(self) -> str:
        """The file shown first."""
        return self.text("starter.py") or ""

    @property
    def solution(self) -> str:
        """The reference solution's source."""
        return self.text("solution.py") or ""

    @property
    def other_solutions(self) -> dict[str, str]:
        """Sources of other right solutions by file name, without ``.py``."""
        paths = (
            path for path in sorted(self.files) if path.startswith("solutions/") and path.endswith(".py")
        )
        return {path[len("solutions/") : -len(".py")]: self.files[path].decode() for path in paths}

    @property
    def support(self) -> str | None:
        """Source of the module ``support`` that a submission may import, if the problem has one."""
        return self.text("support.py")

    @property
    def harness(self) -> str | None:
        """Source of the drivers that run in the cell beside the submission, if the problem has any."""
        return self.text("harness.py")

    def text(self, path: str) -> str | None:
        """A file of the folder as text, or None."""
        found = self.files.get(path)
        return None if found is None else found.decode()

    def statement(self, lang: str) -> str:
        """The statement in Markdown; in the other language where this one is not written yet."""
        return self._page("statement", lang)

    def editorial(self, lang: str) -> str:
        """What to read after solving it, in Markdown; may be empty in a draft."""
        return self._page("editorial", lang)

    def hints(self, lang: str) -> list[str]:
        """The hints in order, from vague to plain: one for each ``## `` heading of ``hints.*.md``."""
        text = self._page("hints", lang)
        steps = re.split(r"(?m)^(?=## )", text)
        return [step.strip() for step in steps if step.startswith("## ")] or (
            [text.strip()] if text.strip() else []
        )

    def messages(self, lang: str) -> Messages:
        """Titles and advice in ``lang``, or in the other language of a draft."""
        return self._messages.get(lang) or next(iter(self._messages.values()), Messages({}, {}))

    def part(self, name: str) -> Part:
        """The part called ``name``; KeyError when there is none."""
        return {part.name: part for part in self.parts}[name]

    def _page(self, stem: str, lang: str) -> str:
        order = (lang, *(other for other in LANGUAGES if other != lang))
        return next((text for one in order if (text := self.text(f"{stem}.{one}.md"))), "")


def scan(folder: Path) -> Signature:
    """The signature of ``folder`` as it lies on disk now; hidden files, caches and links do not count."""
    return tuple(sorted(_walk(str(folder), "")))


def _walk(folder: str, prefix: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith((".", "__pycache__")) or entry.name.endswith((".pyc", "~")):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, f"{prefix}{entry.name}/")
            elif entry.is_file(follow_symlinks=False):
                stat = entry.stat()
                yield f"{prefix}{entry.name}", stat.st_size, stat.st_mtime_ns


def content_hash(files: Mapping[str, bytes]) -> str:
    """The version of a problem: SHA-256 over the names and bytes of its files, in hex."""
    digest = hashlib.sha256()
    for path in sorted(files):
        for piece in (path.encode(), files[path]):
            digest.update(len(piece).to_bytes(8, "big") + piece)
    return digest.hexdigest()


def read_files(folder: Path, signature: Signature) -> dict[str, bytes]:
    """The bytes of every file that ``signature`` lists.

    Raises:
        ProblemError: they are too much to be a problem.
    """
    if sum(size for _, size, _ in signature) > FOLDER_MAX_BYTES:
        raise ProblemError(
            f"{folder}: more than {FOLDER_MAX_BYTES >> 20} MiB of files; a problem is sources and texts"
        )
    return {path: (folder / path).read_bytes() for path, _, _ in signature}


def load_problem(folder: Path) -> Problem:
    """The problem in ``folder``.

    Raises:
        ProblemError: a file is missing, unreadable or says something wrong; the line names it.
    """
    folder = Path(folder).resolve()
    try:
        signature = scan(folder)
        files = read_files(folder, signature)
        _require(folder, files)
        return _parse(folder, files, signature)
    except TableError as error:
        raise ProblemError(f"{folder}/{error}") from error
    except OSError as error:
        raise ProblemError(f"{folder}: cannot be read: {error.strerror}") from error


def refresh(problem: Problem) -> Problem:
    """``problem`` itself, or the folder loaded anew when a file changed on disk."""
    try:
        unchanged = scan(problem.folder) == problem.signature
    except OSError as error:
        raise ProblemError(f"{problem.folder}: cannot be read: {error.strerror}") from error
    return problem if unchanged else load_problem(problem.folder)


def _require(folder: Path, files: Mapping[str, bytes]) -> None:
    needed = ("problem.toml", "starter.py", "solution.py", "tests/test_examples.py", "tests/test_hidden.py")
    missing = [path for path in needed if path not in files]
    if missing:
        raise ProblemError(f"{folder}: {missing[0]} is missing")
    for path, content in files.items():
        if path.endswith((".md", ".toml", ".py")) and not _is_text(content):
            raise ProblemError(f"{folder}/{path}: not UTF-8 text; save it as UTF-8")


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _parse(folder: Path, files: dict[str, bytes], signature: Signature) -> Problem:
    table = parse_table(files["problem.toml"], "problem.toml")
    status = table.choice("status", STATUSES)
    complete = status == "ready"
    tolerances, reason = read_tolerances(table)
    bounds = table.table("limits")
    fresh = bounds.flag("fresh")
    problem = Problem(
        folder=folder,
        number=table.integer("number", least=1),
        slug=read_slug(table),
        book=table.text("book"),
        chapter=table.integer("chapter"),
        difficulty=table.choice("difficulty", DIFFICULTIES),
        tags=table.texts("tags"),
        entry_points=read_entry_points(table),
        title=table.both_languages("title", required=complete),
        parts=read_parts(table, complete),
        limits=read_limits(bounds),
        fresh=fresh,
        tolerances=tolerances,
        tolerance_reason=reason,
        plain_editor=table.flag("plain_editor"),
        gpu=table.choice("gpu", GPU_NEEDS),
        status=status,
        version=content_hash(files),
        files=files,
        signature=signature,
        _messages=read_messages(files, complete),
    )
    table.done()
    return problem
