"""What the editor may ask of the language servers about a learner's text: names, signatures, mistakes, layout.

ty sees what a submission sees: the standard library, torch and numpy, and the problem's support.py beside the document.
Nothing of this project is on its path, and no code is executed. ruff lays code out. Texts of answers are capped.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from judge.problem import Problem
from web.language_server import LanguageServer

PACKAGES = ("torch", "torchgen", "functorch", "numpy", "typing_extensions")
TY_MIB, RUFF_MIB = 3072, 1536  # of address space; ty keeps about 130 MiB of memory
ITEMS_MAX = 300
MARKS_MAX = 50
TEXT_MAX_CHARS = 4000
WORD = re.compile(r"\w*\Z")
CERTAIN = frozenset(
    {
        *("invalid-syntax", "unresolved-reference", "unresolved-import", "import-not-found"),
        *("missing-attribute", "missing-module-member", "unresolved-attribute"),
        *("missing-argument", "unknown-argument", "too-many-positional-arguments"),
    }
)
"""What ty is sure about. The rest is about written types, which right solutions of ours need not satisfy either."""

Answer = dict[str, Any] | list[Any] | None


class Helper:
    """Both servers and the folder that they see, made when first asked for."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None  # goes with us, however we end
        self._ty: LanguageServer | None = None
        self._ruff: LanguageServer | None = None
        self._known: dict[str, str] = {}
        self._making = threading.RLock()  # several may ask first at once

    @property
    def servers(self) -> list[LanguageServer]:
        """Those that were asked so far."""
        return [server for server in (self._ty, self._ruff) if server is not None]

    def close(self) -> None:
        """End the servers and take their folder away."""
        for server in self.servers:
            server.close()
        if self._folder is not None:
            self._folder.cleanup()
        self._folder = self._ty = self._ruff = None
        self._known = {}

    def ask(self, what: str, problem: Problem, reader: int, source: str, line: int, column: int) -> Answer:
        """The answer to one of KINDS about ``source`` at ``line`` and ``column`` (from 0, UTF-16); None: no help now."""
        # what is asked ahead is about another text, and the server answers every question of a document by its last
        uri = (self._place(problem) / f"{'a' if what == 'ahead' else 'r'}{reader}.py").as_uri()
        position = {"line": line, "character": column}
        if what in ("complete", "ahead"):
            found = self.ty.ask(uri, source, "textDocument/completion", position=position)
            return completions(found, word_before(source, line, column))
        if what == "signature":
            return signatures(self.ty.ask(uri, source, "textDocument/signatureHelp", position=position))
        if what == "hover":
            return hover(self.ty.ask(uri, source, "textDocument/hover", position=position))
        if what == "check":
            return marks(self.ty.ask(uri, source, "textDocument/diagnostic"))
        options = {"tabSize": 4, "insertSpaces": True}
        return edits(self.ruff.ask(uri, source, "textDocument/formatting", options=options))

    @property
    def ty(self) -> LanguageServer:
        """The server that knows names and types."""
        with self._making:
            if self._ty is None:
                self._ty = self._server("ty", TY_MIB)
            return self._ty

    @property
    def ruff(self) -> LanguageServer:
        """The server that lays code out."""
        with self._making:
            if self._ruff is None:
                self._ruff = self._server("ruff", RUFF_MIB)
            return self._ruff

    def _server(self, name: str, memory_mib: int) -> LanguageServer:
        folder = self._made()
        libraries = [str(path.resolve()) for path in installed().values()]
        return LanguageServer(
            [str(program(name)), "server"], folder / "work", [str(folder), *libraries], memory_mib
        )

    def _place(self, problem: Problem) -> Path:
        """The problem's folder, its support.py in it as it is now."""
        with self._making:
            place = self._made() / "work" / problem.slug
            if self._known.get(problem.slug) != problem.version:
                place.mkdir(exist_ok=True)
                if problem.support is not None:
                    (place / "support.py").write_text(problem.support, "utf-8")
                self._known[problem.slug] = problem.version
            return place

    def _made(self) -> Path:
        """A folder with an environment of links to what a submission may import, and a place for documents."""
        if self._folder is not None:
            return Path(self._folder.name)
        made = tempfile.TemporaryDirectory(prefix="judge-help-", ignore_cleanup_errors=True)
        folder = Path(made.name)
        version = "{}.{}".format(*sys.version_info)
        site = folder / "env" / "lib" / f"python{version}" / "site-packages"
        site.mkdir(parents=True)
        for path in installed().values():
            (site / path.name).symlink_to(path.resolve())
        (folder / "env/pyvenv.cfg").write_text(f"home = {folder}\nversion = {version}.0\n")
        (folder / "work").mkdir()
        settings = f'[environment]\npython = "../env"\npython-version = "{version}"\n'
        (folder / "work/ty.toml").write_text(settings)
        self._folder = made
        return folder


