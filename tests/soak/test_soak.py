"""The soak in short: see soak.py for the long one."""

from __future__ import annotations

from sandbox.pool import NoBackend
from tests.conftest import missing
from tests.soak.soak import soak


def test_mixed_submissions_among_kills_are_judged_once_and_right() -> None:
    try:
        found = soak("landlock", count=60, limit_s=60, kill_every=8, seed=1)
    except NoBackend as error:
        missing(str(error))
    assert found.sent >= 10 and found.kills
    assert (found.lost, found.twice, found.wrong_verdicts) == (0, 0, [])
    assert found.ours <= found.sent // 10  # three attempts in a row were killed
    assert found.growth_mib("zygote") < 32 and found.growth_mib("judge") < 32
