"""Chinese and English: the same strings in both, none outside them, and the choice remembered."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from web.i18n import LANGUAGES, strings

WEB = Path(__file__).parents[2] / "web"
TEMPLATES = sorted((WEB / "templates").glob("*.html"))
SCRIPTS = sorted((WEB / "static/js").glob("*.js"))
HAN = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
DYNAMIC = {
    "difficulty.": ("easy", "medium", "hard"),
    "theme.": ("system", "light", "dark"),
    "state.": ("solved", "tried", "new"),
    "next.": ("continue", "next", "again"),
    "mode.": ("run", "submit"),
    "compare.kind-": ("old", "new"),
    "phase.": ("queued", "start", "cell", "load", "cases", "compare", "record"),
    "result.": ("queued", "running", "example", "hidden"),
    "list.": ("chapter", "difficulty", "status", "tag"),
    "site.language-": LANGUAGES,
    "fact.": (
        "type",
        "dtype",
        "shape",
        "stride",
        "device",
        "contiguous",
        "length",
        "first",
        "worst",
        "yes",
        "no",
    ),
    "picture.key-": ("attention", "mask", "rows", "page-table", "tensor", "values"),
    "error.": ("not-found", "wrong-method", "too-large", "internal", "bad-request"),
}
"""Keys that code puts together from a prefix and a value."""


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_have_the_same_keys_and_places() -> None:
    zh, en = strings("zh"), strings("en")
    assert zh.keys() == en.keys()
    assert {key for key in zh if fields(zh[key]) != fields(en[key])} == set()
    assert all(zh[key].strip() and en[key].strip() for key in zh)


def test_english_holds_no_chinese_but_the_name_of_the_language() -> None:
    assert {key for key, text in strings("en").items() if HAN.search(text)} == {"site.language-zh"}


def used_keys() -> set[str]:
    """Every key that a template or module names as a whole, and those put together."""
    sources = [path.read_text("utf-8") for path in [*TEMPLATES, *WEB.glob("*.py"), *SCRIPTS]]
    literal = {key for text in sources for key in re.findall(r"[\"']([a-z]+\.[a-z0-9-]*[a-z0-9])[\"']", text)}
    refused = {f"error.{code}" for text in sources for code in re.findall(r"Refused\(\s*\"([a-z-]+)\"", text)}
    literal -= {"editor.background", "error.problem"}  # a colour of Monaco's theme, a line of judge's
    return literal | refused | {prefix + end for prefix, ends in DYNAMIC.items() for end in ends}


def test_every_string_is_used_and_every_used_key_exists() -> None:
    known = set(strings("zh"))
    prefixes = {key.split(".")[0] for key in known}
    used = {
        key for key in used_keys() if key.split(".")[0] in prefixes and not key.endswith((".html", ".js"))
    }
    assert known - used == set()
    assert used - known == set()


def bare_text(template: str) -> list[str]:
    """Words of a template that stand outside tags and expressions, or in an attribute that people read."""
    template = re.sub(r"<kbd>.*?</kbd>", "", template)
    text = re.sub(r"\{% block (\w+_class|main_attributes) %\}.*?\{% endblock %\}", "", template)
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", "\0", text, flags=re.DOTALL)
    read = re.findall(r'(?:aria-label|title|placeholder|alt)="([^"]*)"', text)
    read += re.findall(r'<(?:input|button)[^>]* value="([^"]*)"', text)
    read += re.findall(r">([^<>]*)<", f">{text}<")
    words = [re.sub(r"&\w+;|\0", " ", piece) for piece in read]
    return [word.strip() for word in words if re.search(r"[A-Za-z\u4e00-\u9fff]{2,}", word)]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_holds_bare_text(path: Path) -> None:
    allowed = {
        "run",
        "submit",
        "yes",
        "MiB",
    }  # values of buttons and boxes, a unit; names of keys stand in <kbd>
    assert [text for text in bare_text(path.read_text("utf-8")) if text not in allowed] == []


def test_the_search_for_bare_text_finds_it() -> None:
    assert bare_text('<p title="{{ t(1) }}">{{ x }} 题目</p><b title="Hello"></b>') == ["Hello", "题目"]


def test_no_code_holds_chinese_text() -> None:
    for path in WEB.glob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        documented = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        constants = [
            node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in documented
        ]
        assert not [
            node.value for node in constants if isinstance(node.value, str) and HAN.search(node.value)
        ], path
    for path in SCRIPTS:
        assert not re.findall(r"[\u4e00-\u9fff]", path.read_text("utf-8")), path


def test_the_browser_decides_until_the_reader_does(client: FlaskClient) -> None:
    assert "<h1>Problems</h1>" in client.get("/", headers={"Accept-Language": "en-US,zh;q=0.5"}).text
    assert "<h1>题目</h1>" in client.get("/", headers={"Accept-Language": "zh-TW"}).text
    assert "<h1>题目</h1>" in client.get("/", headers={"Accept-Language": "fr"}).text


def test_a_chosen_language_is_remembered(client: FlaskClient) -> None:
    assert "<h1>Problems</h1>" in client.get("/?lang=en").text
    assert "<h1>Problems</h1>" in client.get("/", headers={"Accept-Language": "zh"}).text
    assert "<h1>Problems</h1>" in client.get("/?lang=xx").text


def test_the_switch_keeps_the_filters(client: FlaskClient) -> None:
    page = client.get("/?q=a%26b&lang=zh").text
    assert 'href="?q=a%26b&amp;lang=en"' in page


@pytest.mark.parametrize("lang", LANGUAGES)
def test_pages_name_their_language(client: FlaskClient, lang: str) -> None:
    tag = {"zh": "zh-CN", "en": "en"}[lang]
    assert f'<html lang="{tag}"' in client.get(f"/problems/add-pair?lang={lang}").text
