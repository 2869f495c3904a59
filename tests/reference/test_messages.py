"""The engine's messages come back as they were."""

from __future__ import annotations

import pytest
import torch
from minisgl.core import SamplingParams
from minisgl.message import (
    AbortBackendMsg,
    AbortMsg,
    BaseBackendMsg,
    BaseFrontendMsg,
    BaseTokenizerMsg,
    BatchBackendMsg,
    BatchFrontendMsg,
    BatchTokenizerMsg,
    DetokenizeMsg,
    ExitMsg,
    TokenizeMsg,
    UserMsg,
    UserReply,
)


def test_every_message_comes_back_as_it_was() -> None:
    params = SamplingParams(temperature=0.5, ignore_eos=True)
    chat = [{"role": "user", "content": "你好"}]
    sent = [
        BatchTokenizerMsg([TokenizeMsg(1, chat, params), DetokenizeMsg(2, 7, False), AbortMsg(3)]),
        BatchFrontendMsg([UserReply(1, "text", True)]),
        BatchBackendMsg([AbortBackendMsg(4), ExitMsg()]),
    ]
    decoders = [BaseTokenizerMsg.decoder, BaseFrontendMsg.decoder, BaseBackendMsg.decoder]
    assert [decode(one.encoder()) for decode, one in zip(decoders, sent, strict=True)] == sent


def test_a_request_keeps_the_dtype_of_its_ids() -> None:
    ids = torch.arange(12, dtype=torch.int32)[::3]
    back = BaseBackendMsg.decoder(UserMsg(5, ids, SamplingParams()).encoder())
    assert isinstance(back, UserMsg)
    assert back.input_ids.dtype == torch.int32 and back.input_ids.tolist() == [0, 3, 6, 9]


def test_a_message_for_somebody_else_is_refused() -> None:
    with pytest.raises(KeyError, match="UserReply"):
        BaseBackendMsg.decoder(UserReply(1, "text", True).encoder())
