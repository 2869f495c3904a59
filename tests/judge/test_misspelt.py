"""Where a missing entry point may be, told from the lines of the source alone."""

from __future__ import annotations

import pytest

from judge.grading.misspelt import look_for


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import torch\n\ndef foward(q):\n    pass\n", {"similar": "foward", "line": 3}),
        ("Forward = lambda q: q\n", {"similar": "Forward", "line": 1}),
        ("forwards: object = print\n", {"similar": "forwards", "line": 1}),
        ("class A:\n    async def forward(self): ...\n", {"indented": True, "line": 2}),
        ("def prepare_metadata(): ...\n", {}),
        ("forwrd == 3\n", {}),
        ("", {}),
        ("\ufeffdef foward(): ...", {"similar": "foward", "line": 1}),
    ],
)
def test_it_is_found_by_a_name_like_it(source: str, found: dict[str, object]) -> None:
    assert look_for("forward", source.encode()) == found


@pytest.mark.parametrize(
    "source",
    [
        b"(" * 131072,
        b"\xff\xfe\x00" * 40000,
        b"a" * 131072,
        b"def x" * 26000,
        b"a=\n" * 43000,
        b"a: " * 43000,
    ],
)
def test_whatever_is_sent_is_looked_through(source: bytes) -> None:
    assert look_for("forward", source) == {}  # what takes long without end is ended by pytest's timeout
