"""What the API server is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minisgl.message.utils import deserialize_type, serialize_type


class BaseFrontendMsg:
    """A message to the API server."""

    def encoder(self) -> Any:
        """In plain values."""
        return serialize_type(self)

    @staticmethod
    def decoder(data: Any) -> BaseFrontendMsg:
        """The message that ``data`` was made of; KeyError for another one."""
        message: BaseFrontendMsg = deserialize_type(_CLASSES, data)
        return message


@dataclass
class UserReply(BaseFrontendMsg):
    """New text of one request."""

    uid: int
    incremental_output: str
    finished: bool


@dataclass
class BatchFrontendMsg(BaseFrontendMsg):
    """Several in one."""

    data: list[BaseFrontendMsg]


_CLASSES = {one.__name__: one for one in (UserReply, BatchFrontendMsg)}
