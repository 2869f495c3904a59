"""What one check of the gate came to: figures for its line, and every failure with the file or key it is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Failure:
    """One thing to mend or to know; ``key`` is a line of the gate's words, ``values`` fill its places."""

    key: str
    values: dict[str, Any] = field(default_factory=dict)


@dataclass
class Check:
    """One check. ``name`` is a line of the gate's words; ``figures`` fill it and go into the JSON as they are."""

    name: str
    figures: dict[str, Any] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    notes: list[Failure] = field(
        default_factory=list
    )  # worth knowing, nothing to mend; ``note.*`` of the words

    @property
    def passed(self) -> bool:
        """Whether nothing is to be mended."""
        return not self.failures

    def fail(self, key: str, /, **values: Any) -> None:
        """Adds a failure."""
        self.failures.append(Failure(key, values))

    def as_json(self) -> dict[str, Any]:
        """The check as the gate's JSON holds it."""
        failures, notes = (
            [{"key": one.key, **one.values} for one in some] for some in (self.failures, self.notes)
        )
        return {
            "check": self.name,
            "passed": self.passed,
            "figures": self.figures,
            "failures": failures,
            "notes": notes,
        }
