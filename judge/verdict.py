"""The verdicts and the one order in which they hide each other."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """What a case or a judgement came to; the value is the code that is stored and shown."""

    AC = "AC"  # accepted
    WA = "WA"  # a wrong result
    RE = "RE"  # raised, also while loading
    CE = "CE"  # cannot be loaded at all: syntax, encoding, an entry point missing
    TLE = "TLE"  # out of time
    MLE = "MLE"  # out of memory
    OLE = "OLE"  # printed too much
    SE = "SE"  # the judge's own fault; never scored
    SKIP = "SKIP"  # not applicable on this machine


SHOWN_FIRST = (Verdict.SE, Verdict.CE, Verdict.TLE, Verdict.MLE, Verdict.OLE, Verdict.RE, Verdict.WA)


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict of a judgement from those of its cases: first present of `SHOWN_FIRST`, else AC or SKIP.

    A judgement without any case is our fault (SE); one whose cases are all skipped is SKIP.
    """
    present = set(verdicts)
    if not present:
        return Verdict.SE
    for verdict in SHOWN_FIRST:
        if verdict in present:
            return verdict
    return Verdict.AC if Verdict.AC in present else Verdict.SKIP
