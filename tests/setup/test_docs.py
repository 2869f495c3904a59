"""The operator's pages name every setting that there is, and the front pages lead to every document."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def settings(text: str) -> set[str]:
    return set(re.findall(r"\bJUDGE_[A-Z_]+", text))


@pytest.mark.parametrize("document", ["operating.md", "operating.zh.md"])
def test_every_setting_has_its_line(document: str) -> None:
    text = (ROOT / "docs" / document).read_text("utf-8")
    rows = "\n".join(line for line in text.splitlines() if line.startswith("| `"))
    read = settings((ROOT / "judge" / "config.py").read_text("utf-8")) - {"JUDGE_"}
    composed = settings((ROOT / "docker-compose.yml").read_text("utf-8"))
    assert read and composed
    assert read | composed <= settings(rows)
    assert settings(rows) <= read | composed


@pytest.mark.parametrize("document", ["README.md", "README.zh.md"])
def test_the_front_page_leads_to_every_document(document: str) -> None:
    linked = set(re.findall(r"\]\(([^)#]+)", (ROOT / document).read_text("utf-8")))
    for name in ("CONTRIBUTING.md", "SECURITY.md", "docs/design.md", "docs/security.md"):
        assert name in linked, name
    assert linked & {"docs/accounts.md", "docs/accounts.zh.md"}
    assert linked & {"docs/operating.md", "docs/operating.zh.md"}
    assert linked & {"docs/authoring.md", "docs/authoring.zh.md"}


@pytest.mark.parametrize(
    "document", [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")], ids=lambda path: path.name
)
def test_no_link_leads_nowhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", document.read_text("utf-8")):
        assert "://" in target or (document.parent / target).exists(), target
