"""Where attacks are made: one backend, one grader, and an innocent submission that comes after each."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from judge.grading.grade import Grade, Grader, grade
from judge.problem import Problem, load_problem
from tests.attacks.surroundings import Surroundings

BANK = Path(__file__).parent / "problem"
PROBLEM = BANK / "hostile" / "990-weighted-sums"
_USUAL_OF = 9  # innocent judgements whose median is the usual time
_SLOWER = 3
# What an attack has left behind stays slow; a machine whose other core is busy gets calm again.
_PATIENCE_S = 60
_PAUSE_S = 0.5


class Range:
    """Where attacks are made: one backend, one grader, and an innocent submission to compare with."""

    def __init__(self, grader: Grader, name: str, secret: str) -> None:
        """``name`` is for the count; ``secret`` what no submission may ever see."""
        self.grader = grader
        self.backend = name
        self.secret = secret
        self.problem: Problem = load_problem(PROBLEM)
        self.judge(self.problem.solution.encode())  # collects the cases
        self._times = [self._innocent_s() for _ in range(_USUAL_OF)]
        self._surroundings = Surroundings(grader.pool)

    def judge(self, source: bytes) -> Grade:
        """One judgement of a submission."""
        return grade(self.problem, source, grader=self.grader)

    def aftermath(self) -> list[str]:
        """What an attack has done to those who come after it: judges an innocent one, and looks around."""
        usual_s = statistics.median(self._times[-_USUAL_OF:])
        until_s = time.monotonic() + _PATIENCE_S
        while (took_s := self._innocent_s()) > _SLOWER * usual_s and time.monotonic() < until_s:
            time.sleep(_PAUSE_S)
        self._times.append(took_s)
        left = self._surroundings.left()
        slow = f"an innocent submission takes {took_s:.3f} s, usually {usual_s:.3f} s"
        return [*left, slow] if took_s > _SLOWER * usual_s else left

    def _innocent_s(self) -> float:
        """Seconds of a right submission's judgement, without the wait for a zygote; it must be accepted."""
        judged = self.judge(self.problem.solution.encode())
        assert (judged.verdict, judged.score, judged.faults) == ("AC", 100.0, [])
        return sum(judged.phases.values()) - judged.phases["queued_s"]
