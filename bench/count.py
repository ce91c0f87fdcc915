"""One operation, some number of times, for a tool that counts: `python bench/count.py NAME OP`.

It is meant to run under `valgrind --tool=callgrind`, where time means nothing and the number of
instructions is the same in every run if PYTHONHASHSEED is fixed. What stands around the calls (starting Python, making the document)
is counted too; run it with two values of --times and divide the difference, as README.md shows.
"""

import argparse
import os

from oxwire import _bench, _documents


def main() -> None:
    """Decode or encode a generated document or a file with one library, and say nothing."""
    parser = argparse.ArgumentParser(description="Run one operation N times, to be counted.")
    parser.add_argument("name", help=f"a file, or one of {', '.join(_documents.ALL)}")
    parser.add_argument("op", choices=("decode", "encode"))
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--peer", default="oxwire", help="whose (default: oxwire)")
    options = parser.parse_args()
    found = {p.name: p for p in _bench.peers()}
    if options.peer not in found:
        parser.error(f"{options.peer} is not installed")
    if options.name in _documents.ALL:
        data = _documents.ALL[options.name]().data
    elif os.path.isfile(options.name):
        with open(options.name, "rb") as file:
            data = file.read()
    else:
        parser.error(f"{options.name} is neither a document nor a file")
    peer = found[options.peer]
    call = getattr(peer, options.op)
    argument = peer.decode(data) if options.op == "encode" else data
    for _ in range(options.times):
        call(argument)


if __name__ == "__main__":
    main()
