"""What `make bench-guard` runs: that no hot workload takes more instructions than it did.

    python bench/guard.py [--record] [--only WORD]

Each workload is run by bench/count.py under callgrind, some number of times and three times that number; the difference is
what the calls take. It is compared with bench/record/instructions.csv, and more than 3 % above that is a failure.
What may surprise: the figures are of one machine type, CPython and compiler, since the C library picks its routines by the processor and
the interpreter allocates for us. Where nothing is on record for those here, that is said and is a failure too.
"""

import argparse
import csv
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECORD = HERE / "record" / "instructions.csv"
ALLOWED = 1.03
# Format, name of the row, how many times.
HOT = (
    ("json", "timeline", 3),
    ("json", "catalogue", 3),
    ("json", "coordinates", 2),
    ("json", "message", 300),
    ("json", "code", 10),
    ("json", "short_escapes", 3),
    ("json", "ints_large", 3),
    ("msgpack", "timeline", 3),
    ("msgpack", "catalogue", 3),
    ("msgpack", "message", 300),
    ("msgpack", "ints_40bit", 3),
    ("msgpack", "ints_large", 3),
    ("typed", "1 person, json", 500),
    ("typed", "1 person, msgpack", 500),
    ("typed", "1000 people, json", 3),
    ("typed", "1000 people, json, as arrays", 3),
    ("typed", "1000 people, msgpack", 3),
)


def collected(form: str, name: str, op: str, times: int) -> int:
    """Instructions of a process that does it so often."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable]
    command += [str(HERE / "count.py"), name, op, "--format", form, "--times", str(times)]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONHASHSEED": "0"}, stderr=subprocess.PIPE, text=True, check=False
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or found is None:
        raise SystemExit(done.stderr)
    return int(found[1])


def here() -> str:
    """What figures can be compared on."""
    compiler = subprocess.run(
        ["rustc", "--version"], capture_output=True, text=True, check=False
    ).stdout.split()
    return f"{platform.machine()}, CPython {platform.python_version()}, rustc {compiler[1] if compiler else 'unknown'}"


def main() -> int:
    """Count, print, judge."""
    parser = argparse.ArgumentParser(description="Compare instruction counts with those on record.")
    parser.add_argument("--record", action="store_true", help="put what is counted on record")
    parser.add_argument("--only", default="", help="workloads with this word in their name")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("bench-guard: valgrind is not installed", file=sys.stderr)
        return 2
    with RECORD.open(newline="") as file:
        rows = {(row["on"], row["workload"]): int(row["instructions"]) for row in csv.DictReader(file)}
    place = here()
    worse = unknown = 0
    for form, name, times in HOT:
        for op in ("decode", "encode"):
            workload = f"{form}, {name}, {op}"
            if options.only not in workload:
                continue
            count = (collected(form, name, op, 3 * times) - collected(form, name, op, times)) // (2 * times)
            known = rows.get((place, workload))
            print(
                f"{workload:<46}{count:>12,}",
                f"{count / known:>7.3f}" if known else "   not on record",
                flush=True,
            )
            unknown += known is None
            worse += known is not None and count > ALLOWED * known
            rows[place, workload] = count
    if options.record:
        with RECORD.open("w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(("on", "workload", "instructions"))
            out.writerows((*key, count) for key, count in sorted(rows.items()))
        return 0
    if unknown:
        print(f"bench-guard: {unknown} not on record for {place}; --record puts them there", file=sys.stderr)
    if worse:
        print(f"bench-guard: {worse} more than 3 % above what is on record", file=sys.stderr)
    return 1 if worse or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
