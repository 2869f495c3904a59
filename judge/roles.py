"""What somebody may do here."""

from __future__ import annotations

from typing import Literal, get_args

Role = Literal["learner", "instructor", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
CHINESE: dict[str, Role] = {"学生": "learner", "教师": "instructor", "管理员": "admin"}
ALLOWED = ", ".join(f"{role} ({word})" for word, role in CHINESE.items())
"""What an error offers."""


def find_role(word: str) -> Role | None:
    """The role of an English or a Chinese word, in whatever case; None for no role."""
    word = word.strip().lower()
    return CHINESE.get(word) or next((role for role in ROLES if role == word), None)
