"""Hidden cases: most were made to see one mistake; random answers and random cuts come last."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from . import reading, sending
from .reading import DONE, body, cut, event, texts, usage_of, whole
from .sending import answer

CUT = {"UnicodeDecodeError": "decodes-chunks", "ValueError": "events-cut"}


@case(part="server", points=6)
def test_server_keeps_blanks(submission: Any, rng: Rng) -> None:
    """Spaces and newlines are text, too; only an empty string is nothing."""
    blanks = [" ", "\n", "", "  ", "\n\n", "x ", " y", ""]
    one = answer(rng, [blanks[place] for place in rng.permutation(len(blanks))])
    sending.verify(submission.harness.send(one.arguments()), one)


@case(part="server", points=6)
def test_server_no_text(submission: Any, rng: Rng) -> None:
    """An answer without text still has a beginning, an end and a reason."""
    for deltas in ([], ["", ""]):
        one = answer(rng, deltas)
        sending.verify(submission.harness.send(one.arguments()), one)


@case(part="server", points=6)
def test_server_usage(submission: Any, rng: Rng) -> None:
    """Counts, an empty dict, and none at all."""
    for usage in (usage_of(rng), {}, None):
        one = answer(rng, texts(rng, 2), usage)
        sending.verify(submission.harness.send(one.arguments()), one)


@case(part="server", points=12)
def test_server_sends_at_once(submission: Any, rng: Rng) -> None:
    """The event of a text is out before the next text is waited for."""
    one = answer(rng, texts(rng, 5))
    log = submission.harness.watch(one.req_id, one.model, one.created, one.deltas, one.finish_reason)
    sending.verify([entry for entry in log if type(entry) is not int], one)
    order = [entry if type(entry) is int else "sent" for entry in log]
    want: list[Any] = ["sent"]
    for number in range(len(one.deltas)):
        want += [number, "sent"]
    want += ["sent", "sent"]
    check.equal(order, want, field="order", mistake="not-streaming",
                known={"role-waits": lambda: [0, "sent", "sent", *want[3:]]})  # fmt: skip


@case(part="server", points=8)
def test_server_random(submission: Any, rng: Rng) -> None:
    tricky = (*reading.WORDS, 'say "hi"', "C:\\new", "data: [DONE]", "\u2028", "")
    for number in range(4):
        one = answer(rng, texts(rng, 6, tricky), usage_of(rng) if number % 2 else None)
        sending.verify(submission.harness.send(one.arguments()), one)


@case(part="client", points=6, means=CUT)
def test_client_byte_by_byte(submission: Any, rng: Rng) -> None:
    pieces, usage = ["KV ", *texts(rng, 3), "缓存🙂"], usage_of(rng)
    data = b"".join(whole(pieces, "length", usage))
    chunks = [data[i : i + 1] for i in range(len(data))]
    reading.verify(submission.parse_stream, chunks, ("".join(pieces), "length", usage))


@case(part="client", points=6, means={"ValueError": "text-as-protocol"})
def test_client_text_like_the_protocol(submission: Any, rng: Rng) -> None:
    """The text holds what the protocol is made of."""
    pieces = [
        "data: [DONE]",
        "[DONE]",
        "\n\ndata: {}\n\n",
        "data:",
        ": ",
        "\r\n\r\n",
        'data: {"choices": []}',
    ]
    pieces = [pieces[place] for place in rng.permutation(len(pieces))]
    want = ("".join(pieces), "stop", None)
    reading.verify(submission.parse_stream, whole(pieces, "stop"), want, "text-as-protocol")


@case(part="client", points=5, means={"ValueError": "unicode-lines"})
def test_client_line_separators_in_text(submission: Any, rng: Rng) -> None:
    """U+2028 and the like end a line for str.splitlines, and not for the protocol."""
    pieces = [*texts(rng, 2), "a\u2028b", "c\u0085d", "e\u2029f"]
    want = ("".join(pieces), "stop", None)
    reading.verify(
        submission.parse_stream, cut(rng, b"".join(whole(pieces, "stop")), 1), want, "unicode-lines"
    )


@case(part="client", points=5, means={"ValueError": "crlf"})
def test_client_crlf(submission: Any, rng: Rng) -> None:
    """Lines end with CR LF; one cut is between the two."""
    pieces, usage = texts(rng, 4), usage_of(rng)
    data = b"".join(whole(pieces, "stop", usage, end="\r\n"))
    place = data.index(b"\r\n", len(data) // 2) + 1
    want = ("".join(pieces), "stop", usage)
    reading.verify(submission.parse_stream, [data[:place], data[place:]], want, "crlf")


@case(part="client", points=4, means={"ValueError": "other-lines"})
def test_client_other_lines(submission: Any, rng: Rng) -> None:
    """Comments that keep a connection alive, fields that are not data, empty lines without an event."""
    pieces = texts(rng, 3)
    noise = [b": keep-alive\n\n", b":\n", b"event: message\n", b"id: 7\n", b"retry: 3000\n\n", b"\n\n"]
    data = b"".join(rng.pick(noise) + one for one in [b"", *noise, *whole(pieces, "stop")])
    reading.verify(submission.parse_stream, [data], ("".join(pieces), "stop", None), "other-lines")


@case(part="client", points=4, means={"ValueError": "space-after-data"})
def test_client_no_space(submission: Any, rng: Rng) -> None:
    """The space behind ``data:`` is optional; a second one belongs to the JSON."""
    pieces = texts(rng, 3)
    none, two = (whole(pieces, "length", before=before)[:-1] for before in ("data:", "data:  "))
    data = b"".join([*none[:2], *two[2:], b"data:[DONE]\n\n"])
    reading.verify(submission.parse_stream, [data], ("".join(pieces), "length", None), "space-after-data")


@case(part="client", points=4, means={"ValueError": "data-lines"})
def test_client_data_of_many_lines(submission: Any, rng: Rng) -> None:
    """One event whose JSON is spread over several data lines."""
    pieces, usage = texts(rng, 3), usage_of(rng)
    data = b"".join(whole(pieces, "stop", usage, indent=1))
    reading.verify(submission.parse_stream, [data], ("".join(pieces), "stop", usage), "data-lines")


@case(part="client", points=4, means={"TypeError": "nulls", "KeyError": "nulls"})
def test_client_null_and_absent(submission: Any, rng: Rng) -> None:
    """Other servers send null, leave fields out, or say everything in one event."""
    one, two = texts(rng, 2)
    usage = usage_of(rng)
    bodies = [
        body({"role": "assistant", "content": None}, usage=None),
        body({"content": one}, usage=None),
        body({"content": two}, "length", usage=usage),
        body({}, None, usage=None),
        body(None, usage=None),
    ]
    del bodies[1]["choices"][0]["finish_reason"]
    data = b"".join(map(event, bodies)) + DONE
    reading.verify(submission.parse_stream, [data], (one + two, "length", usage), "nulls")


@case(part="client", points=3, means={"ValueError": "reads-on"})
def test_client_after_done(submission: Any, rng: Rng) -> None:
    """What follows the end is not looked at, and no further chunk is waited for."""
    pieces = texts(rng, 3)
    data = b"".join(whole(pieces, "stop"))
    late = event(body({"content": "late"}))
    want = ("".join(pieces), "stop", None)
    for chunks, most in (([data + late + b"data: {\n\n"], 1), ([data, late, late], 1)):
        got, count = submission.harness.read(chunks)
        reading.judge_result(got, want, "reads-on")
        check.equal(count, most, field="chunks taken", mistake="waits-on")


@case(part="client", points=3, means={"ValueError": "half-an-event"})
def test_client_connection_lost(submission: Any, rng: Rng) -> None:
    """The stream ends early: within an event, or just before the empty line that would end it."""
    pieces, last = texts(rng, 3), event(body({"content": "lost"}))
    data = b"".join(event(body({"content": piece})) for piece in pieces)
    for end in (last[: len(last) // 2], last[:-1], last[:-2], b"", b"data: [DONE]\n"):
        reading.verify(submission.parse_stream, [data, end], ("".join(pieces), None, None), "half-an-event")


@case(part="client", points=2, means=CUT)
def test_client_random_cuts(submission: Any, rng: Rng) -> None:
    for number in range(6):
        pieces, usage = texts(rng, 5), rng.pick([usage_of(rng), {}])
        reason = rng.pick(["stop", "length"])
        data = b"".join(whole(pieces, reason, usage if number % 2 else None))
        want = ("".join(pieces), reason, usage if number % 2 else None)
        reading.verify(submission.parse_stream, cut(rng, data, 12), want)


@case(part="client", points=2, means={"TLE": "starts-again"})
def test_client_long_stream(submission: Any, rng: Rng) -> None:
    """Twelve hundred events in small chunks: what was read once is not read again."""
    pieces = texts(rng, 1200)
    data = b"".join(whole(pieces, "stop"))
    chunks = [data[i : i + 48] for i in range(0, len(data), 48)]
    reading.verify(submission.parse_stream, chunks, ("".join(pieces), "stop", None))