def program(name: str) -> Path:
    """Where a tool of this environment lies, whether or not it is there."""
    return Path(sys.executable).with_name(name)


def available() -> bool:
    """Whether both tools are installed beside this interpreter."""
    return all(os.access(program(name), os.X_OK) for name in ("ty", "ruff"))


def installed() -> dict[str, Path]:
    """Folder or file of each package that a submission may import, by name. None of them is imported here."""
    found = {}
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            path = Path(spec.origin)
            found[name] = path.parent if path.name == "__init__.py" else path
    return found


def word_before(source: str, line: int, column: int) -> str:
    """The letters of a name that stand before a place."""
    lines = source.split("\n")
    text = lines[line] if line < len(lines) else ""
    before = text.encode("utf-16-le", "surrogatepass")[: 2 * column].decode("utf-16-le", "replace")
    found = WORD.search(before)
    return found[0] if found else ""


def completions(found: Any, word: str) -> Answer:
    """``items`` as ``[label, kind, detail]`` and whether ``more`` exist; names that need an import are left out."""
    listed = found.get("items") if isinstance(found, dict) else found
    if not isinstance(listed, list):
        return None
    items = [
        [_text(one.get("label"), 200), one.get("kind", 1), _text(one.get("detail"), 200)]
        for one in listed
        if not one.get("additionalTextEdits")
    ]
    small = word.lower()
    kept = [one for one in items if small in one[0].lower() and (word[:1] == "_" or one[0][:1] != "_")]
    # stable: the server's order within; functions before the many classes and constants
    kept.sort(
        key=lambda one: (
            not one[0].startswith(word),
            not one[0].lower().startswith(small),
            one[0][:1].isupper(),
        )
    )
    return {"items": kept[:ITEMS_MAX], "more": len(listed) >= 1000 or len(kept) > ITEMS_MAX}


def signatures(found: Any) -> Answer:
    """``signatures`` with ``label``, ``text`` and ``parameters``, and which is ``active``."""
    if not isinstance(found, dict) or not found.get("signatures"):
        return None
    return {
        "signatures": [
            {
                "label": _text(one.get("label"), 1000),
                "text": _written(one.get("documentation")),
                "parameters": [_text(part.get("label"), 200) for part in one.get("parameters") or []],
            }
            for one in found["signatures"][:12]
        ],
        "active": found.get("activeSignature") or 0,
        "parameter": found.get("activeParameter") or 0,
    }


def hover(found: Any) -> Answer:
    """``text`` in Markdown."""
    text = _written(found.get("contents")) if isinstance(found, dict) else ""
    return {"text": text} if text else None


def marks(found: Any) -> Answer:
    """``[line, column, end line, end column, level, message]``: level error, or faded for what has no effect."""
    listed = found.get("items") if isinstance(found, dict) else None
    if not isinstance(listed, list):
        return None
    told = [
        [*_range(one["range"]), level, _first(one.get("message"))] for one in listed if (level := _level(one))
    ]
    return told[:MARKS_MAX]


def edits(found: Any) -> Answer:
    """``[line, column, end line, end column, text]`` of each change."""
    if not isinstance(found, list):
        return None
    return [[*_range(one["range"]), str(one["newText"])] for one in found]


def _range(found: dict[str, Any]) -> list[int]:
    start, end = found["start"], found["end"]
    return [start["line"], start["character"], end["line"], end["character"]]


def _level(one: dict[str, Any]) -> str:
    """Empty for what is not shown. Of a union one side may well be the only one that occurs."""
    if one.get("severity") == 4:
        return "faded"
    certain = one.get("code") in CERTAIN and " in union " not in _text(one.get("message"), 500)
    return "error" if certain else ""


def _first(message: Any) -> str:
    """The first paragraph of a message: what follows names folders of this machine."""
    return _text(message, 500).partition("\n\n")[0].strip()


def _text(value: Any, most: int) -> str:
    return value[:most] if isinstance(value, str) else ""


def _written(value: Any) -> str:
    return _text(value.get("value") if isinstance(value, dict) else value, TEXT_MAX_CHARS)
