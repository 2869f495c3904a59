"""What somebody may do here."""

from __future__ import annotations

from typing import Literal, get_args

Role = Literal["learner", "instructor", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
