"""The book's chapters as this tree has them: what stands after each one, and whether it runs.

    python reference_impl/tools/steps.py check        assemble each chapter's tree, run its example, compare
    python reference_impl/tools/steps.py tree 5       print the tree as the chapter does
    python reference_impl/tools/steps.py record 5     accept the files as they are now as chapter 5's

steps/chNN.toml lists a chapter's files with their hashes. When a later chapter changes a file, `keep` saves
its present state under steps/chNN/ first, so that every earlier chapter can still be assembled.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RUN_LIMIT_S = 120


class StepError(Exception):
    """A chapter is not what its manifest says; the message is one line for the reader."""


@dataclass(frozen=True)
class Chapter:
    """One manifest. Paths are relative: of files to minisgl/, of the rest to reference_impl/."""

    number: int
    example: str
    prints: str
    data: list[str]
    new: list[str]
    changed: list[str]
    forward: dict[str, int]  # file -> chapter that explains it
    files: dict[str, str]  # file -> sha256, in the book's order

    @classmethod
    def load(cls, path: Path) -> Chapter:
        """Reads steps/chNN.toml; StepError names what is missing or unknown in it."""
        try:
            fields: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
            fields["number"] = fields.pop("chapter")
            return cls(**fields)
        except (KeyError, TypeError, tomllib.TOMLDecodeError) as error:
            raise StepError(f"{path.name}: {error}") from error

    def note(self, file: str) -> str:
        """What the chapter's tree says beside a file."""
        if file in self.new:
            return "  ← 本章新建"
        if file in self.changed:
            return "  ← 本章修改"
        return f"  ← 提前引入（第 {self.forward[file]} 章讲）" if file in self.forward else ""


class Steps:
    """The chapters that root has, and the states of files that they need."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        paths = sorted((root / "steps").glob("ch*.toml"))
        self.chapters = {chapter.number: chapter for chapter in map(Chapter.load, paths)}

    def chapter(self, number: int) -> Chapter:
        """StepError lists the chapters there are."""
        if number not in self.chapters:
            have = ", ".join(map(str, sorted(self.chapters)))
            raise StepError(f"chapter {number} is not here; there is: {have}")
        return self.chapters[number]

    def source(self, number: int, file: str) -> Path:
        """Where the state of a file after a chapter lies: the first one kept since, else the live one."""
        for later in sorted(n for n in self.chapters if n >= number):
            kept = self._kept(later, file)
            if kept.exists():
                return kept
        return self.root / "minisgl" / file

    def verified(self, chapter: Chapter) -> Iterator[tuple[str, Path]]:
        """(file, where it lies) of a chapter; StepError for one that is gone or differs from its hash."""
        for file, digest in chapter.files.items():
            path = self.source(chapter.number, file)
            if not path.is_file():
                raise StepError(f"chapter {chapter.number}: minisgl/{file} is gone")
            if sha256(path) != digest:
                raise StepError(
                    f"chapter {chapter.number}: minisgl/{file} has changed. A correction of this chapter: "
                    f"run `steps.py record {chapter.number}`. A later chapter's work: put the old state back, "
                    f"run `steps.py keep {chapter.number} {file}`, then change it"
                )
            yield file, path

    def assemble(self, chapter: Chapter, target: Path) -> Path:
        """Copies a chapter's tree, example and data to target; returns the example there."""
        for file, path in self.verified(chapter):
            copy(path, target / "minisgl" / file)
        for extra in (chapter.example, *chapter.data):
            copy(self.root / extra, target / extra)
        return target / chapter.example

    def check(self, chapter: Chapter) -> str:
        """Runs the example on the chapter's own tree; returns what it printed, StepError if it differs."""
        with tempfile.TemporaryDirectory() as folder:
            run = run_alone(self.assemble(chapter, Path(folder) / "tree"))
        if run.returncode:
            raise StepError(
                f"chapter {chapter.number}: {chapter.example} failed: {run.stderr.strip()[-2000:]}"
            )
        compare(chapter, run.stdout)
        return run.stdout

    def keep(self, number: int, file: str) -> Path:
        """Saves a file's present state as the one after a chapter, before a later chapter changes it."""
        chapter = self.chapter(number)
        if file not in chapter.files:
            raise StepError(f"chapter {number} has no minisgl/{file}")
        if sha256(self.root / "minisgl" / file) != chapter.files[file]:
            raise StepError(
                f"minisgl/{file} is no longer as chapter {number} has it: keep it before changing it"
            )
        kept = self._kept(number, file)
        copy(self.root / "minisgl" / file, kept)
        return kept

    def record(self, number: int) -> None:
        """Writes the present hashes of a chapter's files into its manifest."""
        path = self.root / "steps" / f"ch{number:02}.toml"
        head = path.read_text(encoding="utf-8").split("[files]\n")[0]
        hashes = [f'"{f}" = "{sha256(self.source(number, f))}"\n' for f in self.chapter(number).files]
        path.write_text(head + "[files]\n" + "".join(hashes), encoding="utf-8")

    def _kept(self, number: int, file: str) -> Path:
        return self.root / "steps" / f"ch{number:02}" / "minisgl" / file


