"""Cost by size of input, from 1 kB to 1 GB: whether it grows as the input does.

    python bench/growth.py [--most BYTES] [--out FOLDER]

Each size is one array of small objects, in both formats, written and read by oxwire and by the base of that format, in
turns. It prints nanoseconds for a byte, and writes them as `growth.csv` and as a plot, `growth.svg`, whose lines are level
as long as the cost is linear. A gigabyte of input is 8 GB of objects and takes some minutes, so the default ends at 100 MB.

What may surprise: up to the size of the processor's caches a byte gets cheaper (a call costs what it costs), beyond
them it gets dearer for every library alike, since memory does.
"""

import argparse
import csv
import gc
import math
import sys
import time
from collections.abc import Callable
from html import escape
from pathlib import Path
from random import Random
from typing import Any

import plot

from oxwire import json, msgpack

HERE = Path(__file__).parent
# How many bytes are read or written before a size is done, and how many times at least and at most.
ENOUGH, LEAST, MOST = 200_000_000, 3, 2_000
# The plot: a panel's width and height, its margins, and the panels' way of going on.
WIDTH, HEIGHT, LEFT, TOP, BETWEEN = 380, 220, 60, 60, 90

Call = Callable[[Any], Any]
Row = tuple[str, str, str, int, float]
"""Format, operation, library, bytes of input (of output, if it is written), nanoseconds for a byte."""


def libraries() -> dict[str, dict[str, tuple[Call, Call]]]:
    """Of each format the libraries, each as (encode, decode): ours, and the base if it is installed."""
    found: dict[str, dict[str, tuple[Call, Call]]] = {
        "JSON": {"oxwire": (json.encode, json.decode)},
        "MessagePack": {"oxwire": (msgpack.encode, msgpack.decode)},
    }
    try:
        import orjson

        found["JSON"]["orjson"] = (orjson.dumps, orjson.loads)
    except ImportError:
        pass
    try:
        import ormsgpack

        found["MessagePack"]["ormsgpack"] = (ormsgpack.packb, ormsgpack.unpackb)
    except ImportError:
        pass
    return found


def records(size: int) -> list[dict[str, Any]]:
    """Objects whose JSON is about so many bytes, no two of them alike."""
    r = Random(1)
    made: list[dict[str, Any]] = []
    left = size
    while left > 0:
        at = len(made)
        one = {
            "id": at,
            "name": f"name {r.randrange(10**6)}",
            "score": r.random(),
            "active": r.random() < 0.5,
            "tags": [f"tag{r.randrange(1000)}", "common"],
            "parent": at // 2 if at else None,
        }
        made.append(one)
        # The bytes of the first thousand tell those of all others well enough.
        left -= len(json.encode(one)) + 1 if at < 1000 else 112
    return made


