"""The name of this version's image, which follows from what goes into it."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib import metadata
from pathlib import Path

CELL_REPOSITORY = "minisgl-judge-cell"
LIBRARIES_REPOSITORY = "minisgl-judge-libraries"
CELL = Path(__file__).resolve().parent.parent / "cell"
LIBRARIES_DOCKERFILE = Path(__file__).resolve().with_name("Dockerfile")
CELL_DOCKERFILE = Path(__file__).resolve().with_name("cell.Dockerfile")


def library_versions() -> dict[str, str]:
    """The libraries of a cell, at the versions that the grader has: ``{"torch": "2.13.0", "numpy": ...}``."""
    return {name: metadata.version(name).split("+")[0] for name in ("torch", "numpy")}


def _digest(paths: list[Path], *words: str) -> str:
    content = hashlib.sha256(repr((sorted(library_versions().items()), words)).encode())
    for path in paths:
        content.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return content.hexdigest()[:12]


def libraries_tag(base_id: str) -> str:
    """The image below, which outlives changes of the cell. Raises PackageNotFoundError without torch."""
    return f"{LIBRARIES_REPOSITORY}:{_digest([LIBRARIES_DOCKERFILE, CELL / 'preload.py'], base_id)}"


@lru_cache(maxsize=1)
def image_tag() -> str:
    """The image of these sources and libraries. Raises importlib.metadata.PackageNotFoundError without torch."""
    files = [LIBRARIES_DOCKERFILE, CELL_DOCKERFILE, *sorted(CELL.glob("*.py"))]
    return f"{CELL_REPOSITORY}:{_digest(files)}"
