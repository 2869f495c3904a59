"""What a zygote in a mount namespace of its own sees: the interpreter, its libraries and the cell, all read-only."""

from __future__ import annotations

import functools
import os
import re
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

INSIDE = "/opt/judge"
"""Where the package ``cell`` lies inside."""

_SYSTEM = [
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libx32",
    "/usr/local/lib",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
]
_FILES = ["/etc/ld.so.cache", "/etc/localtime"]


def options(cell: Path) -> list[str]:
    """The options of bwrap that bind all of it. ``cell`` is the folder of that package."""
    links, bound = [], {f"{INSIDE}/cell": str(cell)}
    for path in _SYSTEM:
        if os.path.islink(path):  # as on a merged /usr
            links += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            bound[path] = path
    bound |= {path: os.path.realpath(path) for path in [*_FILES, *_interpreter()] if os.path.exists(path)}
    outermost = {path for path in bound if not any(_below(path, other, bound) for other in bound)}
    arguments = []
    for folder in sorted({str(parent) for path in outermost for parent in Path(path).parents} - {"/"}):
        if folder not in links[2::3]:
            arguments += ["--dir", folder]  # one that bwrap makes unasked may be entered by root alone
    for path in sorted(outermost):
        arguments += ["--ro-bind", bound[path], path]
    return arguments + links


def _below(path: str, other: str, bound: dict[str, str]) -> bool:
    """Whether ``path`` is seen already once ``other`` is bound."""
    inside = path.startswith(other + os.sep)
    return inside and bound[path] == os.path.join(bound[other], path[len(other) + 1 :])


def _interpreter() -> list[str]:
    """The executable, the virtual environment's mark, the standard library with its objects, and packages."""
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    paths = [sys.executable, os.path.join(sys.prefix, "pyvenv.cfg"), os.path.join(sys.base_prefix, "lib")]
    paths += [sysconfig.get_path(name, vars=base) for name in ("stdlib", "platstdlib")]
    paths += _packages()
    real = os.path.realpath(sys.executable)
    return [*paths, real] if real.startswith(os.path.join(sys.base_prefix, "")) else paths


@functools.cache
def _packages() -> tuple[str, ...]:
    """The folders and files in site-packages of torch, numpy and what they need: a cell has no use for the others."""
    found: dict[str, metadata.Distribution] = {}
    wanted = ["torch", "numpy"]
    while wanted:
        name = re.sub(r"[-_.]+", "-", wanted.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # not needed on this system
        needs = [need for need in found[name].requires or () if "extra ==" not in need]
        wanted += [match[0] for need in needs if (match := re.match(r"[\w.-]+", need))]
    if any(one.files is None for one in found.values()):  # an installer that keeps no list
        return tuple(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    tops = {
        (str(one.locate_file(file.parts[0])), file.parts[0])
        for one in found.values()
        for file in one.files or ()
    }
    return tuple(sorted(path for path, top in tops if top not in ("..", "__pycache__")))
