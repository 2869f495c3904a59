from __future__ import annotations

from pathlib import Path

import pytest

from judge.config import Config, ConfigError, choose_language, save_language
from judge.lines import LANGS, table


def test_an_empty_environment_gives_the_data_folder_beside_the_program() -> None:
    config = Config.from_env({})
    assert config.data.name == "data"
    assert config.database_url == f"sqlite:///{config.data}/judge.sqlite3"
    assert (config.host, config.port, config.sandbox, config.level) == ("127.0.0.1", 8000, "auto", "full")
    assert config.is_loopback and config.is_sqlite


def test_every_variable_is_read(tmp_path: Path) -> None:
    config = Config.from_env(
        {
            "JUDGE_DATA": str(tmp_path),
            "JUDGE_PROBLEMS": f"{tmp_path}:",
            "JUDGE_DATABASE_URL": "postgresql+psycopg://judge@db/judge",
            "JUDGE_SANDBOX": "landlock",
            "JUDGE_HOST": "0.0.0.0",
            "JUDGE_PORT": "8001",
            "JUDGE_HOSTS": "judge.example.org, other.example.org",
            "JUDGE_LANG": "en",
            "JUDGE_WORKERS": "3",
            "JUDGE_LEVEL": "diagnosis",
        }
    )
    assert config.data == tmp_path
    assert config.problem_roots[1:] == (tmp_path,)
    assert config.allowed_hosts == ("judge.example.org", "other.example.org")
    assert (config.port, config.workers, config.lang, config.level) == (8001, 3, "en", "diagnosis")
    assert not config.is_loopback and not config.is_sqlite


def test_an_empty_variable_counts_as_unset() -> None:
    assert Config.from_env({"JUDGE_PORT": "", "JUDGE_DATA": " "}) == Config.from_env({})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("JUDGE_PORT", "http"),
        ("JUDGE_PORT", "0"),
        ("JUDGE_PORT", "65536"),
        ("JUDGE_PORT", "８０００"),
        ("JUDGE_WORKERS", "-1"),
        ("JUDGE_WORKERS", "1.5"),
        ("JUDGE_SANDBOX", "chroot"),
        ("JUDGE_LANG", "fr"),
        ("JUDGE_LEVEL", "everything"),
        ("JUDGE_PROBLEMS", "/nowhere/at/all"),
    ],
)
def test_a_setting_that_cannot_be_used_stops_with_its_name_and_value(name: str, value: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Config.from_env({name: value})
    for lang in LANGS:
        assert name in refused.value.line(lang) and value in refused.value.line(lang)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("localhost", True), ("::1", True), ("127.8.0.1", True), ("10.0.0.1", False), ("box", False)],
)
def test_loopback_is_told_from_other_addresses(host: str, loopback: bool) -> None:
    assert Config.from_env({"JUDGE_HOST": host}).is_loopback is loopback


def test_an_ipv6_address_is_written_with_brackets() -> None:
    assert Config.from_env({"JUDGE_HOST": "::1"}).address == "http://[::1]:8000"


@pytest.mark.parametrize(
    ("environ", "lang"),
    [
        ({}, "zh"),
        ({"LANG": "C.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "zh"),
    ],
)
def test_the_locale_chooses_the_language(tmp_path: Path, environ: dict[str, str], lang: str) -> None:
    assert choose_language(Config.from_env({"JUDGE_DATA": str(tmp_path)}), environ=environ) == lang


def test_flag_variable_and_saved_setting_come_before_the_locale(tmp_path: Path) -> None:
    plain = Config.from_env({"JUDGE_DATA": str(tmp_path)})
    save_language(tmp_path, "en")
    assert choose_language(plain, environ={"LANG": "zh_CN.UTF-8"}) == "en"
    variable = Config.from_env({"JUDGE_DATA": str(tmp_path), "JUDGE_LANG": "zh"})
    assert choose_language(variable, environ={}) == "zh"
    assert choose_language(variable, "en", environ={}) == "en"


def test_a_broken_settings_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("lang = [", encoding="utf-8")
    assert choose_language(Config.from_env({"JUDGE_DATA": str(tmp_path)}), environ={"LANG": "en_GB"}) == "en"


def test_saving_the_language_where_nothing_can_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="JUDGE_DATA"):
        save_language(tmp_path / "file", "en")


def test_both_languages_have_the_same_lines_with_the_same_places() -> None:
    def places(text: str) -> set[str]:
        return {part.split("}")[0].split(":")[0] for part in text.split("{")[1:]}

    zh, en = table("zh"), table("en")
    assert list(zh) == list(en)
    assert [key for key in en if places(zh[key]) != places(en[key])] == []


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("sqlite:///own.sqlite3", "sqlite:///{here}/own.sqlite3"),
        ("sqlite:///a/../own.sqlite3?timeout=3", "sqlite:///{here}/a/../own.sqlite3?timeout=3"),
        ("sqlite:///file:own.sqlite3?mode=ro&uri=true", "sqlite:///file:{here}/own.sqlite3?mode=ro&uri=true"),
        ("sqlite:////var/own.sqlite3", "sqlite:////var/own.sqlite3"),
        ("sqlite:///:memory:", "sqlite:///:memory:"),
        ("sqlite://", "sqlite://"),
        ("postgresql+psycopg:///judge", "postgresql+psycopg:///judge"),
    ],
)
def test_a_relative_path_of_the_database_is_made_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, meant: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Config.from_env({"JUDGE_DATABASE_URL": given}).database_url == meant.format(here=tmp_path)


def test_a_graders_settings_are_absolute_paths_and_its_folder_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = Config.from_env({"JUDGE_GRADER": "s", "JUDGE_RUN_FOLDER": "."})
    assert (config.grader, config.run_folder) == (tmp_path / "s", str(tmp_path))
    assert Config.from_env({"JUDGE_GRADER": " "}).grader is None
    with pytest.raises(ConfigError, match="JUDGE_RUN_FOLDER"):
        Config.from_env({"JUDGE_RUN_FOLDER": "none"})
