"""Streams as servers write them, cut into chunks, and checks of what a client read."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from judge.grading.author import check
from judge.grading.seeds import Rng

DONE = b"data: [DONE]\n\n"
WORDS = ("KV ", "cache", "命中", "前缀", "，", "🙂", " ", "\n", "\n\n", "é", "token", "流式", "\t")
Read = tuple[str, str | None, dict[str, int] | None]


def body(delta: dict[str, Any] | None, reason: str | None = None, **more: Any) -> dict[str, Any]:
    """The JSON object of an event; without a delta it has no choice."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": reason}]
    common = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_790_000_000, "model": "m"}
    return {**common, "choices": choices, **more}


def event(
    content: dict[str, Any], *, before: str = "data: ", end: str = "\n", indent: int | None = None
) -> bytes:
    """The bytes of one event; every line of its JSON has ``before`` in front."""
    lines = json.dumps(content, ensure_ascii=False, indent=indent).split("\n")
    return "".join(before + line + end for line in [*lines]).encode() + end.encode()


def texts(rng: Rng, count: int, words: Sequence[str] = WORDS) -> list[str]:
    """Pieces of text as a model writes them."""
    return ["".join(rng.pick(words) for _ in range(int(rng.integers(1, 4)))) for _ in range(count)]


def whole(pieces: Sequence[str], reason: str, usage: dict[str, int] | None = None, **how: Any) -> list[bytes]:
    """The events of an answer, as chat_stream sends them."""
    bodies = [body({"role": "assistant", "content": ""}), *(body({"content": piece}) for piece in pieces)]
    bodies.append(body({}, reason))
    if usage is not None:
        bodies.append(body(None, usage=usage))
    return [*(event(one, **how) for one in bodies), DONE.replace(b"\n", how.get("end", "\n").encode())]


def cut(rng: Rng, data: bytes, pieces: int) -> list[bytes]:
    """``data`` in that many chunks, some of which may be empty."""
    places = sorted(int(place) for place in rng.integers(0, len(data) + 1, pieces - 1))
    return [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]


def usage_of(rng: Rng) -> dict[str, int]:
    """Token counts."""
    prompt, completion = int(rng.integers(1, 500)), int(rng.integers(1, 500))
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def verify(call: Callable[[list[bytes]], Any], chunks: list[bytes], want: Read, because: str = "") -> None:
    """Reads ``chunks``; ``because`` names the mistake where the case was made to see one."""
    judge_result(call(chunks), want, because)


def judge_result(got: Any, want: Read, because: str = "") -> None:
    """Compares the three parts, each with advice of its own."""
    three = isinstance(got, tuple) and len(got) == 3
    check.that(three, mistake="result-form", field="result", got=got, want=want)
    text, reason, usage = want
    named = because or (
        "decodes-chunks" if isinstance(got[0], str) and _broken(got[0], text) else "text-wrong"
    )
    check.equal(got[0], text, field="text", mistake=named)
    check.equal(got[1], reason, field="finish_reason", mistake=because or "finish-wrong",
                known={"finish-overwritten": lambda: None})  # fmt: skip
    check.equal(got[2], usage, field="usage", mistake=because or "usage-wrong")


def _broken(got: str, want: str) -> bool:
    """Whether characters of several bytes were lost or replaced, and only those."""
    plain = [text.replace("\ufffd", "").encode("ascii", "ignore") for text in (got, want)]
    return plain[0] == plain[1] and ("\ufffd" in got or len(got) < len(want))
