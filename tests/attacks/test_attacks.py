"""Every known attack is made on every backend, comes to nothing, and leaves nothing behind."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.attacks.attack import Attack, all_attacks, complaints, read_attack
from tests.attacks.shooting import Range
from tests.attacks.site import Site, made_on
from tests.conftest import ATTACK

Note = Callable[[str, object], None]
ATTACKS = all_attacks()
KINDS = range(1, 66)
# 27: keeping data in a GPU's cache while timed; 28: a mean over timings; 41, 42: kernels and memory of a GPU;
# 49: known faults of container runtimes, which are for the operator's updates
DO_NOT_APPLY = {27, 28, 41, 42, 49}
# what Landlock and seccomp hold back
ON_THE_KERNEL = {1, 8, 33, 34, 35, 37, 40, 43, 45, 46, 48, 53, 61}


def test_every_kind_that_applies_is_tried() -> None:
    assert {attack.kind for attack in ATTACKS} == set(KINDS) - DO_NOT_APPLY
    assert len({attack.kind for attack in ATTACKS}) >= 58


@pytest.mark.parametrize(
    "attack", [one for one in ATTACKS if not one.on_site], ids=lambda attack: attack.name
)
def test_it_is_defeated(shooting_range: Range, attack: Attack, record_property: Note) -> None:
    make(shooting_range, attack, record_property)


@pytest.mark.parametrize(
    "attack", [one for one in ATTACKS if one.kind in ON_THE_KERNEL], ids=lambda attack: attack.name
)
def test_it_is_defeated_on_an_older_kernel(old_kernel: Range, attack: Attack, record_property: Note) -> None:
    make(old_kernel, attack, record_property)


def told(attack: Attack, found: list[str]) -> str:
    """Why it does not count as defeated."""
    return f"{attack.tries}\n" + "\n".join(found)


def make(shooting_range: Range, attack: Attack, note: Note) -> None:
    """One submission or two, and what comes after."""
    note(ATTACK, shooting_range.backend)
    found: list[str] = []
    for _ in range(1 + attack.twice):
        graded = shooting_range.judge(attack.source)
        report = graded.report()
        found += [*complaints(attack, report), *graded.faults]
        found += ["a secret of the judge's is in the report"] * (shooting_range.secret in str(report))
    found += shooting_range.aftermath()
    assert not found, told(attack, found)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("attack", [one for one in ATTACKS if one.on_site], ids=lambda attack: attack.name)
def test_it_is_defeated_on_the_site(
    shooting_range: Range, site: Site, attack: Attack, record_property: Note
) -> None:
    record_property(ATTACK, shooting_range.backend)
    found = made_on(site, attack) + shooting_range.aftermath()
    assert not found, told(attack, found)


def test_an_attack_that_was_not_made_does_not_count(shooting_range: Range) -> None:
    attack = next(one for one in ATTACKS if one.kind == 35)
    report = shooting_range.judge(attack.source).report()
    assert complaints(attack, report) == []
    silent = shooting_range.judge(b"def weighted(rows, weigh):\n    return rows\n").report()
    assert any("nothing shows" in one for one in complaints(attack, silent))
    right = shooting_range.judge(shooting_range.problem.solution.encode()).report()
    assert any("ended as AC" in one for one in complaints(attack, right))
    worked = copy.deepcopy(report)
    worked["cases"][0]["detail"]["stdout"] += "os.fork: WORKED, 4711\n"
    assert any("WORKED" in one for one in complaints(attack, worked))


def test_a_head_without_a_proof_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "07_nothing.py"
    path.write_text("# 7: tries nothing\n# ends as: WA\n")
    with pytest.raises(ValueError, match="nothing shows"):
        read_attack(path)
    path.write_text("# 8: another number\n")
    with pytest.raises(ValueError, match="first line"):
        read_attack(path)
