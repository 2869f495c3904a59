"""The engine's detokenizer says early what later tokens cannot change."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from minisgl.message import DetokenizeMsg
from minisgl.tokenizer import DetokenizeManager, find_printable_text


def test_text_before_an_open_character_goes_out_before_it_is_complete() -> None:
    pieces = [b"<eos>", "流".encode() + "式".encode()[:1], "式".encode()[1:], b"!"]
    tokenizer = SimpleNamespace(
        eos_token_id=0, decode=lambda ids: b"".join(pieces[one] for one in ids).decode(errors="replace")
    )
    manager = DetokenizeManager(tokenizer)
    msgs = [DetokenizeMsg(1, token, False) for token in (1, 2, 3)]
    assert [manager.detokenize([msg]) for msg in msgs] == [["流"], ["式"], ["!"]]
    assert manager.detokenize([DetokenizeMsg(1, 0, True)]) == [""] and not manager.decode_map


@pytest.mark.parametrize(
    "text, sure",
    [
        ("流式�", "流式"),
        ("a cache h�", "a cache "),
        ("line\n", "line\n"),
        ("h�", ""),
        ("", ""),
        ("存h", "存"),
    ],
)
def test_what_is_before_an_open_character_is_said_up_to_a_boundary(text: str, sure: str) -> None:
    assert find_printable_text(text) == sure
