"""One operation, some number of times, for a tool that counts: `python bench/count.py NAME OP`.

It is meant to run under `valgrind --tool=callgrind`, where time means nothing and the number of
instructions is the same in every run if PYTHONHASHSEED is fixed. What stands around the calls (starting Python, making the document)
is counted too; run it with two values of --times and divide the difference, as README.md shows.
"""

import argparse
import os
from collections.abc import Callable
from typing import Any

import generated
import packed
import packed_rows
import typed

from oxwire import _bench


def _json(parser: argparse.ArgumentParser, options: argparse.Namespace) -> tuple[Callable[[Any], Any], Any]:
    # The call and its argument.
    found = {p.name: p for p in _bench.peers()}
    if options.peer not in found:
        parser.error(f"{options.peer} is not installed")
    if options.name in generated.ALL:
        data = generated.ALL[options.name]().data
    elif os.path.isfile(options.name):
        with open(options.name, "rb") as file:
            data = file.read()
    else:
        parser.error(f"{options.name} is neither a document nor a file")
    peer = found[options.peer]
    return getattr(peer, options.op), peer.decode(data) if options.op == "encode" else data


def _msgpack(
    parser: argparse.ArgumentParser, options: argparse.Namespace
) -> tuple[Callable[[Any], Any], Any]:
    if options.name in packed.STREAMS:
        found = packed.stream_ways(options.name)
        if options.peer not in found:
            parser.error(f"{options.peer} has no streams; these have: {', '.join(found)}")
        return lambda call: call(), found[options.peer]
    if options.name not in packed_rows.ROWS:
        parser.error(f"{options.name} is no row of MessagePack: {', '.join(packed_rows.ROWS)}")
    row = packed_rows.ROWS[options.name]()
    peers = {p.name: p for p in packed.peers(row.needs)}
    call = getattr(peers.get(options.peer), options.op, None)
    if call is None:
        parser.error(f"{options.peer} is not installed, or cannot do this")
    return call, row.value if options.op == "encode" else peers["oxwire"].encode(row.value)


def _typed(parser: argparse.ArgumentParser, options: argparse.Namespace) -> tuple[Callable[[Any], Any], Any]:
    rows = typed.of_people(1 if options.name.startswith("1 ") else 1000)
    row = f"{options.name}: {options.op}"
    if row not in rows:
        parser.error(f"{row} is no row of people: {', '.join(rows)}")
    if options.peer not in rows[row]:
        parser.error(f"{options.peer} is not installed, or cannot do this")
    return lambda call: call(), rows[row][options.peer]


_FORMATS = {"json": _json, "msgpack": _msgpack, "typed": _typed}


def main() -> None:
    """Decode or encode a generated document or a file with one library, and say nothing."""
    parser = argparse.ArgumentParser(description="Run one operation N times, to be counted.")
    parser.add_argument(
        "name",
        help=f"a JSON file, one of {', '.join(generated.ALL)}, a row of MessagePack, or of people, as '1 person, json'",
    )
    parser.add_argument("op", choices=("decode", "encode"))
    parser.add_argument("--format", choices=_FORMATS, default="json")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--peer", default="oxwire", help="whose (default: oxwire)")
    options = parser.parse_args()
    call, argument = _FORMATS[options.format](parser, options)
    for _ in range(options.times):
        call(argument)


if __name__ == "__main__":
    main()
