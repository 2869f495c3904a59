"""Cases that a learner sees in full: the table of the statement, and one that shows what padding may hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from judge.grading.author import case
from judge.grading.seeds import Rng

from . import decode


@case(part="values", points=4)
def test_three_requests(submission: Any, rng: Rng) -> None:
    """The lengths of the statement; all slots hold ordinary numbers."""
    call = decode.inputs(rng, [2, 4, 1], 6, 3, 16, extra=1)
    table = torch.tensor([[7, 3, 1, -1, -1], [5, 9, 2, 8, 1], [6, 4, 1, 0, -1]], dtype=torch.int32)
    decode.attend(submission, replace(call, table=table))


@case(part="engine", points=4, means={"RE": "junk-fetched"})
def test_padding_is_poison(submission: Any, rng: Rng) -> None:
    """float16; unused cells hold -1 and numbers beyond the pool, slots that nobody owns hold NaN."""
    table = torch.tensor([[7, 3, -1, -1, -1], [5, 9, 2, 8, -1], [6, 900000, 0, 0, -1]], dtype=torch.int32)
    call = replace(decode.inputs(rng, [2, 4, 1], 4, 2, 32, extra=1, dtype=torch.float16), table=table)
    decode.attend(submission, call.poisoned(float("nan")), nan="poison-read")
