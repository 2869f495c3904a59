"""The failure view: advice first, whatever the mistake; facts, pictures and the file that reproduces a case."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, render_template
from flask.testing import FlaskClient

from judge.authoring.texts import expected_key
from judge.problem import Problem, load_problem
from judge.words import in_words
from tests.web.conftest import WRONG_DETAIL, WRONG_FACTS, a_case
from web.results import arrange

Submit = Callable[..., dict[str, Any]]
PICTURES = [
    {
        "kind": "attention",
        "what": "sees",
        "same": False,
        "head": 0,
        "heads": 2,
        "real": 1,
        "cut": 0,
        "requests": [
            {
                "index": 0,
                "first_row": 6,
                "keys": 3,
                "same": False,
                "got": [[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, "nan", 0.25]],
                "want": [[0.5, 0.5, 0.0, 0.0], [0.3333, 0.3333, 0.3333, 0.0]],
            }
        ],
    },
    {"kind": "rows", "real": 2, "want": [0, 6, 9], "got": [0, 6, 3], "cut": 0},
    {
        "kind": "page_table",
        "real": 2,
        "slots": 64,
        "lengths": [2, 1],
        "cached": [1, 0],
        "want": [[4, 5], [7, -1]],
        "got": [[4, 6], [7, -1]],
        "got_shape": [2, 2],
        "want_shape": [2, 2],
        "cut": {"rows": 0, "columns": 0},
    },
    {
        "kind": "mask",
        "real": 1,
        "cut": 0,
        "requests": [{"index": 0, "first_row": 0, "keys": 2, "want": [[1, 0], [1, 1]], "got": None}],
    },
    {
        "kind": "tensor",
        "field": "<b>out",
        "shape": [2, 2],
        "axes": [0, 1],
        "at": [None, None],
        "origin": [0, 0],
        "bad_rows": [1],
        "bad_columns": [0, 1],
        "got": [[1.0, -2.0], ["nan", 0.0]],
        "want": [[1.0, -2.0], [3.0, 1e9]],
        "bad": [[0, 0], [1, 1]],
    },
]
REPRO = {
    "calls": [{"function": "add", "harness": False, "args": ["1", "2"], "kwargs": {}}],
    "path": "",
    "want": "3",
    "tolerance": None,
    "contiguous": False,
    "got": "2",
    "shrunk": False,
}
FORM = {"dtype": "float32", "shape": [2, 4], "device": "cpu", "contiguous": True}
FACTS = {
    **WRONG_FACTS,
    "aspects": ["values"],
    "form": {"got": FORM, "want": FORM},
    "stride": {"got": [4, 1], "want": [4, 1]},
    "values": {**WRONG_FACTS["values"], "nan_got": 2, "nan_want": 0, "first_nan": [0, 3]},
}
del FACTS["dtype"]


@pytest.fixture
def pictured(scripted: Any) -> None:
    """A submission ``pictured`` whose hidden case has everything that a report may hold."""
    detail = {**WRONG_DETAIL, "repro": REPRO}
    case = a_case("add-large", "WA", mistake="product", facts=FACTS, detail=detail, pictures=PICTURES)
    raised = {"name": "E", "message": "m", "frames": [{"line": 1, "function": "add"}]}
    facts = {"kind": "raised", "builtin": "ValueError", "lines": [1]}
    scripted.scripts["pictured"] = [case, a_case("add-many", "RE", facts=facts, detail=raised)]


@pytest.fixture
def panel(client: FlaskClient, submit: Submit, pictured: None) -> Callable[[str], str]:
    view = submit("pictured")
    return lambda lang: client.get(f"/submissions/{view['id']}/panel", headers={"Accept-Language": lang}).text


class Well(HTMLParser):
    """Keeps which elements are open, so that a piece that does not close is seen."""

    void = frozenset({"input", "meta", "link", "img", "br", "path", "rect"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.styled: list[str] = []
        self.first_in_body: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if "style" in given or any(name.startswith("on") for name in given):
            self.styled.append(tag)
        if self.open and self.open[-1] == "case-body":
            self.first_in_body.append(given.get("class") or tag)
            self.open[-1] = "div"
        if tag not in self.void:
            self.open.append("case-body" if given.get("class") == "case-body" else tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        return

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] in (tag, "case-body"), (tag, self.open)
        self.open.pop()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_kind_of_picture_is_drawn_with_its_sentence_and_table(
    panel: Callable[[str], str], lang: str
) -> None:
    page = panel(lang)
    reader = Well()
    reader.feed(page)
    assert reader.open == [] and reader.styled == []
    figures = re.findall(r"<figure.*?</figure>", page, re.DOTALL)
    assert len(figures) == len(PICTURES)
    for figure in figures:
        assert re.search(r'<svg [^>]*role="img" aria-label="[^"]+', figure)
        assert re.search(r'<span class="said">[^<]{8,}', figure)
        assert "<table>" in figure and '<path class="p-' in figure
    assert "<b>out" not in page and "&lt;b&gt;out" in page


def test_the_facts_say_form_places_share_nan_and_tolerance(panel: Callable[[str], str]) -> None:
    page = panel("en")
    order = ["That is the product", 'class="facts"', "First wrong [0, 1]", "Worst [1, 2]", "Same in both"]
    order += ["float32", "3 of 8 (37.5%)", "2 in yours, starting at [0, 3]", "1e-05 + 2e-05 × |expected|"]
    order += ['class="printed"', "<figure"]
    places = [page.index(text) for text in order]
    assert places == sorted(places)
    assert "Stride" not in page  # equal where nobody asked


def test_the_line_of_an_exception_is_shown_with_its_code(panel: Callable[[str], str]) -> None:
    assert re.search(r'data-line="1">line 1, in add</button> <code>pictured = 1</code>', panel("en"))


def test_the_file_that_reproduces_is_offered_and_sent(
    panel: Callable[[str], str], client: FlaskClient
) -> None:
    (address,) = set(re.findall(r'href="(/submissions/\d+/reproduce/[^"]+)"', panel("en")))
    answer = client.get(address)
    assert answer.status_code == 200 and answer.mimetype == "text/x-python"
    assert "attachment" in answer.headers["Content-Disposition"]
    assert "result = solution.add(a, b)" in answer.text
    compile(answer.text, "repro.py", "exec")
    assert client.get(address.replace("add-large", "add-many")).status_code == 404
    assert client.get(address.replace("add-large", "other")).status_code == 404


def test_a_report_without_pictures_still_shows(client: FlaskClient, submit: Submit) -> None:
    page = client.get(f"/submissions/{submit('wrong')['id']}/panel").text
    assert "<figure" not in page and "reproduce" not in page and 'class="facts"' in page


@pytest.fixture(scope="module")
def p189() -> Problem:
    return load_problem(Path(__file__).parents[2] / "problems/minisgl/189-ms-attn-metadata")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_first_thing_read_says_what_is_wrong_for_each_wrong_solution(
    app: Flask, submit: Submit, client: FlaskClient, p189: Problem, lang: str
) -> None:
    """That each wrong solution is judged by its own key is proven by `judge check`; here: what is read of it first."""
    base = submit("wrong")
    keys = [
        expected_key(source)
        for path, source in sorted(p189.files.items())
        if path.startswith("mutants/") and path.endswith(".py")
    ]
    assert len(keys) == 125
    with app.test_request_context(headers={"Accept-Language": lang}):
        for key in set(keys):
            case = a_case(
                "forward-book", "WA", mistake=key, facts=FACTS, detail=WRONG_DETAIL, pictures=PICTURES
            )
            view = {**base, "cases": [in_words(case, p189, lang)]}
            page = render_template("panel.html", view=arrange(view))
            reader = Well()
            reader.feed(page)
            assert reader.first_in_body == ["advice"], key
            told = re.search(r'<p class="advice">(.*?)</p>', page, re.DOTALL)
            assert told and told[1].count("<code>") == p189.messages(lang).advice[key].count("`") // 2
            assert p189.messages(lang).advice[key].split("`")[0][:20].split("'")[0] in told[1]
