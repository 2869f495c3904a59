"""Logging to stderr, one handler for the whole package."""

from __future__ import annotations

import logging

_FORMAT = "[%(asctime)s %(name)s] %(levelname)s %(message)s"


def init_logger(name: str) -> logging.Logger:
    """The logger of a module; the package's own one shows INFO and above."""
    package = logging.getLogger("minisgl")
    if not package.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter(_FORMAT, "%H:%M:%S"))
        package.addHandler(handler)
        package.setLevel(logging.INFO)
        package.propagate = False
    return logging.getLogger(name)
