"""What the tokenizer and the detokenizer are sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minisgl.core import SamplingParams
from minisgl.message.utils import deserialize_type, serialize_type


class BaseTokenizerMsg:
    """A message to the tokenizer process."""

    def encoder(self) -> Any:
        """In plain values."""
        return serialize_type(self)

    @staticmethod
    def decoder(data: Any) -> BaseTokenizerMsg:
        """The message that ``data`` was made of; KeyError for another one."""
        message: BaseTokenizerMsg = deserialize_type(_CLASSES, data)
        return message


@dataclass
class TokenizeMsg(BaseTokenizerMsg):
    """A prompt: text, or the messages of a chat."""

    uid: int
    text: str | list[dict[str, str]]
    sampling_params: SamplingParams


@dataclass
class DetokenizeMsg(BaseTokenizerMsg):
    """One token that was generated; ``finished``: the request's last."""

    uid: int
    next_token: int
    finished: bool


@dataclass
class AbortMsg(BaseTokenizerMsg):
    """A request that nobody waits for any more."""

    uid: int


@dataclass
class BatchTokenizerMsg(BaseTokenizerMsg):
    """Several in one."""

    data: list[BaseTokenizerMsg]


_CLASSES = {
    one.__name__: one for one in (TokenizeMsg, DetokenizeMsg, AbortMsg, BatchTokenizerMsg, SamplingParams)
}
