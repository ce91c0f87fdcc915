"""`make bench`: oxwire beside orjson, msgspec, ujson and the standard library, in time and memory.

    python bench/run.py [FILE ...] [--only NAME ...] [--seconds S] [--no-memory] [--record]

Without files it takes every generated document. It prints the tables, and writes to `bench/out` the
same as `table.md`, everything measured as `results.json`, and `plot.svg`. `--record` keeps the times
as a CSV in `bench/record`, for comparison with a later day. How to read it all: README.md.

The exit code is 1 if a round trip was not exact; nothing is timed of a document that failed.
"""

import argparse
import csv
import json
import os
import platform
import re
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import memory
import plot

from oxwire import _bench, _documents

HERE = Path(__file__).parent
OPS = ("decode", "encode")


def _say(text: str) -> None:
    # On a terminal one line that is overwritten, elsewhere nothing: the tables are the output.
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def processor() -> str:
    """What the processor calls itself."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    except OSError:
        pass
    return platform.processor() or platform.machine()


def time_document(name: str, data: bytes, among: list[_bench.Peer], seconds: float) -> dict[str, Any]:
    """Check one document, then time it. Gives a row of results.json."""
    verdict = _bench.verify(data, among)
    row: dict[str, Any] = {
        "document": name,
        "bytes": len(data),
        "compact_bytes": len(verdict.encoded),
        "faults": verdict.faults,
        "notes": verdict.notes,
    }
    if verdict.faults:
        return row
    value, encoders, decoders = verdict.value, verdict.encoders, verdict.decoders
    timed = _bench.compare({p.name: partial(p.encode, value) for p in encoders}, seconds / 2)
    row["encode"] = {n: t._asdict() for n, t in timed.items()}
    # A large value that lives on would make the collector's work in decode larger than a program's.
    del value, verdict
    timed = _bench.compare({p.name: partial(p.decode, data) for p in decoders}, seconds / 2)
    row["decode"] = {n: t._asdict() for n, t in timed.items()}
    return row


def speeds(row: dict[str, Any], op: str, base: str) -> dict[str, float]:
    """How many times as fast as the base each library is; nothing if the base is left out of this document."""
    times = row.get(op, {})
    return {n: times[base]["p25"] / t["p25"] for n, t in times.items()} if base in times else {}


def means(rows: list[dict[str, Any]], op: str, base: str, names: list[str]) -> dict[str, float]:
    """Geometric means over the main documents, for the libraries that were timed on every one of them."""
    groups = [speeds(r, op, base) for r in rows if r["document"] in _documents.MAIN]
    if len(groups) < len(_documents.MAIN):
        return {}
    return {n: _bench.geometric_mean([g[n] for g in groups]) for n in names if all(n in g for g in groups)}


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """A table, aligned so that it can be read as text too."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: list[str]) -> str:
        padded = [c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True))]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * widths[0], *("-" * (w - 1) + ":" for w in widths[1:])]
    return "\n".join(map(line, [head, rule, *rows])) + "\n"


def render(results: dict[str, Any]) -> str:
    """The tables of table.md."""
    base, names, rows = results["base"], results["libraries"], results["documents"]
    versions = ", ".join(f"{n} {v}" for n, v in results["versions"].items())
    out = [f"{versions}; Python {results['python']}; {results['processor']}; {results['when']}.\n"]
    for op in OPS:
        table = []
        for row in rows:
            if op not in row:
                table.append(
                    [
                        row["document"],
                        _bench.size(row["bytes"]),
                        "; ".join(row["faults"]),
                        *["-"] * len(names),
                    ]
                )
                continue
            fast = speeds(row, op, base)
            cells = [f"{fast[n]:.2f}" if n in fast else "-" for n in names]
            table.append(
                [
                    row["document"],
                    _bench.size(row["bytes"]),
                    _bench.duration(row[op]["oxwire"]["p25"]),
                    *cells,
                ]
            )
        mean = results["means"][op]
        if mean:
            main = f"mean of {len(_documents.MAIN)}"
            table.append([main, "", "", *(f"{mean[n]:.2f}" if n in mean else "-" for n in names)])
        out.append(f"## {op}\n\nSpeed beside {base} (= 1.00; more is faster).\n")
        out.append(markdown(["document", "file", "oxwire takes", *names], table))
    for op in OPS:
        kept = {d: m[op] for d, m in results["memory"].items() if op in m}
        if kept:
            what = (
                "beyond the result, as a multiple of the input"
                if op == "decode"
                else "as a multiple of the output"
            )
            out.append(f"## peak memory of {op}\n\nResident, {what} (less is better).\n")
            table = [
                [d, *("-" if m.get(n) is None else f"{m[n]:.1f}" for n in names)] for d, m in kept.items()
            ]
            out.append(markdown(["document", *names], table))
    notes = [f"- {row['document']}: {note}" for row in rows for note in row["notes"]]
    if notes:
        out.append("## left out\n\n" + "\n".join(notes) + "\n")
    return "\n".join(out)


