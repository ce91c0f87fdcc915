"""Make a virtual environment and put groups of pyproject.toml's [dependency-groups] into it, once.

    PYTHON tools/venv.py FOLDER GROUP... [--optional GROUP...]

A group is installed again only when its list has changed: what was done is noted inside FOLDER. Requirements of
optional groups are installed one by one; those that cannot be had (no wheel for this Python, no network)
are named and left out, and the tests and tables that would use them say that they are missing.
"""

import hashlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def pip(python: Path, *args: str) -> bool:
    """Whether pip could do it. Only wheels: nothing is compiled behind the caller's back."""
    done = subprocess.run(
        [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--only-binary",
            ":all:",
            *args,
        ],
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        check=False,
    )
    return done.returncode == 0


def fill(folder: Path, needed: list[str], optional: list[str]) -> bool:
    """Install what the groups list; whether everything that is needed is there."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    python = folder / "bin" / "python"
    if not python.exists():
        print(
            f"making {folder.relative_to(ROOT) if folder.is_relative_to(ROOT) else folder}", file=sys.stderr
        )
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    notes = folder / "oxwire-groups.json"
    done: dict[str, str] = json.loads(notes.read_text()) if notes.exists() else {}
    complete = True
    for group in needed + optional:
        wanted: list[str] = groups[group]
        digest = hashlib.sha256(json.dumps(wanted).encode()).hexdigest()
        if done.get(group) == digest:
            continue
        if group in needed:
            if not pip(python, *wanted):
                print(f"venv: {folder.name}: could not install {', '.join(wanted)}", file=sys.stderr)
                complete = False
                continue
        elif missing := [one for one in wanted if not pip(python, one)]:
            print(f"venv: {folder.name}: going on without {', '.join(missing)}", file=sys.stderr)
        done[group] = digest
        notes.write_text(json.dumps(done, indent=1))
    return complete


def main(args: list[str]) -> int:
    """Read the command line."""
    if not args:
        print(__doc__, file=sys.stderr)
        return 2
    folder, *groups = args
    cut = groups.index("--optional") if "--optional" in groups else len(groups)
    return 0 if fill(Path(folder).absolute(), groups[:cut], groups[cut + 1 :]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
