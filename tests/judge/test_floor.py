"""What a sandbox must at least hold back before a server lets several people send code to it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from judge.config import Config
from judge.startup import BelowFloor, refuse_below_floor
from sandbox.backend import Settings
from sandbox.landlock import LandlockBackend
from sandbox.namespace import NamespaceBackend
from sandbox.pool import all_backends

FACTS = {"landlock_abi": 3, "uid": 65534, "calibration_s": 0.01}


def pool(backend: str, protections: dict[str, str]) -> Any:
    """A pool as far as the floor asks."""
    return SimpleNamespace(backend=backend, protections=protections)


@pytest.mark.parametrize("name", ["docker", "namespace", "landlock"])
def test_the_backends_with_a_boundary_are_above_it(name: str) -> None:
    backend = next(one for one in all_backends(Settings(), 2048) if one.name == name)
    refuse_below_floor(pool(name, backend.protections(FACTS)), one_user=False)


def test_the_process_backend_is_below_it_and_one_user_may_have_it() -> None:
    process = next(one for one in all_backends(Settings(), 2048) if one.name == "process")
    held = pool("process", process.protections(FACTS))
    with pytest.raises(BelowFloor) as refused:
        refuse_below_floor(held, one_user=False)
    for lang in ("zh", "en"):
        assert "seccomp, network, processes" in refused.value.line(lang)
    refuse_below_floor(held, one_user=True)


@pytest.mark.parametrize("name", ["seccomp", "network", "processes"])
def test_each_protection_counts(name: str) -> None:
    protections = LandlockBackend(Settings()).protections(FACTS)
    with pytest.raises(BelowFloor, match=name):
        refuse_below_floor(pool("landlock", {**protections, name: "open"}), one_user=False)


def test_a_bare_process_needs_landlock_and_a_container_does_not() -> None:
    without = {**FACTS, "landlock_abi": 0}
    bare = {**LandlockBackend(Settings()).protections(FACTS), "landlock": "none"}
    with pytest.raises(BelowFloor, match="landlock"):
        refuse_below_floor(pool("landlock", bare), one_user=False)
    refuse_below_floor(pool("namespace", NamespaceBackend(Settings()).protections(without)), one_user=False)


def test_the_engines_runtime_is_a_setting() -> None:
    assert Config.from_env({}).docker_runtime == ""
    assert Config.from_env({"JUDGE_DOCKER_RUNTIME": " runsc "}).docker_runtime == "runsc"
    docker = all_backends(Settings(runtime="runsc"), 2048)[0]
    assert docker.protections(FACTS)["boundary"] == "container (runsc)"
