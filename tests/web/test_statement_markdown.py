"""Markdown of statements: Chinese emphasis, mathematics, code, and nothing that runs."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from web.markdown import inline_code, render


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**注意：**请勿", "<strong>注意：</strong>请勿"),
        ("**“缩放”**点积", "<strong>“缩放”</strong>点积"),
        ("这是**“对”**的", "这是<strong>“对”</strong>的"),
        ("**`q`**的", "<strong><code>q</code></strong>的"),
        ("用*强调*，不是**“粗”**。", "用<em>强调</em>，不是<strong>“粗”</strong>。"),
        ("~~（删）~~掉", "<s>（删）</s>掉"),
        ("**bold** and *soft*", "<strong>bold</strong> and <em>soft</em>"),
        ("snake_case_name 与 a_b_c", "snake_case_name 与 a_b_c"),
        ("2 * 3 * 4", "2 * 3 * 4"),
    ],
)
def test_emphasis(text: str, html: str) -> None:
    assert render(text) == f"<p>{html}</p>\n"


def test_mathematics_stays_tex_for_the_browser() -> None:
    assert '<span class="math inline">a &lt; b_1</span>' in render("令 $a < b_1$ 成立")
    assert '<div class="math block">' in render("$$\nx^2\n$$")
    assert "math" not in render("价格 $5 和 $6")


def test_code_is_coloured_by_classes_only() -> None:
    html = render("```python\ndef f(): return '<b>'\n```")
    assert '<span class="hl-k">def</span>' in html
    assert "&lt;b&gt;" in html
    assert "style=" not in html


def test_an_unknown_language_is_plain_code() -> None:
    assert render("```nosuch\n<x>\n```") == '<pre><code class="language-nosuch">&lt;x&gt;\n</code></pre>\n'


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "![x](javascript:alert(1))",
        "[x]: javascript:alert(1)\n\n[x]",
        '<a href="x" onclick="alert(1)">x</a>',
        "$\\href{javascript:alert(1)}{x}$<svg onload=alert(1)>",
    ],
)
def test_nothing_runs(text: str) -> None:
    found = Tags()
    found.feed(render(text))
    assert not found.names & {"script", "svg", "iframe", "object", "style"}
    for name, value in found.attributes:
        assert not name.startswith("on")
        assert name not in ("href", "src") or (value or "").startswith(("http", "mailto:"))


class Tags(HTMLParser):
    """Which elements and attributes a piece of HTML holds."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += attrs


def test_ids_of_headings_cannot_be_those_of_the_page() -> None:
    assert 'id="s-results"' in render("## results")


def test_backticks_in_plain_text_become_code() -> None:
    assert inline_code("use `a<b` or <i>") == "use <code>a&lt;b</code> or &lt;i&gt;"
    assert inline_code("one ` alone") == "one ` alone"
    assert inline_code("`a` and ` alone") == "<code>a</code> and ` alone"
    assert inline_code("") == ""
