"""Makes a base image from Debian's packages, where none can be pulled: ``python -m sandbox.image.debian``.

Needs root, debootstrap and this machine's own package sources. The image is called judge-base:debian.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sandbox.backend import Reason, reader_language

TAG = ("judge-base", "debian")
_LEFT_OUT = [
    "var/cache/apt",
    "var/lib/apt",
    "usr/share/doc",
    "usr/share/locale",
    "usr/share/man",
    "dev",
    "proc",
    "sys",
]


def own_source() -> tuple[str, str]:
    """This machine's release and the address it takes packages from (empty: debootstrap's default)."""
    release = platform.freedesktop_os_release().get("VERSION_CODENAME", "stable")
    asked = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages"],
        capture_output=True,
        text=True,
    )
    pairs = [line.split(maxsplit=1) for line in asked.stdout.splitlines()]
    return release, next((pair[1] for pair in pairs if len(pair) == 2 and pair[0] == release), "")


def bootstrap(root: Path) -> None:
    """Unpack a smallest system with python3 into ``root``. Raises CalledProcessError."""
    release, source = own_source()
    command = ["debootstrap", "--variant=minbase", "--include=python3", release, str(root)]
    subprocess.run([*command, *([source] if source else [])], check=True, stdout=subprocess.DEVNULL)
    for name in _LEFT_OUT:
        shutil.rmtree(root / name, ignore_errors=True)
        (root / name).mkdir(parents=True, exist_ok=True)


def _obstacle() -> Reason:
    if os.geteuid() != 0:
        return Reason(
            "making a base image needs root: run it with sudo", "制作基础镜像需要 root：请用 sudo 运行"
        )
    if shutil.which("debootstrap") is None:
        return Reason(
            "debootstrap is missing: apt-get install debootstrap",
            "缺少 debootstrap：apt-get install debootstrap",
        )
    return Reason()


def main() -> int:
    """Exit status 0 when the image is there, 3 when it cannot be made."""
    from sandbox.engine import connect

    engine, reason = connect(timeout_s=600)
    reason = reason or _obstacle()
    if engine is None or reason:
        print(reason.text(reader_language()), file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory(prefix="judge-base-") as folder:
        root, archive = Path(folder, "root"), Path(folder, "root.tar")
        bootstrap(root)
        subprocess.run(["tar", "-C", str(root), "-cf", str(archive), "."], check=True)
        engine.api.import_image_from_file(str(archive), *TAG)
    print(":".join(TAG))
    return 0


if __name__ == "__main__":
    sys.exit(main())
