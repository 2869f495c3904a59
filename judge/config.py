"""Settings of the judge: read once from the environment by strict parsers that stop start-up."""

from __future__ import annotations

import ipaddress
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from judge.grading.disclose import LEVELS, Level
from judge.lines import LANGS, UserError

REPOSITORY = Path(__file__).resolve().parents[1]
SANDBOXES = ("auto", "docker", "namespace", "landlock", "process")
Choice = TypeVar("Choice", bound=str)
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class ConfigError(UserError):
    """A setting that cannot be used: names the variable, its value and what is allowed."""


@dataclass(frozen=True)
class Config:
    """Everything a start of the judge depends on. Paths are absolute."""

    data: Path  # one folder for the database, its problem versions and the lock
    problem_roots: tuple[Path, ...]  # the shipped bank first; a later root may replace a slug
    database_url: str
    sandbox: str = "auto"
    host: str = "127.0.0.1"
    port: int = 8000
    allowed_hosts: tuple[str, ...] = ()  # Host headers accepted beside loopback names
    lang: str | None = None  # None: the saved setting, then the locale
    workers: int = 2  # judgements at a time, and so zygotes
    level: Level = "full"  # what is shown of hidden cases; with accounts, to learners
    accounts: bool = False  # people log in; without, one user on this machine
    workspace: Path = REPOSITORY / "practice" / "workspace"  # where `judge start` puts a learner's files
    grader: Path | None = (
        None  # socket of a grader of its own; None: the server judges with processes of its own
    )
    docker_runtime: str = ""  # of the engine, for instance runsc (gVisor); empty: its default
    sandbox_image: str = ""  # of the docker backend; empty: the one that `make image` builds of these sources
    run_folder: str = ""  # where the docker backend makes control sockets; empty: the temporary folder
    trusted_proxies: tuple[Network, ...] = ()  # whose X-Forwarded-* headers are believed
    metrics: tuple[Network, ...] = ()  # who may read /metrics
    editor_help: bool = True  # completion and squiggles in the site's editor, from ty and ruff
    log: str = "plain"  # or json: one object a line, each request too

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Config:
        """Read ``JUDGE_*`` variables; raises ConfigError at the first that cannot be used. An empty one is unset."""
        env = {
            key: text for key, text in (os.environ if environ is None else environ).items() if text.strip()
        }
        accounts = _choice(env, "JUDGE_ACCOUNTS", ("on", "off"), "off") == "on"
        data = _path(env.get("JUDGE_DATA", str(REPOSITORY / "data")))
        return cls(
            data=data,
            problem_roots=(REPOSITORY / "problems", *_folders(env, "JUDGE_PROBLEMS")),
            database_url=_absolute(env.get("JUDGE_DATABASE_URL", f"sqlite:///{data / 'judge.sqlite3'}")),
            trusted_proxies=_networks(env, "JUDGE_TRUSTED_PROXIES"),
            metrics=_networks(env, "JUDGE_METRICS"),
            editor_help=_choice(env, "JUDGE_EDITOR_HELP", ("on", "off"), "on") == "on",
            log=_choice(env, "JUDGE_LOG", ("plain", "json"), "plain"),
            sandbox=_choice(env, "JUDGE_SANDBOX", SANDBOXES, "auto"),
            host=env.get("JUDGE_HOST", "127.0.0.1").strip(),
            port=_whole(env, "JUDGE_PORT", 8000, 1, 65535),
            allowed_hosts=tuple(env.get("JUDGE_HOSTS", "").replace(",", " ").split()),
            lang=_choice(env, "JUDGE_LANG", ("", *LANGS), "") or None,
            workers=_whole(env, "JUDGE_WORKERS", default_workers(), 1, 256),
            level=_choice(env, "JUDGE_LEVEL", LEVELS, "diagnosis" if accounts else "full"),
            accounts=accounts,
            workspace=_path(env.get("JUDGE_WORKSPACE", str(cls.workspace))),
            grader=_path(env["JUDGE_GRADER"]) if "JUDGE_GRADER" in env else None,
            docker_runtime=env.get("JUDGE_DOCKER_RUNTIME", "").strip(),
            sandbox_image=env.get("JUDGE_SANDBOX_IMAGE", "").strip(),
            run_folder=_folder(env, "JUDGE_RUN_FOLDER"),
        )

    @property
    def is_loopback(self) -> bool:
        """True when only this machine can reach the address served."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def serves_one_user(self) -> bool:
        """True when a server's submissions can only be those of the person at this machine."""
        return self.is_loopback and not self.accounts

    @property
    def is_sqlite(self) -> bool:
        """True when the database is a file in the data folder or elsewhere on this machine."""
        return self.database_url.startswith("sqlite")

    @property
    def address(self) -> str:
        """The address to open in a browser."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


def default_workers() -> int:
    """As many judgements at a time as there are cores to run them, two at least and eight at most."""
    return max(2, min(8, os.cpu_count() or 2))


def _folders(env: Mapping[str, str], name: str) -> list[Path]:
    folders = [_path(part) for part in env.get(name, "").split(os.pathsep) if part.strip()]
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError("config-folder", name=name, value=folder)
    return folders


def _folder(env: Mapping[str, str], name: str) -> str:
    """One folder that is there, as text; empty where none is set."""
    return str(_folders(env, name)[0]) if name in env else ""


def _path(text: str) -> Path:
    return Path(text.strip()).expanduser().absolute()


def _absolute(url: str) -> str:
    """A database's address with a relative path in it made absolute: the server starts in another folder."""
    scheme, is_file, place = url.partition(":///")
    path, mark, options = place.partition("?")
    form = "file:" if path.startswith("file:") else ""
    name = path.removeprefix(form)
    if not (scheme.startswith("sqlite") and is_file and name) or name.startswith(":memory:"):
        return url
    return f"{scheme}:///{form}{Path(name).expanduser().absolute()}{mark}{options}"


