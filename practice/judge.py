#!/usr/bin/env python3
"""The judge in the terminal: `python practice/judge.py test 189`, `... 189 my.py`, `... serve`.

Works with any python3: it re-executes itself in `.venv`. `serve` makes that environment where it is missing.
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV_PYTHON = os.path.join(ROOT, ".venv", "bin", "python")


def main() -> int:
    """Hand over to `judge.cli` inside `.venv`; exit status as design.md section 8 has it."""
    arguments = sys.argv[1:]
    inside = os.path.realpath(sys.prefix) == os.path.realpath(os.path.join(ROOT, ".venv"))
    if not inside:
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        import setup

        if arguments[:1] == ["serve"]:
            setup.prepare_or_exit()
        elif not setup.is_ready():
            print(setup.text("not_ready"), file=sys.stderr)
            return 2
        os.execv(VENV_PYTHON, [VENV_PYTHON, os.path.abspath(__file__), *arguments])
    sys.path[0] = ROOT  # instead of practice/, so that `judge` is the package and not this file
    from judge.cli import main as run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
