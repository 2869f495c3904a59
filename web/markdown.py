"""Statements, hints and editorials: Markdown to clean HTML, with bold that works beside Chinese punctuation."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markupsafe import Markup
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.anchors.index import slugify
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

TAGS = set(nh3.ALLOWED_TAGS) & {
    *(
        "a",
        "blockquote",
        "br",
        "code",
        "dd",
        "del",
        "div",
        "dl",
        "dt",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "hr",
    ),
    *(
        "img",
        "li",
        "ol",
        "p",
        "pre",
        "s",
        "span",
        "strong",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ),
}
ATTRIBUTES: dict[str, set[str]] = {
    "*": {"id", "class"},
    "a": {"href", "title"},
    "img": {"src", "alt", "title"},
    "ol": {"start"},
}
FORMATTER = HtmlFormatter(nowrap=True, classprefix="hl-")


def is_cjk(char: str) -> bool:
    """Whether a character is Chinese, Japanese or Korean, or punctuation set at their full width."""
    return len(char) == 1 and unicodedata.east_asian_width(char) in "WF"


class CjkState(StateInline):
    """CommonMark's inline state, but a CJK neighbour lets ``**`` open or close like a space would.

    Plain CommonMark leaves ``**注意：**请`` literal: after punctuation and before a letter, it says, no bold can end.
    """

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        """As the parent's, with ``can_open`` and ``can_close`` widened for ``*`` and ``~`` beside CJK."""
        scanned = super().scanDelims(start, canSplitWord)
        if not canSplitWord:
            return scanned
        end = start + scanned.length
        before = self.src[start - 1] if start else " "
        after = self.src[end] if end < len(self.src) else " "
        return Scanned(
            can_open=scanned.can_open or (is_cjk(before) and not after.isspace()),
            can_close=scanned.can_close or (is_cjk(after) and not before.isspace()),
            length=scanned.length,
        )


def colour(code: str, name: str, _attributes: str) -> str:
    """Code as spans with ``hl-`` classes; an empty answer lets markdown-it escape it as it is."""
    try:
        return highlight(code, get_lexer_by_name(name), FORMATTER) if name else ""
    except ClassNotFound:
        return ""


def parser() -> MarkdownIt:
    """CommonMark without raw HTML, with tables, strikethrough, ``$math$`` and heading anchors."""
    md = MarkdownIt("commonmark", {"html": False, "highlight": colour}).enable(["table", "strikethrough"])
    md.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    md.use(
        anchors_plugin, max_level=3, slug_func=lambda heading: f"s-{slugify(heading)}"
    )  # no id of the page itself

    def parse(src: str, md: MarkdownIt, env: object, tokens: list[object]) -> list[object]:
        state = CjkState(src, md, env, tokens)  # type: ignore[arg-type]
        md.inline.tokenize(state)
        for rule in md.inline.ruler2.getRules(""):
            rule(state)
        return state.tokens  # type: ignore[return-value]

    md.inline.parse = parse  # type: ignore[method-assign, assignment]
    return md


PARSER = parser()


@lru_cache(maxsize=512)
def render(text: str) -> Markup:
    """The Markdown ``text`` as sanitised HTML; mathematics stays TeX in ``<span class="math ...">``."""
    html = nh3.clean(
        PARSER.render(text), tags=TAGS, attributes=ATTRIBUTES, url_schemes={"http", "https", "mailto"}
    )
    return Markup(html)


def inline_code(text: str) -> Markup:
    """Plain text whose `backticked` pieces become ``<code>``; everything is escaped."""
    pieces = str(text or "").split("`")
    if len(pieces) % 2 == 0:  # an odd backtick out: leave the last one literal
        pieces[-2:] = [f"{pieces[-2]}`{pieces[-1]}"]
    coded = [
        Markup("<code>{}</code>").format(one) if i % 2 else Markup.escape(one) for i, one in enumerate(pieces)
    ]
    return Markup("").join(coded)
