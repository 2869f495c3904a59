"""What the scheduler is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from minisgl.core import SamplingParams
from minisgl.message.utils import deserialize_type, serialize_type


class BaseBackendMsg:
    """A message to the scheduler."""

    def encoder(self) -> Any:
        """In plain values."""
        return serialize_type(self)

    @staticmethod
    def decoder(data: Any) -> BaseBackendMsg:
        """The message that ``data`` was made of; KeyError for another one."""
        message: BaseBackendMsg = deserialize_type(_CLASSES, data)
        return message


@dataclass(eq=False)  # tensors are not compared as a whole
class UserMsg(BaseBackendMsg):
    """A request. input_ids: int32 [n] on the CPU."""

    uid: int
    input_ids: torch.Tensor
    sampling_params: SamplingParams


@dataclass
class AbortBackendMsg(BaseBackendMsg):
    """A request that nobody waits for any more."""

    uid: int


@dataclass
class ExitMsg(BaseBackendMsg):
    """The end."""


@dataclass
class BatchBackendMsg(BaseBackendMsg):
    """Several in one."""

    data: list[BaseBackendMsg]


_CLASSES = {one.__name__: one for one in (UserMsg, AbortBackendMsg, ExitMsg, BatchBackendMsg, SamplingParams)}
