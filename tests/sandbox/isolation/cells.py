"""What the tests of this folder share: limits, types, and a backend by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandbox.backend import Backend, Settings
from sandbox.contract import Limits
from sandbox.pool import all_backends
from sandbox.session import Session
from tests.conftest import missing

OpenSession = Callable[..., Session]
Submit = Callable[..., Callable[..., Any]]
GENEROUS = Limits(time_limit_s=60.0, load_limit_s=60.0, judgement_limit_s=120.0)


def backend_named(name: str, settings: Settings | None = None) -> Backend:
    """That backend, or the test is skipped (in strict form: fails) with its reason."""
    backend = next(found for found in all_backends(settings or Settings(), 2048) if found.name == name)
    if reason := backend.available():
        missing(f"{name}: {reason}")
    return backend
