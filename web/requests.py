"""What a request of the API brings: a JSON object, and fields of it that are of the right type."""

from __future__ import annotations

from typing import Any

from flask import request

from web.errors import Refused


def json_body() -> dict[str, Any]:
    """The request's JSON object; Refused with 400 for anything else."""
    try:
        body = request.get_json(silent=True)
    except RecursionError:  # brackets nested deeper than the parser's stack
        body = None
    if not isinstance(body, dict):
        raise Refused("bad-json", 400)
    return body


def field(body: dict[str, Any], name: str, kinds: tuple[type, ...]) -> Any:
    """A field of the body that is one of ``kinds`` (never a bool); Refused with 400 otherwise."""
    value = body.get(name)
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise Refused("bad-field", 400, field=name, expected=" / ".join(kind.__name__ for kind in kinds))
    return value
