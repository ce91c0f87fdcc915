"""`make bench`, the native format: oxwire.native beside what else writes Python's own objects.

    python bench/graphs.py [--seconds S] [--only WORD ...]

Each row is checked first: what is read must be equal to what was written and, where the row is about shared objects, shared in
the same way by those that promise it. Ratios are to oxwire, whose time stands in the first column; below the tables stands how many
bytes each wrote. What may surprise: libraries that know no identity (msgpack, orjson, Fory without references) stand in the row of
shared objects too, as that is what using them there costs; marshal and msgpack have no classes, so they are absent where those are.
"""

import argparse
import json
import marshal
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass, make_dataclass
from functools import partial
from importlib import import_module
from random import Random
from string import ascii_lowercase
from types import ModuleType
from typing import Any

import generated
from tables import markdown

import oxwire
from oxwire import _bench, native

Calls = dict[str, Callable[[], Any]]
Way = tuple[Callable[[Any], Any], Callable[[Any], Any]]


def _found(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ImportError:
        return None


FIELDS = (
    ("id", int),
    ("name", str),
    ("email", str),
    ("age", int),
    ("active", bool),
    ("score", float),
    ("tags", list[str]),
)
Plain = make_dataclass("Plain", FIELDS, module=__name__)
Struct = oxwire.defstruct("Struct", FIELDS, module=__name__)


def records(count: int) -> list[dict[str, Any]]:
    """Records as a program has them: no two share a text."""
    r = Random(6)

    def word(n: int) -> str:
        return "".join(r.choices(ascii_lowercase, k=n))

    return [
        {
            "id": i,
            "name": word(12),
            "email": f"{word(9)}@example.com",
            "age": r.randrange(90),
            "active": r.random() < 0.5,
            "score": r.random() * 100,
            "tags": [word(6) for _ in range(3)],
        }
        for i in range(count)
    ]


@dataclass
class Row:
    """A value, and what of it is asked for besides equality."""

    value: Any
    classes: bool = False
    shared: bool = False


def rows() -> dict[str, Callable[[], Row]]:
    """All rows, each made when it is its turn."""
    some = records(1000)

    def graph() -> Row:
        parts = records(50)
        return Row([parts[i * 7 % 50] for i in range(5000)], shared=True)

    def document(name: str) -> Callable[[], Row]:
        return lambda: Row(json.loads(generated.ALL[name]().data))

    return {
        "dict of three lists": lambda: Row(
            {
                "ints": [*range(10)],
                "floats": [i / 3 for i in range(10)],
                "texts": [f"text {i}" for i in range(10)],
            }
        ),
        "100 texts of 15 letters": lambda: Row([one["name"] + "abc" for one in some[:100]]),
        "one record": lambda: Row(some[0]),
        "5,000 references to 50 dicts": graph,
        "1,000 dicts": lambda: Row(records(1000)),
        "1,000 dataclasses": lambda: Row([Plain(**one) for one in records(1000)], classes=True),
        "1,000 Structs": lambda: Row([Struct(**one) for one in records(1000)], classes=True),
        **{name: document(name) for name in ("timeline", "feed", "catalogue", "coordinates")},
        "16 MiB of bytes, in the message": lambda: Row(bytes(1 << 24)),
    }


def ways(row: Row) -> dict[str, Way]:
    """Ourselves and the installed peers, each with its objects that can be reused."""
    registry = {"plain": Plain, "struct": Struct}
    found: dict[str, Way] = {
        "oxwire": (native.Encoder(registry=registry).encode, native.Decoder(registry=registry).decode),
        "pickle 5": (partial(pickle.dumps, protocol=5), pickle.loads),
    }
    if not row.classes:
        found["marshal"] = marshal.dumps, marshal.loads
        if module := _found("msgpack"):
            found["msgpack"] = module.packb, module.unpackb
        if (module := _found("orjson")) and not isinstance(row.value, bytes):
            found["orjson"] = module.dumps, module.loads
    if module := _found("pyfory"):
        for name, ref in {"Fory": False, "Fory, references": True}.items():
            fory = module.Fory(xlang=False, ref=ref, strict=False, compatible=False)
            for kind in (Plain, Struct):
                try:
                    fory.register_type(kind)
                except (
                    Exception
                ) as error:  # It may like a class or not; what it cannot write is left out below.
                    print(f"{name}: {error}", file=sys.stderr)
            found[name] = fory.serialize, fory.deserialize
    return found


def is_right(row: Row, name: str, read: Any) -> bool:
    """Whether a library gave back what it was given."""
    keeps = name not in ("msgpack", "orjson", "Fory")
    return read == row.value and not (row.shared and keeps and read[0] is not read[50])


def beside(seconds: float) -> list[str]:
    """16 MiB out of band: what `collect_buffers` is for, and protocol 5 of pickle."""
    value = pickle.PickleBuffer(bytearray(1 << 24))

    def ours() -> Any:
        data, buffers = native.encode(value, collect_buffers=True)
        return native.decode(data, buffers=buffers)

    def theirs() -> Any:
        buffers: list[pickle.PickleBuffer] = []
        data = pickle.dumps(value, 5, buffer_callback=buffers.append)
        return pickle.loads(data, buffers=buffers)

    assert len(memoryview(ours())) == len(memoryview(theirs())) == 1 << 24
    timed = _bench.compare({"oxwire": ours, "pickle 5": theirs}, seconds)
    own = timed["oxwire"].p25
    return ["16 MiB out of band, both ways", _bench.duration(own), f"{timed['pickle 5'].p25 / own:.2f}"]


def main() -> int:
    parser = argparse.ArgumentParser(description="The native format beside its peers.")
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="for each row and direction (default %(default)s)"
    )
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="WORD", help="rows in whose names one of these is"
    )
    options = parser.parse_args()
    chosen = {
        name: make
        for name, make in rows().items()
        if not options.only or any(word in name for word in options.only)
    }
    tables: dict[str, list[list[str]]] = {"write": [], "read": []}
    sizes, names = [], ["pickle 5", "marshal", "msgpack", "orjson", "Fory", "Fory, references"]
    faults = 0
    for name, make in chosen.items():
        row = make()
        written: dict[str, Any] = {}
        calls: dict[str, Calls] = {"write": {}, "read": {}}
        for peer, (write, read) in ways(row).items():
            try:
                data = write(row.value)
                right = is_right(row, peer, read(data))
            except Exception as error:
                right, data = False, b""
                print(f"{name}: {peer} cannot ({type(error).__name__})", file=sys.stderr)
            if right:
                written[peer] = len(data)
                calls["write"][peer], calls["read"][peer] = partial(write, row.value), partial(read, data)
        if "oxwire" not in written:
            faults += 1
            continue
        for way, table in tables.items():
            timed = _bench.compare(calls[way], options.seconds)
            own = timed["oxwire"].p25
            cells = [f"{timed[p].p25 / own:.2f}" if p in timed else "" for p in names]
            table.append([name, _bench.duration(own), *cells])
        sizes.append([name, *(f"{written[p]:,}" if p in written else "" for p in ("oxwire", *names))])
    print("## The native format\n\nHow many times as fast as each library oxwire is (more is faster).\n")
    for way, table in tables.items():
        print(markdown([way, "oxwire takes", *names], table))
    if not options.only:
        print(markdown(["", "oxwire takes", "pickle 5"], [beside(options.seconds)]))
    print(markdown(["bytes", "oxwire", *names], sizes))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