def _choice(env: Mapping[str, str], name: str, allowed: tuple[Choice, ...], default: Choice) -> Choice:
    value = env.get(name, default).strip()
    for one in allowed:
        if value == one:
            return one
    raise ConfigError("config-choice", name=name, value=value, allowed=", ".join(filter(None, allowed)))


def _networks(env: Mapping[str, str], name: str) -> tuple[Network, ...]:
    try:
        return tuple(ipaddress.ip_network(part) for part in env.get(name, "").replace(",", " ").split())
    except ValueError as error:
        raise ConfigError("config-networks", name=name, value=env[name]) from error


def _whole(env: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = env.get(name, str(default)).strip()
    if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
        raise ConfigError("config-whole", name=name, value=text, low=low, high=high)
    return int(text)


def choose_language(config: Config, flag: str | None = None, environ: Mapping[str, str] | None = None) -> str:
    """The language to speak: the flag, JUDGE_LANG, the saved setting, a zh or en locale, else zh."""
    env = os.environ if environ is None else environ
    locale = env.get("LC_ALL") or env.get("LC_MESSAGES") or env.get("LANG") or ""
    return flag or config.lang or saved_language(config.data) or ("en" if locale.startswith("en") else "zh")


def saved_language(data: Path) -> str | None:
    """The language in the data folder's settings.toml, or None where there is none that can be read."""
    try:
        lang = tomllib.loads((data / "settings.toml").read_text(encoding="utf-8")).get("lang")
    except (OSError, ValueError):
        return None
    return lang if lang in LANGS else None


def save_language(data: Path, lang: str) -> None:
    """Keep the language for later starts; raises ConfigError where the data folder cannot be written."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        (data / "settings.toml").write_text(f'lang = "{lang}"\n', encoding="utf-8")
    except OSError as error:
        raise ConfigError("data-folder", path=data, why=error.strerror or error) from error
