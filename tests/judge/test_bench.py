"""`judge bench`: what it measures has the promised form, and stands in the relations that must hold anywhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judge.bench import others, run
from judge.bench.measure import quantile, summary
from judge.bench.others import Unknown
from judge.bench.run import Effort, bench, ratios
from judge.problem import load_problem
from judge.startup import NoSandbox
from tests.conftest import missing

PROBLEM = {"p50_s", "p95_s", "min_s", "runs", "cases", "phases", "cell_cpu_s", "cell_mib", "floor_p50_s"}
PROBLEM |= {"overhead_p50_s", "overhead_p95_s", "per_s"}


@pytest.mark.parametrize(("share", "value"), [(0.5, 2), (0.95, 4), (0.25, 1), (0, 1), (1, 4)])
def test_a_quantile_is_one_of_the_values(share: float, value: float) -> None:
    assert quantile([4, 1, 3, 2], share) == value


def test_a_summary_keeps_its_order() -> None:
    told = summary([0.3, 0.1, 0.2])
    assert told == {"p50_s": 0.2, "p95_s": 0.3, "min_s": 0.1, "runs": 3}


def test_a_ratio_that_is_unknown_is_none() -> None:
    found: dict[str, Any] = {
        "trivial": {"p50_s": 0.05},
        "p189": {"p50_s": 0.6, "floor_p50_s": 0.5},
        "others": {"docker_run_s": None, "fresh_pytest_s": 2.0},
    }
    assert ratios(found) == {"docker_run": None, "fresh_pytest": 40.0, "floor_189": 1.2}
    assert ratios({**found, "p189": None})["floor_189"] is None


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """One small measurement on the backend that needs no service, without containers."""

    def no_container() -> None:
        raise Unknown("no container in this test")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "Container", no_container)
        try:
            return bench("landlock", load_problem(run.TRIVIAL), Effort(3, 1, 0.5))
        except NoSandbox as error:
            missing(str(error))


def test_a_measurement_is_json_of_the_promised_form(found: dict[str, Any]) -> None:
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert {"format", "machine", "trivial", "p189", "ratios", "reasons"} <= set(found)
    assert set(found["trivial"]) == PROBLEM == set(found["p189"])
    assert set(found["trivial"]["per_s"]) == {"1", "2", "4"}
    assert set(found["ratios"]) == {"docker_run", "fresh_pytest", "floor_189"}
    assert found["machine"]["copy_gib_s"] > 0 and found["machine"]["matmul_gflop_s"] > 0


def test_what_could_not_be_measured_has_a_reason(found: dict[str, Any]) -> None:
    assert found["ratios"]["docker_run"] is None and found["others"]["docker_run_s"] is None
    assert found["reasons"] == {"docker_run": "no container in this test"}


def test_the_relations_that_hold_anywhere(found: dict[str, Any]) -> None:
    trivial = found["trivial"]
    assert trivial["min_s"] <= trivial["p50_s"] <= trivial["p95_s"]
    assert trivial["floor_p50_s"] < trivial["p50_s"]  # isolation is not free
    assert found["ratios"]["fresh_pytest"] > 2  # and importing torch dearer
    assert found["start"]["first_verdict_s"] > trivial["p50_s"]
    assert all(rate > 0 for rate in trivial["per_s"].values())


def test_a_problem_that_fails_its_own_cases_is_no_floor(tmp_path: Any) -> None:
    import shutil

    folder = tmp_path / "trivial"
    shutil.copytree(run.TRIVIAL, folder)
    (folder / "solution.py").write_text("def add(a, b):\n    return a - b\n")
    with others.Floor(load_problem(folder)) as floor, pytest.raises(Unknown):
        floor.once()


@pytest.mark.docker
def test_a_container_of_ones_own_judges_the_same_cases() -> None:
    try:
        container = others.Container()
    except Unknown as why:
        missing(str(why))
    assert container.once(load_problem(run.TRIVIAL)) > 0
