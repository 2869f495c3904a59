"""The two ways to the sandbox's image say the same of the cell, and nothing needs BuildKit."""

from __future__ import annotations

import re

from sandbox.image.version import CELL_DOCKERFILE, LIBRARIES_DOCKERFILE
from tests.compose.context import ROOT

OWN = (ROOT / "Dockerfile").read_text("utf-8")


def stage(name: str) -> list[str]:
    """The instructions of one stage of the top Dockerfile."""
    body = re.split(r"(?m)^FROM ", OWN)
    chosen = next(part for part in body if part.splitlines()[0].endswith(f" AS {name}"))
    return [line for line in chosen.splitlines()[1:] if line and not line.startswith("#")]


def test_a_cell_starts_the_same_way_in_both_images() -> None:
    made = [line for line in CELL_DOCKERFILE.read_text("utf-8").splitlines() if not line.startswith("#")]
    assert stage("cell") == [line.replace("COPY cell ", "COPY sandbox/cell ") for line in made[2:]]


def test_the_libraries_are_warmed_the_same_way_in_both_images() -> None:
    made = LIBRARIES_DOCKERFILE.read_text("utf-8").splitlines()
    assert stage("libraries")[-1] == made[-1]
    assert "ENV PYTHONPATH=/opt/libraries" in stage("libraries") and "ENV PYTHONPATH=/opt/libraries" in made


def test_no_syntax_of_buildkit_alone() -> None:
    assert not re.search(r"(?m)^# syntax=|--mount=|<<|--chmod|--link", OWN)
