"""Shared by all tests: what a missing service means."""

from __future__ import annotations

import os

import pytest

BOUNDED = [pytest.param("docker", marks=pytest.mark.docker), "namespace", "landlock"]
"""The sandbox backends that hold a submission back, in the order of `auto`."""

BACKENDS = [*BOUNDED, "process"]
every_backend = pytest.mark.parametrize("grader", BOUNDED, indirect=True, scope="session")
"""For tests of the judge whose outcome is the sandbox's doing; the others run on one backend."""


def missing(what: str) -> None:
    """Skip and say why; in strict form (CI, JUDGE_TEST_STRICT=1) a missing service is a failure."""
    if os.environ.get("JUDGE_TEST_STRICT") == "1":
        pytest.fail(f"strict run: {what}")
    pytest.skip(what)
