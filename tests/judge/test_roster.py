"""Class lists as they come out of spreadsheet programs, and what is wrong with those that cannot be read."""

from __future__ import annotations

import pytest

from judge.roster import BadRoster, read_roster
from judge.users import Person

LIST = "学号,姓名\r\n0012,张三\r\n0013,李四\r\n"
PEOPLE = [Person("0012", "张三"), Person("0013", "李四")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "gbk"])
def test_every_encoding_is_known_and_leading_zeros_stay(encoding: str) -> None:
    assert read_roster(LIST.encode(encoding)) == PEOPLE


@pytest.mark.parametrize(
    "text", [LIST.replace(",", ";"), LIST.replace(",", "\t"), LIST.replace("\r\n", "\n")]
)
def test_other_separators_and_line_ends_are_known(text: str) -> None:
    assert read_roster(text.encode()) == PEOPLE


def test_columns_go_by_their_headings() -> None:
    text = "序号,姓名,角色,账号\n1,张三,教师,z3\n\n2,李四,,l4\n"
    assert read_roster(text.encode()) == [Person("z3", "张三", "instructor"), Person("l4", "李四")]


def test_without_headings_they_are_name_full_name_role() -> None:
    assert read_roster(b"a1,Ann\nb2\n") == [Person("a1", "Ann"), Person("b2")]


def test_full_width_digits_are_digits() -> None:
    assert read_roster("００１２,张三".encode()) == [Person("0012", "张三")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,full_name\na1,Ann\nb 2,Ben\n", "line 3: 'b 2' cannot be a login name"),
        ("name,full_name\na1,Ann\n,Ben\n", "line 3: '' cannot be a login name"),
        ("name\nlocal\n", "line 2: 'local' cannot be"),
        ("a1,Ann\nb2,Ben\nA1,Other\n", "line 3: A1 is already in line 1"),
        ("name,role\na1,boss\n", "line 2: there is no role boss"),
        ("full_name,role\nAnn,learner\n", "line 1: no column is headed “name”"),
        ('name,full_name\na1,"Ann\n', "nobody was imported"),
        (f"a1,{'x' * 81}\n", "line 1: the full name"),
        ("id,name\n2023001,张三\n", "columns “id” and “name” have the same meaning"),
        ("name,full_name\n", "class list is empty"),
        ("", "class list is empty"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(BadRoster) as refused:
        read_roster(text.encode())
    assert said in refused.value.line("en")
    assert "\n" not in refused.value.line("zh")


def test_every_line_that_is_wrong_is_told_up_to_ten() -> None:
    with pytest.raises(BadRoster) as refused:
        read_roster("a1,Ann\nb 2,Ben\nc3,Cy,老板\na1,Dee\n".encode())
    told = refused.value.line("zh").split("\n")
    assert [one[:5] for one in told] == ["第 2 行", "第 3 行", "第 4 行"]
    assert "instructor (教师)" in told[1]
    with pytest.raises(BadRoster) as refused:
        read_roster(b"b b\n" * 12)
    told = refused.value.line("en").split("\n")
    assert (len(told), told[-1]) == (11, "and 2 more lines that cannot be used")


def test_what_is_no_text_is_refused() -> None:
    for content in (b"\x89PNG\xff\xff\xff", b"PK\x03\x04\0\0", "a1,Ann".encode("utf-16")):
        with pytest.raises(BadRoster, match="neither UTF-8 nor GB18030"):
            read_roster(content)
    with pytest.raises(BadRoster, match="over 4 MiB"):
        read_roster(b"a" * ((4 << 20) + 1))
