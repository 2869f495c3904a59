"""A class list as spreadsheets write it: CSV in UTF-8, with or without a BOM, or GB18030."""

from __future__ import annotations

import csv
import io

from judge.lines import UserError, line
from judge.roles import ALLOWED, find_role
from judge.users import BadUser, Person, clean_full_name, clean_name

LARGEST_BYTES = 4 << 20
COLUMNS = {
    "name": (
        "name",
        "login",
        "user",
        "username",
        "account",
        "id",
        "学号",
        "账号",
        "帐号",
        "用户名",
        "登录名",
    ),
    "full_name": ("full_name", "full name", "fullname", "姓名", "名字"),
    "role": ("role", "角色", "身份"),
}
MOST_TOLD = 10  # lines that cannot be used


class BadRoster(UserError):
    """A class list that cannot be read: the line and what is wrong with it."""


class BadLines(BadRoster):
    """Several lines of a class list that cannot be used, the first of them told."""

    def __init__(self, wrong: list[BadRoster]) -> None:
        super().__init__(wrong[0].key, **wrong[0].values)
        self.wrong = wrong

    def line(self, lang: str) -> str:
        """Every told line's sentence, and how many more there are."""
        told = [one.line(lang) for one in self.wrong[:MOST_TOLD]]
        more = len(self.wrong) - MOST_TOLD
        return "\n".join([*told, *([line("error.roster-more", lang, n=more)] if more > 0 else [])])


def read_roster(content: bytes) -> list[Person]:
    """The people of a class list: columns by their headings, without headings name, full name, role.

    Values stay as they stand, with leading zeros. BadRoster, with their lines, for those that cannot be used.
    """
    text = decode(content)
    rows = _rows(text)
    columns = _columns(rows[0][1]) if rows else None
    if columns is not None and "name" not in columns:
        raise BadRoster("roster-heading", line=rows[0][0])
    people: list[Person] = []
    first_lines: dict[str, int] = {}
    wrong: list[BadRoster] = []
    for at, row in rows if columns is None else rows[1:]:
        try:
            person = _person(at, row, columns or {"name": 0, "full_name": 1, "role": 2})
            earlier = first_lines.setdefault(person.name.lower(), at)
            if earlier != at:
                raise BadRoster("roster-twice", line=at, name=person.name, earlier=earlier)
        except BadRoster as error:
            wrong.append(error)
        else:
            people.append(person)
    if wrong:
        raise BadLines(wrong)
    if not people:
        raise BadRoster("roster-empty")
    return people


def decode(content: bytes) -> str:
    """The text of a file of one of the encodings; BadRoster for another one."""
    if len(content) > LARGEST_BYTES:
        raise BadRoster("roster-large", mib=LARGEST_BYTES >> 20)
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise BadRoster("roster-encoding")


def _rows(text: str) -> list[tuple[int, list[str]]]:
    """The rows that hold anything, each with its line in the file."""
    head = text.split("\n", 1)[0]
    separator = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append((reader.line_num, [cell.strip() for cell in row]))
    except csv.Error as error:
        raise BadRoster("roster-line", line=reader.line_num, why=error) from error
    return rows


def _columns(head: list[str]) -> dict[str, int] | None:
    """The place of each known heading; None when the row holds none and so is a person's. BadRoster for two of one kind."""
    found: dict[str, int] = {}
    for column, headings in COLUMNS.items():
        places = [place for place, cell in enumerate(head) if cell.lower() in headings]
        if len(places) > 1:
            raise BadRoster("roster-headings", first=head[places[0]], second=head[places[1]])
        if places:
            found[column] = places[0]
    return found or None


def _person(at: int, row: list[str], columns: dict[str, int]) -> Person:
    def cell(column: str) -> str:
        place = columns.get(column)
        return row[place] if place is not None and place < len(row) else ""

    try:
        name, full_name = clean_name(cell("name")), clean_full_name(cell("full_name"))
    except BadUser as error:
        raise BadRoster(f"roster-{error.key}", line=at, **error.values) from error
    role = find_role(cell("role") or "learner")
    if role is None:
        raise BadRoster("roster-role", line=at, role=cell("role"), allowed=ALLOWED)
    return Person(name, full_name, role)
