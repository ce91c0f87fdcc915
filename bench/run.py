"""`make bench`: oxwire beside its peers, in time and memory.

    python bench/run.py [FILE ...] [--format json msgpack] [--only NAME ...] [--seconds S] [--no-memory] [--record]

Without files it takes every generated document, for JSON and then for MessagePack. It prints the tables, and writes
to `bench/out` the same as `table.md`, everything measured as `results.json`, and a plot for each format.
`--record` keeps the times as a CSV in `bench/record`, for comparison with a later day. How to read it all: README.md.

This file knows JSON; packed.py knows MessagePack.

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
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import generated
import memory
import packed
import packed_rows
import plot
from tables import geometric_mean, markdown

from oxwire import _bench, msgpack
from oxwire import json as _json

HERE = Path(__file__).parent
FORMATS = ("json", "msgpack")
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
    groups = [speeds(r, op, base) for r in rows if r["document"] in generated.MAIN]
    if len(groups) < len(generated.MAIN):
        return {}
    return {n: geometric_mean([g[n] for g in groups]) for n in names if all(n in g for g in groups)}


def render(results: dict[str, Any]) -> str:
    """The tables of JSON."""
    base, names, rows = results["base"], list(results["versions"]), results["documents"]
    out = []
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
            main = f"mean of {len(generated.MAIN)}"
            table.append([main, "", "", *(f"{mean[n]:.2f}" if n in mean else "-" for n in names)])
        out.append(f"## JSON: {op}\n\nSpeed beside {base} (= 1.00; more is faster).\n")
        out.append(markdown(["document", "file", "oxwire takes", *names], table))
    for op in OPS:
        kept = {d: m[op] for d, m in results["memory"].items() if op in m}
        if kept:
            what = (
                "beyond the result, as a multiple of the input"
                if op == "decode"
                else "as a multiple of the output"
            )
            out.append(f"## JSON: peak memory of {op}\n\nResident, {what} (less is better).\n")
            table = [
                [d, *("-" if m.get(n) is None else f"{m[n]:.1f}" for n in names)] for d, m in kept.items()
            ]
            out.append(markdown(["document", *names], table))
    notes = [f"- {row['document']}: {note}" for row in rows for note in row["notes"]]
    if notes:
        out.append("## JSON: left out\n\n" + "\n".join(notes) + "\n")
    return "\n".join(out)


def about(results: dict[str, Any]) -> str:
    """What was measured where: the first line of table.md."""
    versions: dict[str, str] = {}
    for name in FORMATS:
        versions |= results[name]["versions"] if name in results else {}
    what = ", ".join(f"{n} {v}" for n, v in versions.items() if n != "json")
    return f"{what}; Python {results['python']}; {results['processor']}; {results['when']}.\n"


def record(results: dict[str, Any], word: str) -> Path:
    """Keep the times as one CSV row for each library, document and operation."""
    folder = HERE / "record"
    folder.mkdir(exist_ok=True)
    safe = re.sub(r"[^A-Za-z0-9_]+", "_", word)
    path = folder / f"{safe}-{results['when'][:10]}.csv"
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        head = "when processor python oxwire library version document bytes op p25_ns least_ns median_ns slices format"
        table.writerow(head.split())
        for kind in FORMATS:
            if kind not in results:
                continue
            versions, rows = results[kind]["versions"], results[kind]["documents"]
            start = [results["when"], results["processor"], results["python"], versions["oxwire"]]
            for row in rows:
                for op in (*OPS, "stream"):
                    for name, t in row.get(op, {}).items():
                        # "msgpack.Unpacker" and "msgspec one by one" are ways of one library.
                        library = name.split()[0].split(".")[0]
                        what = [name, versions[library], row["document"], row["bytes"], op]
                        seen = [f"{t[k]:.1f}" for k in ("p25", "least", "median")]
                        table.writerow([*start, *what, *seen, t["slices"], kind])
    return path


def plotted(results: dict[str, Any]) -> dict[str, str]:
    """The plots by name of file: of JSON the main documents and their mean, or, if none was run, what was."""
    caption = f"Python {results['python']}, {results['processor']}"
    plots = {}
    if section := results.get("json"):
        base, rows = section["base"], section["documents"]
        chosen = [r for r in rows if r["document"] in generated.MAIN] or rows[:12]
        panels = []
        for op in OPS:
            panel = {r["document"]: speeds(r, op, base) for r in chosen if speeds(r, op, base)}
            if section["means"][op]:
                panel["mean"] = section["means"][op]
            panels.append(panel)
        plots["plot.svg"] = plot.svg(panels[0], panels[1], base, caption)
    if section := results.get("msgpack"):
        base = "ormsgpack" if "ormsgpack" in section["versions"] else "oxwire"
        decode, encode = packed.panels(section["documents"], base)
        plots["plot-msgpack.svg"] = plot.svg(decode, encode, base, caption)
    return plots


def run_json(sources: dict[str, Callable[[], bytes]], seconds: float, with_memory: bool) -> dict[str, Any]:
    """Measure JSON documents, then memory. Gives a section of results.json."""
    among = _bench.peers()
    names = [p.name for p in among]
    rows = []
    for i, (name, read) in enumerate(sources.items()):
        _say(f"JSON {i + 1}/{len(sources)} {name}")
        rows.append(time_document(name, read(), among, seconds))
    peaks: dict[str, dict[str, dict[str, float | None]]] = {}
    if with_memory:
        for document in memory.DOCUMENTS:
            _say(f"memory of {document}")
            peaks[document] = {op: {n: memory.measure(n, op, document) for n in names} for op in OPS}
            if all(v is None for by_op in peaks[document].values() for v in by_op.values()):
                # This platform does not tell.
                del peaks[document]
                break
    base = "orjson" if "orjson" in names else "json"
    return {
        "versions": {p.name: p.version for p in among},
        "base": base,
        "means": {op: means(rows, op, base, names) for op in OPS},
        "documents": rows,
        "memory": peaks,
    }


def run_msgpack(rows: dict[str, packed_rows.Make], streams: list[str], seconds: float) -> dict[str, Any]:
    """Measure MessagePack. Gives a section of results.json."""
    entries = []
    for i, (name, make) in enumerate(rows.items()):
        _say(f"MessagePack {i + 1}/{len(rows) + len(streams)} {name}")
        entries.append(packed.time_row(name, make, seconds))
    for name in streams:
        _say(f"MessagePack {name}")
        entries.append(packed.time_stream(name, seconds))
    return {
        "versions": packed.versions(),
        "means": {op: packed.means(entries, op) for op in OPS},
        "documents": entries,
    }


def choose(files: list[str], only: list[str]) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """What to measure: JSON documents, rows of MessagePack, streams. All of them if nothing is named."""
    everything = not files and not only

    def wanted(main: Iterable[str], names: Iterable[str]) -> list[str]:
        chosen = [n for o in only for n in (main if o == "main" else [o])]
        return [n for n in names if everything or n in chosen]

    documents: dict[str, Any] = {}
    rows: dict[str, Any] = {}
    for name in wanted(generated.MAIN, generated.ALL):
        documents[name] = partial(lambda make: make().data, generated.ALL[name])
    for name in wanted(packed_rows.MAIN, packed_rows.ROWS):
        rows[name] = packed_rows.ROWS[name]
    for file in files:
        path = Path(file)
        if path.suffix == ".msgpack":
            rows[path.name] = partial(lambda path: packed_rows.plain(msgpack.decode(path.read_bytes())), path)
        else:
            documents[path.name] = path.read_bytes
            rows[path.name] = partial(lambda path: packed_rows.plain(_json.decode(path.read_bytes())), path)
    return documents, rows, wanted((), packed.STREAMS)


def main() -> int:
    """Measure, print, write."""
    names = dict.fromkeys(["main", *generated.ALL, *packed_rows.ROWS, *packed.STREAMS])
    parser = argparse.ArgumentParser(description="Compare oxwire with its peers.")
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="JSON, or *.msgpack (default: every generated document)"
    )
    parser.add_argument("--format", nargs="+", choices=FORMATS, default=FORMATS, help="these (default: all)")
    parser.add_argument(
        "--only", nargs="+", choices=names, metavar="NAME", default=[], help=f"these: {', '.join(names)}"
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

    documents, rows, streams = choose(options.files, options.only)
    results: dict[str, Any] = {
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "python": platform.python_version(),
        "processor": processor(),
        "cores": os.cpu_count(),
    }
    if "json" in options.format and documents:
        results["json"] = run_json(documents, options.seconds, not options.no_memory)
    if "msgpack" in options.format and (rows or streams):
        results["msgpack"] = run_msgpack(rows, streams, options.seconds)
    _say("")
    sections = [results[name] for name in FORMATS if name in results]
    if not sections:
        parser.error("none of these documents is of this format")
    table = about(results)
    if "json" in results:
        table += "\n" + render(results["json"])
    if "msgpack" in results:
        table += "\n" + packed.render(results["msgpack"]["documents"])
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    (options.out / "table.md").write_text(table)
    for name, drawn in plotted(results).items():
        (options.out / name).write_text(drawn)
    print(table)
    if options.record:
        print(f"recorded in {record(results, options.machine)}")
    return 1 if any(row["faults"] for section in sections for row in section["documents"]) else 0


if __name__ == "__main__":
    sys.exit(main())
