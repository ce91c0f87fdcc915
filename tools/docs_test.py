"""Run the Python examples of README.md and docs/: what a reader copies must work.

    PYTHON tools/docs_test.py [FILE.md...]

Every fenced block marked `python` is run, the blocks of one file in one namespace and in order, in an empty
folder that they may write to. A block that `<!-- no-test -->` stands before is left out, and so is one that imports
a library of OPTIONAL which is not installed. The lines of a block keep their numbers, so that a traceback
points into the document. Examples show results with `assert`.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import textwrap
import traceback
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)$")
LEAVE_OUT = "<!-- no-test -->"
# What an example may need and a Python may have no wheel for.
OPTIONAL = (
    "attrs",
    "cloudpickle",
    "dateutil",
    "fastapi",
    "httpx",
    "httpx2",
    "numpy",
    "orjson",
    "pendulum",
    "pydantic",
    "pytz",
)


@dataclass
class Block:
    """One example, and the number of its first line."""

    line: int
    code: str
    left_out: bool


def blocks(text: str) -> list[Block]:
    """The Python blocks of a document, in order."""
    found: list[Block] = []
    lines = text.splitlines()
    above = ""
    at = 0
    while at < len(lines):
        opening = FENCE.match(lines[at])
        if opening is None:
            above = lines[at].strip() or above
            at += 1
            continue
        mark, info = opening["mark"], opening["info"].split()
        first = at + 1
        end = first
        while end < len(lines) and lines[end].strip() != mark:
            end += 1
        if info[:1] == ["python"]:
            code = textwrap.dedent("\n".join(lines[first:end]))
            found.append(Block(first + 1, code, above == LEAVE_OUT))
        above = ""
        at = end + 1
    return found


def run(path: Path) -> tuple[int, int, int]:
    """How many blocks of one document ran, failed, and were left out."""
    ran = failed = left_out = 0
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    namespace: dict[str, object] = {"__name__": "__main__"}
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for block in blocks(path.read_text(encoding="utf-8")):
                if block.left_out:
                    left_out += 1
                    continue
                ran += 1
                said = io.StringIO()
                try:
                    with contextlib.redirect_stdout(said):
                        exec(compile("\n" * (block.line - 1) + block.code, str(path), "exec"), namespace)
                except BaseException as error:
                    if isinstance(error, ModuleNotFoundError) and error.name in OPTIONAL:
                        print(f"{name}:{block.line}: left out, {error.name} is not installed")
                        ran, left_out = ran - 1, left_out + 1
                        continue
                    failed += 1
                    print(
                        f"{name}:{block.line}: the example failed\n{said.getvalue()}{traceback.format_exc()}"
                    )
        finally:
            os.chdir(home)
    return ran, failed, left_out


def main(args: list[str]) -> int:
    """Run the documents named, or all of them."""
    named = [Path(one).resolve() for one in args]
    paths = named or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    counts = [run(path) for path in paths if path.exists()]
    ran, failed, left_out = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0, 0)
    print(
        f"docs: {ran - failed} examples passed, {failed} failed, {left_out} left out, in {len(counts)} files"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
