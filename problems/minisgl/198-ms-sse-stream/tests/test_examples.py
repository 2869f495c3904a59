"""Cases that a learner sees in full: the statement's answer, sent and read."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from . import reading, sending

USAGE = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}


@case(part="server", points=7)
def test_server_book(submission: Any, rng: Rng) -> None:
    one = sending.Answer("chatcmpl-7", "qwen3-0.6b", 1_790_000_000, ["你", "", "好"], "stop", USAGE)
    sending.verify(submission.harness.send(one.arguments()), one)


@case(
    part="client",
    points=7,
    means={"UnicodeDecodeError": "decodes-chunks", "ValueError": "events-cut"},
)
def test_client_book(submission: Any, rng: Rng) -> None:
    """Three cuts: within JSON, within a character, and between the newlines that end an event."""
    data = b"".join(reading.whole(["你", "好"], "stop", USAGE))
    char = data.index("你".encode()) + 1
    ends = [0, data.index(b"role") + 2, char, data.index(b"\n\n", char) + 1, len(data)]
    chunks = [data[a:b] for a, b in pairwise(ends)]
    reading.verify(submission.parse_stream, chunks, ("你好", "stop", USAGE))
