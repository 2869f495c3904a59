"""Which files a cell may read: the standard library, the packages the zygote has loaded, and their shared objects."""

from __future__ import annotations

import os
import sys
import sysconfig

_PACKAGES = ("site-packages", "dist-packages")


def readable() -> list[str]:
    """Paths for Landlock. Nothing of the project is among them, whatever folder it lies in."""
    paths = set(_loaded_packages())
    for folder in listable():
        paths.update(os.path.join(folder, name) for name in os.listdir(folder) if name not in _PACKAGES)
    paths.update(_mapped_objects())
    paths.update(("/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/urandom"))
    return sorted(paths)


def listable() -> list[str]:
    """The standard library's folders: to import from them is to list them. What is installed below them is not read."""
    return sorted({path for path in _standard_library() if path and os.path.isdir(path)})


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
    """The folders of the shared objects in this process's memory, which later ones are found beside.

    Of a folder that holds installed packages (``/usr/local/lib``, ``$CONDA_PREFIX/lib``), its shared objects alone.
    """
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        files = {line.split(maxsplit=5)[5].rstrip("\n") for line in maps if "/" in line}
    folders = {os.path.dirname(file) for file in files if ".so" in os.path.basename(file)}
    packages = [os.path.join(path, "") for path in (*_standard_library(), *_site_folders()) if path]
    found: set[str] = set()
    for folder in folders:
        if any(path.startswith(os.path.join(folder, "")) for path in packages):
            found.update(os.path.join(folder, name) for name in os.listdir(folder) if ".so" in name)
        else:
            found.add(folder)
    return found
