# expects: no-done
"""The stream just ends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

DONE = "[DONE]"


def chat_stream(
    req_id: str,
    model: str,
    created: int,
    deltas: Iterable[str],
    finish_reason: str,
    usage: dict[str, int] | None = None,
) -> Iterator[str]:
    """The events of one streamed answer, each as soon as its text is there."""
    common = {"id": req_id, "object": "chat.completion.chunk", "created": created, "model": model}
    yield event(common, [choice({"role": "assistant", "content": ""})])
    for text in deltas:
        if text:
            yield event(common, [choice({"content": text})])
    yield event(common, [choice({}, finish_reason)])
    if usage is not None:
        yield event(common, [], usage=usage)


def choice(delta: dict[str, str], finish_reason: str | None = None) -> dict[str, Any]:
    """The one choice of an event."""
    return {"index": 0, "delta": delta, "finish_reason": finish_reason}


def event(common: dict[str, Any], choices: list[dict[str, Any]], **more: Any) -> str:
    """One event: a line of JSON, and the empty line that ends it."""
    body = {**common, "choices": choices, **more}
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n"


def parse_stream(chunks: Iterable[bytes]) -> tuple[str, str | None, dict[str, int] | None]:
    """Reads chunks of bytes, cut anywhere, into (text, finish_reason, usage)."""
    text, finish_reason, usage = [], None, None
    for data in events(chunks):
        if data == DONE.encode():
            break
        body = json.loads(data)
        for one in body["choices"]:
            text.append(one["delta"].get("content") or "")
            finish_reason = one.get("finish_reason") or finish_reason
        if body.get("usage") is not None:
            usage = body["usage"]
    return "".join(text), finish_reason, usage


def events(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The data of each complete event. Bytes are cut into lines before anything is decoded."""
    data: list[bytes] = []
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            line = line.removesuffix(b"\r")
            if line.startswith(b"data:"):
                data.append(line[len(b"data:") :].removeprefix(b" "))
            elif not line and data:
                yield b"\n".join(data)
                data = []
