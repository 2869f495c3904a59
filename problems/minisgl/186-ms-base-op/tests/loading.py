"""What loading must leave behind, in full or after an error."""

from __future__ import annotations

from typing import Any

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

from .trees import Told, flat, walk


def private(told: Told, hidden: bool = False) -> list[bool]:
    """For every tensor of the description in order: whether it is none of the weights."""
    kind, content = told
    if kind == "tensor":
        return [hidden]
    if kind == "op":
        return [one for name, member in content for one in private(member, hidden or name.startswith("_"))]
    return [one for member in content for one in private(member, hidden)] if kind == "list" else []


def others(rng: Rng, told: Told) -> dict[str, torch.Tensor]:
    """New tensors for all weights, in another order than theirs."""
    pairs = [(name, rng.tensor(*old.shape, dtype=old.dtype)) for name, old in walk(told)]
    return dict(pairs[int(i)] for i in rng.permutation(len(pairs)))


def load(submission: Any, told: Told, state: dict[str, torch.Tensor], frozen: bool = False) -> dict[str, Any]:
    """What came of loading ``state``; the caller's dict is as it was."""
    got: dict[str, Any] = submission.harness.load(flat(told), list(state), list(state.values()), frozen)
    check.equal(got["names"], list(state), field="state_dict", mistake="callers-dict-changed")
    return got


def accepted(submission: Any, told: Told, state: dict[str, torch.Tensor], frozen: bool = False) -> None:
    """``state`` fits: each weight is now the given tensor itself, and nothing else has changed."""
    got = load(submission, told, state, frozen)
    check.equal(got["raised"], "", field="load_state_dict", mistake="right-refused")
    check.equal(got["text"], "", field="load_state_dict", mistake="returns-something")
    names, places = [name for name, _ in walk(told)], list(state)
    public = iter(names)
    for hidden, kept, found, given in zip(
        private(told), got["kept"], got["after"], got["given"], strict=True
    ):
        if hidden:
            check.that(kept, mistake="private-loaded", field="private")
            continue
        name = next(public)
        check.tensor(found, like=state[name], field="weight", mistake="not-loaded")
        check.equal(given, places.index(name), field="weight", mistake="copied-in" if kept else "load-copies")
    for name, old in zip(
        names, [one for one, hid in zip(got["before"], private(told), strict=True) if not hid], strict=True
    ):
        check.tensor(old, like=dict(walk(told))[name], field="old weight", mistake="copied-in")


def refused(
    submission: Any, told: Told, state: dict[str, torch.Tensor], kind: str, names: list[str], mistake: str
) -> None:
    """``state`` does not fit: an exception of ``kind`` whose text has ``names``, and nothing changed."""
    got = load(submission, told, state)
    check.that(got["raised"] != "", mistake=mistake, field="load_state_dict")
    check.equal(got["raised"], kind, field="load_state_dict", mistake="wrong-exception")
    for name in names:
        check.that(name in got["text"], mistake="text-without-name", field="text", got=got["text"], want=name)
    check.that(all(got["kept"]), mistake="changed-by-failure", field="weights")
