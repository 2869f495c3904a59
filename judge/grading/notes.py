"""What a running case asks to have shown if it fails; `picture` and `reproduce` write here, a judgement reads it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Notes:
    """Of one case, in its order: pictures (`judge.grading.pictures.Pending`), and offers of smaller inputs."""

    pictures: list[Any] = field(default_factory=list)
    offers: list[tuple[str, Any]] = field(default_factory=list)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Within this, what a case notes comes here."""
        global _here
        before, _here = _here, self
        try:
            yield
        finally:
            _here = before


_here = Notes()


def here() -> Notes:
    """Where the case that runs takes its notes."""
    return _here
