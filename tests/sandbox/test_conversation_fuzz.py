"""Whatever a cell says, in however many messages, a request ends in a plain value or an expected error."""

from __future__ import annotations

import json
import struct
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.sandbox.conversation import EXPECTED, NONCE, outcome
from tests.sandbox.test_wire_fuzz import FUZZ, assert_plain, atoms, nodes

KINDS = ["return", "raise", "refused", "not-loaded", "memory", "stop", "ask", "other"]
OPS = ["call", "get", "item", "len", "iter", "next", "prepare", "load"]
faults = st.tuples(
    st.sampled_from(
        ["ValueError", "Exception", "KeyboardInterrupt", "Skipped", "StopIteration", "type", "len"]
    ),
    st.text(max_size=5),
    st.text(max_size=5),
    st.lists(
        st.tuples(st.integers(-1, 5), st.text(max_size=3)).map(lambda pair: ["l", *pair]), max_size=3
    ).map(lambda frames: ["l", *frames]),
).map(lambda parts: ["l", *parts])
asked = st.tuples(nodes, nodes).map(
    lambda pair: [
        "l",
        pair[0] if type(pair[0]) is list else ["l", pair[0]],
        ["d"] if pair[1] is None else pair[1],
    ]
)
messages = st.fixed_dictionaries(
    {"kind": st.sampled_from(KINDS)},
    optional={
        "value": st.one_of(
            nodes, faults, asked, st.just(["l", ["l", 1], ["d"]]), st.tuples(atoms, atoms).map(list)
        ),
        "op": st.sampled_from(["call", "next", "get", 7]),
        "callback": st.one_of(st.integers(-1, 4), atoms),
        "nonce": st.sampled_from([NONCE, NONCE, NONCE, "1" * 16, 0]),
        "more": atoms,
    },
)


def spoken(message: dict[str, Any], text: bytes) -> bytes:
    """A message as bytes; it repeats the nonce where it says nothing else."""
    envelope = {"nonce": NONCE, "sizes": [len(text)], **message}
    body = json.dumps(envelope, allow_nan=True).encode("ascii")
    return struct.pack(">IQ", len(body), len(text)) + body + text


@FUZZ
@given(st.lists(st.tuples(messages, st.binary(max_size=8)), min_size=1, max_size=5), st.sampled_from(OPS))
def test_a_conversation_ends_in_a_value_or_an_expected_error(
    said: list[tuple[dict[str, Any], bytes]], op: str
) -> None:
    came = outcome(b"".join(spoken(*message) for message in said), op)
    if not isinstance(came, (*EXPECTED, Exception, type)):
        assert_plain(came)


@FUZZ
@given(st.binary(max_size=200), st.binary(max_size=200))
def test_garbage_ends_in_an_expected_error(said: bytes, printed: bytes) -> None:
    assert isinstance(outcome(said, printed=printed), EXPECTED)


def questions(said: str, count: int) -> bytes:
    """The same question over and over, then an answer."""
    question = {
        "kind": "ask",
        "op": said,
        "callback": 1 if said == "call" else 2,
        "value": ["l", ["l"], ["d"]],
    }
    return spoken(question, b"") * count + spoken({"kind": "return", "value": 1}, b"")


def test_the_conversation_of_these_tests_is_one() -> None:
    assert outcome(spoken({"kind": "return", "value": ["l", 1, 2]}, b"")) == [1, 2]
    assert outcome(spoken({"kind": "return", "value": 7}, b"")) == 7
    assert outcome(questions("call", 3)) == outcome(questions("next", 2)) == 1
