"""What a server must send, what it sends when it makes one mistake, and checks of the events that it sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from judge.grading.author import check
from judge.grading.seeds import Rng

DONE = "[DONE]"
Payload = dict[str, Any] | str


@dataclass(frozen=True)
class Answer:
    """The arguments of chat_stream."""

    req_id: str
    model: str
    created: int
    deltas: list[str]
    finish_reason: str
    usage: dict[str, int] | None = None

    def arguments(self) -> list[Any]:
        """As chat_stream takes them; without usage where there is none."""
        given = [self.req_id, self.model, self.created, self.deltas, self.finish_reason]
        return given if self.usage is None else [*given, self.usage]


def answer(rng: Rng, deltas: list[str], usage: dict[str, int] | None = None) -> Answer:
    """An answer with an id, a model and a time of its own."""
    number, created = int(rng.integers(1000, 10_000)), int(rng.integers(1_700_000_000, 1_900_000_000))
    model = rng.pick(["qwen3-0.6b", "qwen3-8b", "llama-3.1-8b"])
    return Answer(f"chatcmpl-{number}", model, created, deltas, rng.pick(["stop", "length"]), usage)


@dataclass
class Server:
    """The right one; wrong ones override."""

    body: Mapping[str, Any] = field(default_factory=dict)

    def role(self) -> list[dict[str, Any]]:
        """The deltas before any text."""
        return [{"role": "assistant", "content": ""}]

    def texts(self, deltas: list[str]) -> list[dict[str, Any]]:
        """The deltas of the texts."""
        return [{"content": text} for text in deltas if text]

    def choice(self, delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
        """The one choice of an event."""
        return {"index": 0, "delta": delta, "finish_reason": reason}

    def spoken(self, one: Answer) -> list[list[dict[str, Any]]]:
        """The choices of every event up to the end of the text."""
        said = [*self.role(), *self.texts(one.deltas)]
        return [[self.choice(delta, None)] for delta in said] + [[self.choice({}, one.finish_reason)]]

    def used(self, one: Answer, bodies: list[Payload]) -> list[Payload]:
        """The bodies with the usage."""
        more: list[Payload] = [{"choices": [], "usage": one.usage}] if one.usage is not None else []
        return bodies + more

    def end(self) -> list[Payload]:
        """What ends the stream."""
        return [DONE]

    def payloads(self, one: Answer) -> list[Payload]:
        """What stands behind ``data: ``, JSON read."""
        common = {
            "id": one.req_id,
            "object": "chat.completion.chunk",
            "created": one.created,
            "model": one.model,
        }
        bodies: list[Payload] = [{"choices": choices} for choices in self.spoken(one)]
        bodies = [{**common, **body} for body in self.used(one, bodies) if isinstance(body, dict)]
        return bodies + self.end()


class SendsEmpty(Server):
    def texts(self, deltas: list[str]) -> list[dict[str, Any]]:
        return [{"content": text} for text in deltas]


class DropsBlank(Server):
    def texts(self, deltas: list[str]) -> list[dict[str, Any]]:
        return [{"content": text} for text in deltas if text.strip()]


class Strips(Server):
    def texts(self, deltas: list[str]) -> list[dict[str, Any]]:
        return [{"content": text.strip()} for text in deltas if text]


class NoRole(Server):
    def role(self) -> list[dict[str, Any]]:
        return []


class BareRole(Server):
    def role(self) -> list[dict[str, Any]]:
        return [{"role": "assistant"}]


class RoleEach(Server):
    def texts(self, deltas: list[str]) -> list[dict[str, Any]]:
        return [{"role": "assistant", "content": text} for text in deltas if text]


class FinishEverywhere(Server):
    def spoken(self, one: Answer) -> list[list[dict[str, Any]]]:
        said = [*self.role(), *self.texts(one.deltas), {}]
        return [[self.choice(delta, one.finish_reason)] for delta in said]


class FinishWithText(Server):
    def spoken(self, one: Answer) -> list[list[dict[str, Any]]]:
        said = super().spoken(one)[:-1]
        said[-1][0]["finish_reason"] = one.finish_reason
        return said


class FinishAfterText(Server):
    def spoken(self, one: Answer) -> list[list[dict[str, Any]]]:
        said = super().spoken(one)
        return said if any(one.deltas) else said[:-1]


class NullLeftOut(Server):
    def choice(self, delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
        return {"index": 0, "delta": delta} | ({"finish_reason": reason} if reason else {})


class NoIndex(Server):
    def choice(self, delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
        return {"delta": delta, "finish_reason": reason}


class EmptyUsage(Server):
    def used(self, one: Answer, bodies: list[Payload]) -> list[Payload]:
        return super().used(one, bodies) if one.usage else bodies


class UsageAlways(Server):
    def used(self, one: Answer, bodies: list[Payload]) -> list[Payload]:
        return [*bodies, {"choices": [], "usage": one.usage}]


class UsageWithFinish(Server):
    def used(self, one: Answer, bodies: list[Payload]) -> list[Payload]:
        last = bodies[-1]
        assert isinstance(last, dict)
        return bodies if one.usage is None else [*bodies[:-1], {**last, "usage": one.usage}]


class UsageWithChoice(Server):
    def used(self, one: Answer, bodies: list[Payload]) -> list[Payload]:
        choices = [self.choice({}, None)]
        return bodies if one.usage is None else [*bodies, {"choices": choices, "usage": one.usage}]


class NoDone(Server):
    def end(self) -> list[Payload]:
        return []


KNOWN: Mapping[str, Callable[[], Server]] = {
    "sends-empty": SendsEmpty,
    "drops-blank": DropsBlank,
    "strips-text": Strips,
    "no-role": NoRole,
    "role-without-content": BareRole,
    "role-in-each": RoleEach,
    "finish-everywhere": FinishEverywhere,
    "finish-with-text": FinishWithText,
    "finish-only-after-text": FinishAfterText,
    "finish-left-out": NullLeftOut,
    "no-index": NoIndex,
    "empty-usage-dropped": EmptyUsage,
    "usage-always": UsageAlways,
    "usage-with-finish": UsageWithFinish,
    "usage-with-choice": UsageWithChoice,
    "no-done": NoDone,
}


def payload(event: Any) -> Payload:
    """What one event says; its form is judged here."""
    check.that(isinstance(event, str), mistake="event-not-str", field="event", got=event, want="data: ...")
    framed = event.startswith("data: ") and event.endswith("\n\n") and "\n" not in event[:-2]
    check.that(framed, mistake="event-form", field="event", got=event, want="data: {...}\n\n")
    text = event.removeprefix("data: ").removesuffix("\n\n")
    if text == DONE:
        return DONE
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    good = isinstance(body, dict)
    check.that(good, mistake="event-json", field="event", got=event, want="data: {...}\n\n")
    escaped = not text.isascii() or json.dumps(body, ensure_ascii=False).isascii()
    check.that(
        escaped, mistake="escapes-text", field="event", got=event, want=json.dumps(body, ensure_ascii=False)
    )
    return dict(body)


def verify(events: Any, one: Answer) -> None:
    """All events of an answer."""
    check.that(isinstance(events, list), mistake="event-not-str", field="events", got=events)
    got, want = [payload(event) for event in events], Server().payloads(one)
    check.equal(
        got,
        want,
        field="events",
        mistake=_part(got, want),
        known={key: lambda make=make: make().payloads(one) for key, make in KNOWN.items()},
    )


def _part(got: list[Payload], want: list[Payload]) -> str:
    """What is wrong where no known mistake fits."""
    if len(got) != len(want):
        return "events-count"
    rests = [[one if isinstance(one, str) else {**one, "choices": 0} for one in all_] for all_ in (got, want)]
    return "event-fields" if rests[0] != rests[1] else "event-choices"
