"""What may be said at each moment, detokenizers that each make one mistake, and how runs are judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from judge.grading.author import check, wrong
from judge.grading.stateful import Run, Step, drive

from .vocab import Vocabulary

OPEN = "\ufffd"


class Model:
    """All tokens of each request, and what was sent of its text. More than one answer may be right."""

    def __init__(self, words: Vocabulary) -> None:
        self.words = words
        self.ids: dict[int, list[int]] = {}
        self.sent: dict[int, str] = {}

    def take(self, step: Step) -> list[Any]:
        """For each message the uid, the whole text so far and whether it is the last; how many requests go on."""
        asked = []
        for uid, token, finished in step["msgs"]:
            ids = self.ids.setdefault(uid, [])
            if not (finished and token == self.words.eos):
                ids.append(token)
            asked.append((uid, self.words.decode(ids), finished))
            if finished:
                del self.ids[uid]
        return [asked, len(self.ids)]

    def verify(self, step: Step, got: Any, want: Any) -> None:
        """Every text, then the number of requests."""
        texts, active = got
        asked, running = want
        good = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
        check.that(good and len(texts) == len(asked), mistake="one-text-each", field="texts", got=texts)
        for text, (uid, whole, finished) in zip(texts, asked, strict=True):
            self._one(text, uid, whole, finished)
        check.equal(active, running, field="active", mistake="state-kept")

    def _one(self, text: str, uid: int, whole: str, finished: bool) -> None:
        before = self.sent.get(uid, "")
        said, sure = before + text, whole if finished else whole.rstrip(OPEN)
        want = sure[len(before) :]
        if not sure.startswith(said):
            early = said.count(OPEN) > sure.count(OPEN)
            wrong("sends-replacement" if early else "text-wrong", field="text", got=text, want=want)
        if finished and said != whole:
            wrong("tail-lost", field="text", got=text, want=want)
        if sure == whole and said != whole:
            wrong("held-back", field="text", got=text, want=want)
        self.sent[uid] = said
        if finished:
            del self.sent[uid]


class Plain:
    """The algorithm of the book with the tail flushed; wrong ones override."""

    def __init__(self, words: Vocabulary) -> None:
        self.words = words
        self.state: dict[int, list[Any]] = {}  # ids, start, read

    def take(self, step: Step) -> list[Any]:
        """The texts, and how many requests have state."""
        return [[self.one(*msg) for msg in step["msgs"]], len(self.state)]

    def verify(self, step: Step, got: Any, want: Any) -> None:
        """Not asked of these."""

    def fresh(self, uid: int) -> list[Any]:
        """The state of a request, new or old."""
        return self.state.setdefault(uid, [[], 0, 0])

    def left_out(self, token: int, finished: bool) -> bool:
        """Whether a token has no text."""
        return finished and token == self.words.eos

    def one(self, uid: int, token: int, finished: bool) -> str:
        """One message."""
        state = self.fresh(uid)
        if not self.left_out(token, finished):
            state[0].append(token)
        text = self.new(*state)
        if finished:
            self.forget(uid)
            return self.last(text)
        if self.is_open(text):
            self.wait(state)
            return ""
        self.advance(state, text)
        return text

    def new(self, ids: list[int], start: int, read: int) -> str:
        """What is not out yet."""
        return self.words.decode(ids[start:])[len(self.words.decode(ids[start:read])) :]

    def is_open(self, text: str) -> bool:
        """Whether it must wait."""
        return text.endswith(OPEN)

    def wait(self, state: list[Any]) -> None:
        """What changes while it waits."""

    def advance(self, state: list[Any], text: str) -> None:
        """Moves the window."""
        if text:
            state[1], state[2] = state[2], len(state[0])

    def last(self, text: str) -> str:
        """The text at the end."""
        return text

    def forget(self, uid: int) -> None:
        """The end of a request."""
        del self.state[uid]


class TokenAlone(Plain):
    def one(self, uid: int, token: int, finished: bool) -> str:
        self.fresh(uid)
        if finished:
            self.forget(uid)
        return "" if self.left_out(token, finished) else self.words.decode([token])


class NoContext(Plain):
    def new(self, ids: list[int], start: int, read: int) -> str:
        return self.words.decode(ids[read:])


class NeverWaits(Plain):
    def is_open(self, text: str) -> bool:
        return False


class WaitsForAny(Plain):
    def is_open(self, text: str) -> bool:
        return OPEN in text


class WaitsForWord(Plain):
    def is_open(self, text: str) -> bool:
        return text.endswith(OPEN) or (text[-1:].isascii() and text[-1:].isalpha())


class TailLost(Plain):
    def last(self, text: str) -> str:
        return "" if text.endswith(OPEN) else text


class EosSent(Plain):
    def left_out(self, token: int, finished: bool) -> bool:
        return False


class EosNever(Plain):
    def left_out(self, token: int, finished: bool) -> bool:
        return token == self.words.eos


class LastDropped(Plain):
    def left_out(self, token: int, finished: bool) -> bool:
        return finished


class SentAgain(Plain):
    def new(self, ids: list[int], start: int, read: int) -> str:
        return self.words.decode(ids)


class MovesWhileWaiting(Plain):
    def wait(self, state: list[Any]) -> None:
        state[1], state[2] = state[2], len(state[0])


class EmptyIsContext(Plain):
    def advance(self, state: list[Any], text: str) -> None:
        state[1], state[2] = state[2], len(state[0])


class StateKept(Plain):
    def forget(self, uid: int) -> None:
        pass


class OneForAll(Plain):
    def fresh(self, uid: int) -> list[Any]:
        return super().fresh(0)

    def forget(self, uid: int) -> None:
        self.state.pop(0, None)


class AllAtOnce(Plain):
    """Tokens are filed before any text is made, and offsets move after all texts were made."""

    def take(self, step: Step) -> list[Any]:
        found = []
        for uid, token, finished in step["msgs"]:
            state = self.fresh(uid)
            if not self.left_out(token, finished):
                state[0].append(token)
            found.append((uid, finished, self.new(*state)))
        texts = []
        for uid, finished, text in found:
            state = self.fresh(uid)
            texts.append(text if finished or not self.is_open(text) else "")
            if finished:
                self.state.pop(uid, None)
            elif texts[-1]:
                self.advance(state, text)
        return [texts, len(self.state)]


KNOWN: Mapping[str, Callable[[Vocabulary], Plain]] = {
    "empty-is-context": EmptyIsContext,
    "no-context": NoContext,
    "token-alone": TokenAlone,
    "sends-replacement": NeverWaits,
    "waits-for-any": WaitsForAny,
    "waits-for-word": WaitsForWord,
    "tail-lost": TailLost,
    "eos-sent": EosSent,
    "eos-never": EosNever,
    "last-dropped": LastDropped,
    "sent-again": SentAgain,
    "moves-while-waiting": MovesWhileWaiting,
    "state-kept": StateKept,
    "one-for-all": OneForAll,
    "batch-at-once": AllAtOnce,
}


def play(submission: Any, words: Vocabulary, runs: list[Run]) -> None:
    """Judges runs of steps."""
    drive(
        lambda some: submission.harness.replay(words.config(), some),
        lambda: Model(words),
        runs,
        known={key: lambda make=make: make(words) for key, make in KNOWN.items()},
    )


def single(ids: list[int], last: int, uid: int = 0) -> Run:
    """One request, one token a step, that ends with ``last``."""
    steps: Run = [{"op": "step", "msgs": [[uid, token, False]]} for token in ids]
    return [*steps, {"op": "step", "msgs": [[uid, last, True]]}]
