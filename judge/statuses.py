"""Where a learner stands at a problem, in one word."""

from __future__ import annotations

from typing import Literal

Status = Literal["solved", "tried", "new"]
STATUSES: tuple[Status, ...] = ("solved", "tried", "new")
