"""The floor: the same cases called in one warm process without isolation. ``python -m judge.bench.floor FOLDER``.

Each line on standard input is answered by one pass over all cases: ``{"wall_s": ..., "cpu_s": ...}``.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from pathlib import Path
from typing import Any

from judge.bench.inprocess import SEED, loaded
from judge.grading.plugin import Plugin
from judge.grading.template import collect
from judge.grading.warm import preload
from judge.problem import load_problem


class _Run:
    """What the cases' fixtures ask: always the same solution."""

    def __init__(self, submission: Any) -> None:
        self.seed = SEED
        self._submission = submission

    def begin_case(self) -> Any:
        return self._submission


def serve(plugin: Plugin) -> None:
    """Passes over all cases, one for each line of standard input."""
    if plugin.faults:
        sys.exit("\n".join(plugin.faults))
    plugin.run = _Run(loaded(plugin.problem))
    _pass(plugin)
    gc.collect()
    gc.freeze()
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        _pass(plugin)
        told = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
        print(json.dumps(told), flush=True)


def _pass(plugin: Plugin) -> None:
    for case, following in zip(plugin.cases, [*plugin.cases[1:], None], strict=True):
        error = plugin.execute(case, following)
        if error is not None:
            raise error


if __name__ == "__main__":
    preload()
    collect(load_problem(Path(sys.argv[1])), serve)
