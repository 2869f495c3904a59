"""Which files a cell may read: the standard library, the packages the zygote has loaded, and their shared objects."""

from __future__ import annotations

import os
import sys
import sysconfig


def readable() -> list[str]:
    """Paths for Landlock. Nothing of the project is among them, whatever folder it lies in."""
    paths = {path for path in _standard_library() if path}
    paths.update(_loaded_packages())
    paths.update(_mapped_objects())
    paths.update(("/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/urandom"))
    return sorted(paths)


def keep_search_path() -> None:
    """Take everything off sys.path but the standard library and site-packages, whatever a .pth file put there."""
    libraries = (*_standard_library(), *filter(None, _site_folders()))
    sys.path[:] = [path for path in sys.path if path.endswith(".zip") or path.startswith(libraries)]


def forget_listings() -> None:
    """Let a cell look for modules anew: what it may not read is then missing (ImportError), and not forbidden."""
    sys.path_importer_cache.clear()


def _standard_library() -> tuple[str, str]:
    own = {
        "base": sys.base_prefix,
        "platbase": sys.base_exec_prefix,
    }  # not a virtual environment's empty folder
    return sysconfig.get_path("stdlib", vars=own), sysconfig.get_path("platstdlib", vars=own)


def _site_folders() -> set[str]:
    return {
        sysconfig.get_path("purelib"),
        sysconfig.get_path("platlib"),
        *os.environ.get("PYTHONPATH", "").split(":"),
    }


def _loaded_packages() -> set[str]:
    """The top-level folder or file, below site-packages, of every module that is loaded."""
    sites = {os.path.join(site, "") for site in _site_folders() if site}
    found = set()
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None) or ""
        for site in sites:
            if file.startswith(site):
                found.add(site + file[len(site) :].split(os.sep)[0])
    return found


def _mapped_objects() -> set[str]:
    """The folders of the shared objects in this process's memory, which later ones are found beside."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        files = {line.split(maxsplit=5)[5].rstrip("\n") for line in maps if "/" in line}
    return {os.path.dirname(file) for file in files if ".so" in os.path.basename(file)}
