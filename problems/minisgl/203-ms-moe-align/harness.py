"""A driver that runs beside your functions: it shows the arguments as they are after the call."""

from __future__ import annotations

from typing import Any

import solution


def call_and_show(name: str, *args: Any) -> list[Any]:
    """The result of the function called ``name``, and its arguments afterwards."""
    result = getattr(solution, name)(*args)
    return [result, *args]
