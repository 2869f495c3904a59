"""What the processes of the engine tell each other."""

from minisgl.message.backend import AbortBackendMsg, BaseBackendMsg, BatchBackendMsg, ExitMsg, UserMsg
from minisgl.message.frontend import BaseFrontendMsg, BatchFrontendMsg, UserReply
from minisgl.message.tokenizer import (
    AbortMsg,
    BaseTokenizerMsg,
    BatchTokenizerMsg,
    DetokenizeMsg,
    TokenizeMsg,
)
from minisgl.message.utils import deserialize_type, serialize_type

__all__ = [
    "AbortBackendMsg",
    "AbortMsg",
    "BaseBackendMsg",
    "BaseFrontendMsg",
    "BaseTokenizerMsg",
    "BatchBackendMsg",
    "BatchFrontendMsg",
    "BatchTokenizerMsg",
    "DetokenizeMsg",
    "ExitMsg",
    "TokenizeMsg",
    "UserMsg",
    "UserReply",
    "deserialize_type",
    "serialize_type",
]
