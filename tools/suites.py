"""Runs pytest on each CPython, two at a time where there are two processors.

    python tools/suites.py 3.11 3.12 3.13 --plain 3.13 -- ARGUMENTS OF PYTEST

What may surprise: the output of a run is shown when it has ended, since two at once would be read by nobody; and the plain run is the
whole suite once more, with `OXWIRE_PLAIN` set.
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed


def run(tag: str, plain: bool, arguments: list[str]) -> tuple[str, int, str]:
    """One run of the suite: what it is called, its exit code and what it said."""
    environment = os.environ | ({"OXWIRE_PLAIN": "1"} if plain else {})
    command = [f".venv/{tag}/bin/python", "-m", "pytest", "-q", *arguments]
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    name = f"CPython {tag}" + ", all by the interpreter's own functions (OXWIRE_PLAIN)" * plain
    return name, done.returncode, done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tags", nargs="+")
    parser.add_argument("--plain")
    mine, arguments = sys.argv[1:], []
    if "--" in mine:
        at = mine.index("--")
        mine, arguments = mine[:at], mine[at + 1 :]
    given = parser.parse_args(mine)
    suites = [(tag, False) for tag in given.tags] + ([(given.plain, True)] if given.plain else [])
    print(f"== pytest: {len(suites)} runs; each is shown when it ends", flush=True)
    failed = []
    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for one in as_completed([pool.submit(run, *suite, arguments) for suite in suites]):
            name, code, said = one.result()
            print(f"== pytest, {name}\n{said}", end="", flush=True)
            failed += [name] if code else []
    if failed:
        print(f"pytest failed: {'; '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
