"""The entries of the class matrix. Drawn by code, not by a template: 500 learners x 30 problems are 15,000 of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from judge.classroom import Learner
from judge.scores import Standing
from web.i18n import t
from web.results import day, points


@dataclass(frozen=True)
class Marks:
    """The marks of entries, each with its words for who does not see it; made once for a page."""

    never: str
    waiting: str
    fault: str
    gave_up: str


def marks() -> Marks:
    """The marks in the reader's language."""
    return Marks(
        f'<span class="unseen">{escape(t("class.never"))}</span>',
        mark("…", t("class.unjudged")),
        mark("!", t("class.fault")),
        " " + mark("†", t("class.saw-solution")),
    )


def mark(sign: str, words: str) -> str:
    """A sign to see and its words to hear."""
    return f'<span aria-hidden="true">{sign}</span><span class="unseen">{escape(words)}</span>'


def row(learner: Learner, slugs: Sequence[str], work: str, query: str, marks: Marks) -> Markup:
    """A learner's cells, one a problem; each leads to ``work``/learner/slug``query`` where something was sent."""
    place, query = escape(f"{work}/{learner.id}/"), escape(query)
    cells = []
    for slug in slugs:
        gave_up = marks.gave_up if slug in learner.gave_up else ""
        if standing := learner.standings.get(slug):
            cells.append(cell(standing, f"{place}{escape(slug)}{query}", marks, gave_up))
        else:
            cells.append(f'<td class="none">{marks.never}{gave_up}</td>')
    return Markup("".join(cells))


def cell(standing: Standing, link: str, marks: Marks, gave_up: str) -> str:
    """Best score over submissions and day; ``link`` and the marks are escaped already, the rest is numbers of ours."""
    kind = "good" if standing.solved else "part" if standing.attempts else "ran"
    if standing.attempts:
        best = points(standing.best_score)
    elif standing.sent:
        best = marks.waiting if standing.waiting else marks.fault
    else:
        best = "–"
    tick = ' <span aria-hidden="true">✓</span>' if standing.solved else ""
    last = f" · {day(standing.last_at)}" if standing.last_at else ""
    shown = f"<b>{best}</b>{tick}{gave_up}<small>×{standing.sent}{last}</small>"
    return f'<td class="{kind}"><a href="{link}">{shown}</a></td>'
