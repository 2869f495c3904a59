"""The entries of the class matrix. Drawn by code, not by a template: 500 learners x 30 problems are 15,000 of them."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from judge.classroom import Learner
from judge.scores import Standing
from web.results import day, points


def row(learner: Learner, slugs: Sequence[str], work: str, never: str) -> Markup:
    """A learner's cells, one a problem; each leads to ``work``/learner/slug, and says ``never`` where nothing was sent."""
    nothing = f'<td class="none"><span class="unseen">{escape(never)}</span></td>'
    place = escape(f"{work}/{learner.id}/")
    return Markup(
        "".join(
            cell(found, f"{place}{escape(slug)}") if (found := learner.standings.get(slug)) else nothing
            for slug in slugs
        )
    )


def cell(standing: Standing, link: str) -> str:
    """Best score over attempts and day; ``link`` is escaped already, everything else is a number of ours."""
    kind = "good" if standing.solved else "part" if standing.attempts else "ran"
    best = points(standing.best_score) if standing.attempts else "–"
    tick = ' <span aria-hidden="true">✓</span>' if standing.solved else ""
    last = f" · {day(standing.last_at)}" if standing.last_at else ""
    return f'<td class="{kind}"><a href="{link}"><b>{best}</b>{tick}<small>×{standing.attempts}{last}</small></a></td>'
