"""A statement's Markdown as plain text for a terminal: marks taken out, code indented, everything else left alone."""

from __future__ import annotations

import re

from judge.cli.terminal import Terminal

FENCE = re.compile(r"^\s*(```|~~~)")
HEADING = re.compile(r"^#{1,6}\s+(.*)$")
ITEM = re.compile(r"^(\s*(?:[-*+]|\d+\.)\s+)(.*)$")
CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")
LINK = re.compile(r"!?\[([^\]]*)\]\(([^)\s]+)[^)]*\)")
STRONG = re.compile(r"(\*\*|(?<!\w)__)(?=\S)(.+?)(?<=\S)\1")
HELD = "\0"  # Markdown has none: it stands for a span of code, which may lie inside a link or strong text


def render(markdown: str, terminal: Terminal) -> str:
    """The text of ``markdown``, broken at the terminal's width except in code and tables."""
    lines: list[str] = []
    in_code = False
    for line in markdown.splitlines():
        if FENCE.match(line):
            in_code = not in_code
        elif in_code:
            lines.append(terminal.style(f"    {line}".rstrip(), "cyan"))
        else:
            lines.append(_line(line, terminal))
    return "\n".join(lines).strip("\n")


def _line(line: str, terminal: Terminal) -> str:
    if heading := HEADING.match(line):
        return terminal.style(_inline(heading[1]), "bold")
    if line.lstrip().startswith("|"):
        return _inline(line)
    if item := ITEM.match(line):
        mark = item[1].replace("*", "-").replace("+", "-")
        return mark + terminal.wrap(_inline(item[2]), " " * len(mark)).lstrip()
    return terminal.wrap(_inline(line))


def _inline(text: str) -> str:
    text = text.replace(HELD, "")
    spans = (span[0] for span in CODE.finditer(text))
    text = LINK.sub(r"\1 (\2)", CODE.sub(HELD, text))
    return re.sub(HELD, lambda _: next(spans), STRONG.sub(r"\2", text))
