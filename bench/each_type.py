"""Every type of the table of types in `make bench`, one at a time: 300 values of it, beside msgspec.

    python bench/each_type.py [--seconds S] [--only WORD...]

A cell says how many times as fast as msgspec oxwire reads the values by their type, writes them (both in JSON and MessagePack),
converts what is plain to the type, lets what has the type already pass, and makes the values plain. What may surprise: most
programs have few of most types, so a row is no promise; the rows are here so that no type is forgotten. Timed with the machinery of
the other parts (python/oxwire/_bench.py).
"""

import argparse
import dataclasses
import datetime as dt
import enum
import sys
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from importlib import import_module
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

from tables import markdown

import oxwire
from oxwire import _bench

N = 300
NOW = dt.datetime(2024, 5, 6, 7, 8, 9, 123456, tzinfo=dt.UTC)
COLUMNS = ("JSON decode", "encode", "MessagePack decode", "encode", "convert", "… itself", "to_builtins")


class Color(enum.Enum):
    RED = "red"
    GREEN = "green"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Plain:
    a: int
    b: str


class Named(NamedTuple):
    a: int
    b: str


class Typed(TypedDict):
    a: int
    b: str


class Bounded:
    """A type of which more is asked, by the `Meta` of each library."""

    def __init__(self, of: Any, **bounds: Any) -> None:
        self.of, self.bounds = of, bounds


def values() -> Iterator[tuple[str, Any, Callable[[int], Any]]]:
    """A word for a type, the type, and its values by a number."""
    moments = {"UTC": dt.UTC, "naive": None, "+05:00": dt.timezone(dt.timedelta(hours=5))}
    yield "str", str, lambda i: f"text {i}"
    yield "int", int, lambda i: i
    yield "int of 64 bits", int, lambda i: 2**63 + i
    yield "float", float, lambda i: i / 7
    yield "bool", bool, lambda i: i % 2 == 0
    yield "int | None", int | None, lambda i: i if i % 2 else None
    yield "int | str", int | str, lambda i: i if i % 2 else "a"
    for word, zone in moments.items():
        yield (
            f"datetime, {word}",
            dt.datetime,
            lambda i, z=zone: (NOW + dt.timedelta(seconds=i)).replace(tzinfo=z),
        )
    yield "date", dt.date, lambda i: NOW.date() + dt.timedelta(i)
    yield "time", dt.time, lambda i: (NOW + dt.timedelta(seconds=i)).time()
    yield "timedelta", dt.timedelta, lambda i: dt.timedelta(i, i)
    yield "UUID", uuid.UUID, lambda i: uuid.UUID(int=2**127 + 977 * i)
    yield "Decimal", Decimal, lambda i: Decimal(977 * i) / 100
    yield "bytes", bytes, lambda i: b"bytes %d" % i
    yield "bytearray", bytearray, lambda i: bytearray(b"bytes %d" % i)
    yield "Enum of str", Color, lambda i: list(Color)[i % 2]
    yield "IntEnum", Level, lambda i: list(Level)[i % 2]
    yield "Literal of str", Literal["a", "b"], lambda i: "ab"[i % 2]
    yield "Literal of int", Literal[1, 2], lambda i: i % 2 + 1
    yield "tuple[int, str]", tuple[int, str], lambda i: (i, "a")
    yield "tuple[int, ...]", tuple[int, ...], lambda i: (i, i, i)
    yield "list[int]", list[int], lambda i: [i, i, i]
    yield "set[int]", set[int], lambda i: {i, i + 1}
    yield "frozenset[int]", frozenset[int], lambda i: frozenset({i, i + 1})
    yield "dict[str, int]", dict[str, int], lambda i: {"a": i, "b": i}
    yield "dict[int, int]", dict[int, int], lambda i: {i: i}
    yield "dict[UUID, int]", dict[uuid.UUID, int], lambda i: {uuid.UUID(int=i): i}
    yield "dict[Enum, int]", dict[Color, int], lambda i: {Color.RED: i}
    yield "dataclass", Plain, lambda i: Plain(i, "x")
    yield "NamedTuple", Named, lambda i: Named(i, "x")
    yield "TypedDict", Typed, lambda i: {"a": i, "b": "x"}
    yield "int, ge=0", Bounded(int, ge=0), lambda i: i
    yield "float, ge=0", Bounded(float, ge=0), lambda i: i / 7
    yield "str, max_length=9", Bounded(str, max_length=9), lambda i: f"text {i}"
    yield "str, pattern", Bounded(str, pattern="^t"), lambda i: f"text {i}"
    yield "list[int], min_length=1", Bounded(list[int], min_length=1), lambda i: [i]
    yield "dict[str, int], min_length=1", Bounded(dict[str, int], min_length=1), lambda i: {"a": i}
    yield "datetime, tz=True", Bounded(dt.datetime, tz=True), lambda i: NOW + dt.timedelta(seconds=i)
    yield "Any", Any, lambda i: (i, "a", None, 2.5)[i % 4]


def calls(
    library: Any, of: Any, items: list[Any], given: tuple[bytes, bytes, Any]
) -> list[Callable[[], object]]:
    """What is timed of a library, in the order of the columns."""
    one: Any = Annotated[of.of, library.Meta(**of.bounds)] if isinstance(of, Bounded) else of
    t = list[one]
    text, packed, plain = given
    json, msgpack = library.json, library.msgpack
    return [
        partial(json.Decoder(t).decode, text),
        partial(json.Encoder().encode, items),
        partial(msgpack.Decoder(t).decode, packed),
        partial(msgpack.Encoder().encode, items),
        partial(library.convert, plain, t),
        partial(library.convert, items, t),
        partial(library.to_builtins, items),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Types one at a time, beside msgspec.")
    parser.add_argument("--seconds", type=float, default=0.1, help="for each cell (default %(default)s)")
    parser.add_argument("--only", nargs="+", default=(), help="the rows that begin so")
    options = parser.parse_args()
    try:
        msgspec = import_module("msgspec")
    except ImportError:
        print("msgspec is not installed: there is nothing to compare with")
        return 0
    table = []
    for word, of, make in values():
        if options.only and not word.startswith(tuple(options.only)):
            continue
        items = [make(i) for i in range(N)]
        given = oxwire.json.encode(items), oxwire.msgpack.encode(items), oxwire.to_builtins(items)
        both = [calls(library, of, items, given) for library in (oxwire, msgspec)]
        cells = []
        for ours, theirs in zip(*both, strict=True):
            timed = _bench.compare({"oxwire": ours, "msgspec": theirs}, options.seconds)
            cells.append(f"{timed['msgspec'].p25 / timed['oxwire'].p25:.2f}")
        table.append([word, *cells])
    print("## Types, one at a time\n\nHow many times as fast as msgspec oxwire is (more is faster).\n")
    print(markdown(["300 values of", *COLUMNS], table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