def timed(calls: dict[str, Call], given: Any, size: int) -> dict[str, float]:
    """Nanoseconds of each call with this input: the least of rounds in which every library has its turn."""
    rounds = min(max(ENOUGH // size, LEAST), MOST)
    least = dict.fromkeys(calls, math.inf)
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter_ns()
            result = call(given)
            taken = time.perf_counter_ns() - start
            # Freeing is not what is measured, and must not be part of the next turn.
            del result
            least[name] = min(least[name], taken)
    return least


def measure(size: int) -> list[Row]:
    """All formats and libraries at one size."""
    rows: list[Row] = []
    value = records(size)
    for kind, among in libraries().items():
        ours = among["oxwire"][0](value)
        for name, (encode, decode) in among.items():
            if encode(value) != ours and decode(encode(value)) != value:
                raise SystemExit(f"{name} writes something else as {kind}")
        taken = timed({name: encode for name, (encode, _) in among.items()}, value, size)
        rows += [(kind, "encode", name, len(ours), t / len(ours)) for name, t in taken.items()]
    packed = {kind: among["oxwire"][0](value) for kind, among in libraries().items()}
    # What lives on would make the collector's work in decode larger than a program's.
    del value, ours
    gc.collect()
    for kind, among in libraries().items():
        data = packed[kind]
        taken = timed({name: decode for name, (_, decode) in among.items()}, data, size)
        rows += [(kind, "decode", name, len(data), t / len(data)) for name, t in taken.items()]
    return rows


def panel(title: str, rows: list[Row], left: int, top: int, ceiling: float) -> list[str]:
    """One panel: bytes from 1 kB to 1 GB across, nanoseconds for a byte upwards, from nothing."""

    def x(size: int) -> float:
        return left + WIDTH * (math.log10(size) - 2.8) / 6.4

    def y(cost: float) -> float:
        return top + HEIGHT * (1 - cost / ceiling)

    out = [
        f'<text x="{left}" y="{top - 10}" font-weight="bold">{escape(title)}</text>',
        f'<path d="M{left} {top}V{top + HEIGHT}H{left + WIDTH}" fill="none" stroke="#888"/>',
    ]
    for power, label in enumerate(("1 kB", "10 kB", "100 kB", "1 MB", "10 MB", "100 MB", "1 GB"), 3):
        out.append(
            f'<text x="{x(10**power):.0f}" y="{top + HEIGHT + 16}" text-anchor="middle">{label}</text>'
        )
    step = ceiling / 4
    for tick in (step * i for i in range(5)):
        out.append(f'<text x="{left - 6}" y="{y(tick) + 4:.0f}" text-anchor="end">{tick:.1f}</text>')
    for name in dict.fromkeys(row[2] for row in rows):
        points = [(x(row[3]), y(row[4])) for row in rows if row[2] == name]
        colour = plot.COLOURS.get(name, "#666")
        line = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in points]
        a, b = points[-1]
        out.append(f'<text x="{a + 6:.0f}" y="{b + 4:.0f}" fill="{colour}">{escape(name)}</text>')
    return out


def svg(rows: list[Row]) -> str:
    """The plot: a row for each format, decode beside encode."""
    drawn: list[str] = []
    for down, kind in enumerate(dict.fromkeys(row[0] for row in rows)):
        ceiling = math.ceil(max(row[4] for row in rows if row[0] == kind))
        for across, op in enumerate(("decode", "encode")):
            chosen = [row for row in rows if row[:2] == (kind, op)]
            left, top = LEFT + across * (WIDTH + BETWEEN + 30), TOP + down * (HEIGHT + BETWEEN)
            drawn += panel(f"{kind}: {op}", chosen, left, top, ceiling)
    width, height = LEFT + 2 * (WIDTH + BETWEEN) + 30, TOP + 2 * (HEIGHT + BETWEEN) - 30
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11" fill="#222">',
            '<rect width="100%" height="100%" fill="#fff"/>',
            '<text x="10" y="22" font-size="13">Nanoseconds for a byte, by the size of the document; '
            "level is linear, lower is faster.</text>",
            *drawn,
            "</svg>\n",
        ]
    )


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="Cost by size of input.")
    parser.add_argument("--most", type=float, default=1e8, metavar="BYTES", help="(default: 1e8)")
    parser.add_argument(
        "--out", type=Path, default=HERE / "out", help="where results go (default: bench/out)"
    )
    options = parser.parse_args()

    rows: list[Row] = []
    size = 1000
    while size <= options.most:
        for row in measure(size):
            kind, op, name, length, cost = row
            print(f"{kind:12} {op} {name:10} {length:>13,} bytes {cost:7.3f} ns/byte", flush=True)
            rows.append(row)
        size *= 10
    options.out.mkdir(parents=True, exist_ok=True)
    with (options.out / "growth.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["format", "op", "library", "bytes", "ns_per_byte"])
        table.writerows((*row[:4], f"{row[4]:.4f}") for row in rows)
    (options.out / "growth.svg").write_text(svg(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
