"""Hidden cases: what was made to see one mistake, then random answers in three vocabularies."""

from __future__ import annotations

from typing import Any

import pytest

from judge.grading.author import case, check
from judge.grading.seeds import Rng
from judge.grading.stateful import generate

from . import streams
from .streams import Model, single
from .vocab import drawer, tokens, vocabulary


@case(part="text", points=6)
def test_text_characters_in_pieces(submission: Any, rng: Rng) -> None:
    """Characters of two, three and four bytes, a byte a token."""
    words = vocabulary("bytes")
    groups = [group for group in words.groups if len(group) > 1]
    ids = [[token for place in rng.permutation(len(groups)) for token in groups[place]] for _ in range(2)]
    runs = [single(one, words.eos) for one in ids]
    streams.play(submission, words, runs)


@case(part="text", points=6)
def test_text_cut_within_a_character(submission: Any, rng: Rng) -> None:
    """The answer ends by its length, and its last character is not complete."""
    words = vocabulary("bytes")
    runs = []
    for group in (group for group in words.groups if len(group) > 1):
        ids = [*tokens(rng, words, 3, 0), *group[:-1]]
        runs += [single(ids[:-1], ids[-1]), single(ids, words.eos)]
    streams.play(submission, words, runs)


@case(part="text", points=6)
def test_text_end_of_text_token(submission: Any, rng: Rng) -> None:
    """Its text belongs to the answer, except where it ends one: with ignore_eos it may stand in the middle."""
    words = vocabulary("bytes")
    before, after = tokens(rng, words, 3, 0), tokens(rng, words, 3, 0)
    other = words.groups[1][0]
    end = words.eos
    runs = [single([*before, end, *after], end), single([end, end, *after], other), single([], end)]
    streams.play(submission, words, runs)


@case(part="text", points=5)
def test_text_broken_bytes(submission: Any, rng: Rng) -> None:
    """Bytes that never become a character: their replacement goes out when something follows."""
    words = vocabulary("bytes")
    runs = []
    for stray in words.strays:
        ids = [words.groups[2][0], stray, rng.pick(words.strays), *tokens(rng, words, 4, 0)]
        runs.append(single(ids, words.eos))
    streams.play(submission, words, runs)


@case(part="text", points=5)
def test_text_tokens_without_text(submission: Any, rng: Rng) -> None:
    """A token that has no text comes between words."""
    words = vocabulary("spaces")
    the, cache = words.groups[2][0], words.groups[3][0]
    none, end = words.first, words.eos
    ids = [the, none, cache, none, none, *tokens(rng, words, 4, 0), none, cache]
    streams.play(submission, words, [single(ids, end), single([none, the, none, none, the], end)])


@pytest.mark.parametrize("kind", ["bytes", "spaces", "words"])
@case(part="text", points=5)
def test_text_random(submission: Any, rng: Rng, kind: str) -> None:
    words = vocabulary(kind)
    runs = [single(tokens(rng, words, int(rng.integers(1, 16))), words.eos) for _ in range(8)]
    streams.play(submission, words, runs)


@case(part="text", points=2)
def test_text_same_token_again(submission: Any, rng: Rng) -> None:
    """One token many times: what is new is found by its place and not by its text."""
    words = vocabulary("words")
    streams.play(submission, words, [single([rng.pick(words.groups)[0]] * 6, words.eos) for _ in range(4)])


@case(part="batch", points=7)
def test_batch_two_tokens_of_one_request(submission: Any, rng: Rng) -> None:
    """Messages pile up: a batch has several tokens of one request, and its end."""
    words = vocabulary("bytes")
    ids = [*tokens(rng, words, 5, 0), *words.groups[-3]]
    msgs = [[3, token, False] for token in ids]
    other = [[4, token, False] for token in tokens(rng, words, 2, 0)]
    runs = [
        [
            {"op": "step", "msgs": [*msgs[:2], *other, *msgs[2:]]},
            {"op": "step", "msgs": [[3, words.eos, True]]},
        ],
        [{"op": "step", "msgs": [*msgs, [3, words.eos, True], *msgs[:1]]}, {"op": "step", "msgs": msgs[1:]}],
    ]
    streams.play(submission, words, runs)


@case(part="batch", points=6)
def test_batch_a_uid_again(submission: Any, rng: Rng) -> None:
    """A uid that has ended, within a character even, is used for another request."""
    words = vocabulary("bytes")
    uid, open_one = int(rng.integers(1, 100)), words.groups[-3][:1]
    first = single([*tokens(rng, words, 3, 0)], open_one[0], uid)
    streams.play(submission, words, [[*first, *single(tokens(rng, words, 3, 0), words.eos, uid)]])


@pytest.mark.parametrize("kind", ["bytes", "spaces"])
@case(part="batch", points=6)
def test_batch_random(submission: Any, rng: Rng, kind: str) -> None:
    words = vocabulary(kind)
    runs = [generate(lambda: Model(words), 20, drawer(rng, words, 4, 4)) for _ in range(4)]
    streams.play(submission, words, runs)


@case(part="batch", points=1)
def test_batch_empty(submission: Any, rng: Rng) -> None:
    """No message, no text; then as if nothing had happened."""
    words = vocabulary("bytes")
    first, *rest = single(tokens(rng, words, 3, 0), words.eos)
    streams.play(submission, words, [[{"op": "step", "msgs": []}, first, {"op": "step", "msgs": []}, *rest]])


@case(part="window", points=20)
def test_window_stays_small(submission: Any, rng: Rng) -> None:
    """Ten answers of a hundred tokens: what is out is not decoded again."""
    words = vocabulary(rng.pick(["bytes", "spaces"]))
    answers = [tokens(rng, words, 100, 0)[:100] for _ in range(10)]
    texts, longest, total = submission.harness.work(words.config(), answers)
    check.equal(texts, [words.decode(ids) for ids in answers], field="texts", mistake="text-wrong")
    most = 40 * 1000
    check.that(longest <= 64 and total <= most, mistake="window-grows", field="tokens decoded",
               got=[longest, total], want=[64, most])  # fmt: skip