def tree(chapter: Chapter) -> str:
    """The chapter's tree: folders in which nothing happened are folded to their number of files."""
    folders: dict[str, list[str]] = {}
    for file in chapter.files:
        folders.setdefault(str(Path(file).parent), []).append(file)
    counts = f"新建 {len(chapter.new)}，修改 {len(chapter.changed)}，提前引入 {len(chapter.forward)}"
    lines = [f"到这一章为止的文件：{len(chapter.files)} 个（{counts}）", "", "minisgl/"]
    for folder, files in sorted(folders.items(), key=lambda item: item[0].lstrip(".")):
        inside = [f"├── {Path(file).name}{chapter.note(file)}" for file in files]
        if folder == ".":
            lines += inside
        elif any(map(chapter.note, files)):
            lines += [f"├── {folder}/", *(f"│   {line}" for line in inside)]
        else:
            lines.append(f"├── {folder}/  （{len(files)} 个文件，不变）")
    return "\n".join(lines)


def run_alone(script: Path) -> subprocess.CompletedProcess[str]:
    """Runs a script in another working directory, without what the environment would let it import."""
    command = [sys.executable, "-I", "-X", "utf8", str(script)]
    try:
        return subprocess.run(
            command, cwd=script.parent, capture_output=True, encoding="utf-8", timeout=RUN_LIMIT_S
        )
    except subprocess.TimeoutExpired:
        raise StepError(f"{script.name} ran for more than {RUN_LIMIT_S} s") from None


def compare(chapter: Chapter, printed: str) -> None:
    """StepError with the first line that is not as the chapter prints it."""
    want, got = chapter.prints.strip().splitlines(), printed.strip().splitlines()
    for n, (wanted, line) in enumerate(zip(want, got, strict=False), 1):
        if not matches(wanted, line):
            raise StepError(f"chapter {chapter.number}: line {n} should be {wanted!r}, is {line!r}")
    if len(want) != len(got):
        raise StepError(f"chapter {chapter.number}: should print {len(want)} lines, prints {len(got)}")


def matches(wanted: str, line: str) -> bool:
    """Equal, or equal up to a number that wanted bounds as <X at its end."""
    bound = re.fullmatch(r"(.*)<([0-9.e+-]+)", wanted)
    if bound is None:
        return wanted == line
    number = line.removeprefix(bound[1])
    try:
        return line.startswith(bound[1]) and 0 <= float(number) < float(bound[2])
    except ValueError:
        return False


def sha256(path: Path) -> str:
    """Hex digest of a file, with line ends as Git stores them."""
    return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def copy(source: Path, target: Path) -> None:
    """Copies a file and makes the folders it needs."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="steps.py", description="The book's chapters, one tree each.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="assemble and run each chapter (or the ones named)")
    check.add_argument("numbers", nargs="*", type=int, metavar="CHAPTER")
    for name, does in (("tree", "print a chapter's tree"), ("record", "accept the files as they are now")):
        commands.add_parser(name, help=does).add_argument("number", type=int, metavar="CHAPTER")
    keep = commands.add_parser("keep", help="save a file's state before a later chapter changes it")
    keep.add_argument("number", type=int, metavar="CHAPTER")
    keep.add_argument("file", help="relative to minisgl/")
    return parser.parse_args(argv)


def run(args: argparse.Namespace, steps: Steps) -> None:
    """Does what the command line says."""
    if args.command == "tree":
        print(tree(steps.chapter(args.number)))
    elif args.command == "record":
        steps.record(args.number)
    elif args.command == "keep":
        print(f"kept as {steps.keep(args.number, args.file).relative_to(steps.root)}")
    else:
        for number in args.numbers or sorted(steps.chapters):
            chapter = steps.chapter(number)
            steps.check(chapter)
            print(f"第 {number} 章 chapter {number}: {len(chapter.files)} files, {chapter.example} ok")


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0, or 1 with one line on stderr."""
    try:
        run(parse(argv), Steps())
    except StepError as error:
        print(f"steps.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