def record(results: dict[str, Any], word: str) -> Path:
    """Keep the times as one CSV row for each library, document and operation."""
    folder = HERE / "record"
    folder.mkdir(exist_ok=True)
    safe = re.sub(r"[^A-Za-z0-9_]+", "_", word)
    path = folder / f"{safe}-{results['when'][:10]}.csv"
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        head = (
            "when processor python oxwire library version document bytes op p25_ns least_ns median_ns slices"
        )
        table.writerow(head.split())
        start = [results["when"], results["processor"], results["python"], results["versions"]["oxwire"]]
        for row in results["documents"]:
            for op in OPS:
                for name, t in row.get(op, {}).items():
                    about = [name, results["versions"][name], row["document"], row["bytes"], op]
                    seen = [f"{t[k]:.1f}" for k in ("p25", "least", "median")]
                    table.writerow([*start, *about, *seen, t["slices"]])
    return path


def plotted(results: dict[str, Any]) -> str:
    """The plot: the main documents and their mean, or, if none was run, what was."""
    base, rows = results["base"], results["documents"]
    chosen = [r for r in rows if r["document"] in _documents.MAIN] or rows[:12]
    panels = []
    for op in OPS:
        panel = {r["document"]: speeds(r, op, base) for r in chosen if speeds(r, op, base)}
        if results["means"][op]:
            panel["mean"] = results["means"][op]
        panels.append(panel)
    return plot.svg(panels[0], panels[1], base, f"Python {results['python']}, {results['processor']}")


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="Compare oxwire with its peers.")
    parser.add_argument("files", nargs="*", metavar="FILE", help="JSON (default: every generated document)")
    parser.add_argument(
        "--only", nargs="+", choices=[*_documents.ALL, "main"], metavar="NAME", help="these documents"
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="for each document (default: %(default)s)")
    parser.add_argument("--no-memory", action="store_true", help="leave the peak memory out")
    parser.add_argument("--record", action="store_true", help="keep the times in bench/record")
    parser.add_argument(
        "--machine", default=platform.machine(), help="the word for this machine in the record's name"
    )
    parser.add_argument(
        "--out", type=Path, default=HERE / "out", help="where results go (default: bench/out)"
    )
    options = parser.parse_args()

    among = _bench.peers()
    names = [p.name for p in among]
    wanted = [n for o in options.only or [] for n in (_documents.MAIN if o == "main" else [o])]
    sources = [(n, partial(lambda make: make().data, _documents.ALL[n])) for n in wanted]
    sources += [(Path(f).name, Path(f).read_bytes) for f in options.files]
    if not sources:
        sources = [(n, partial(lambda make: make().data, make)) for n, make in _documents.ALL.items()]
    rows = []
    for i, (name, read) in enumerate(sources):
        _say(f"{i + 1}/{len(sources)} {name}")
        rows.append(time_document(name, read(), among, options.seconds))
    peaks: dict[str, dict[str, dict[str, float | None]]] = {}
    if not options.no_memory:
        for document in memory.DOCUMENTS:
            _say(f"memory of {document}")
            peaks[document] = {op: {n: memory.measure(n, op, document) for n in names} for op in OPS}
            if all(v is None for by_op in peaks[document].values() for v in by_op.values()):
                # This platform does not tell.
                del peaks[document]
                break
    _say("")
    base = "orjson" if "orjson" in names else "json"
    results: dict[str, Any] = {
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "python": platform.python_version(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "versions": {p.name: p.version for p in among},
        "libraries": names,
        "base": base,
        "means": {op: means(rows, op, base, names) for op in OPS},
        "documents": rows,
        "memory": peaks,
    }
    options.out.mkdir(parents=True, exist_ok=True)
    table = render(results)
    (options.out / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    (options.out / "table.md").write_text(table)
    (options.out / "plot.svg").write_text(plotted(results))
    print(table)
    if options.record:
        print(f"recorded in {record(results, options.machine)}")
    return 1 if any(row["faults"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
