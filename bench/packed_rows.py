"""What the MessagePack tables are measured with: generated, the same on every machine.

Each function in `ROWS` makes a `Row` anew. Most hold the values of the JSON documents (python/oxwire/documents.py,
whose rules for randomness hold here too), so that the two tables speak of the same things. What JSON cannot say
follows: bytes, keys that are numbers, moments. The last rows hold objects instead of plain values,
and are only written: what they are read as is the plain values again. They come last since the libraries they import
stay in memory, and the garbage collector looks at them.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple

import generated


class Row(NamedTuple):
    """A value to write, the plain value that it is read as, and what a library must be told to do the same.

    `needs` is "" for a library's own defaults, "keys" for keys other than text, "moments" for aware datetimes,
    or "dataclass", "pydantic", "numpy".
    """

    value: Any
    plain: Any
    needs: str = ""
    ops: tuple[str, ...] = ("encode", "decode")


Make = Callable[[], Row]

MAIN = ("timeline", "feed", "catalogue", "coordinates", "tiny", "small")
"""The rows over which means are taken: the four kinds of documents, and the small messages."""


def messages(count: int = 1000) -> list[dict[str, Any]]:
    """Messages of one shape and 52 bytes each, as they come over a socket by the thousand."""
    r = Random(21)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return [
        {
            "id": r.randrange(2**16, 2**31),
            "ts": 1.7e9 + r.randrange(10**9) / 1000,
            "user": "".join(r.choices(letters, k=8)),
            "new": r.random() < 0.5,
            "kind": r.choice(("create", "update", "delete")),
        }
        for _ in range(count)
    ]


def plain(value: Any) -> Row:
    """A row of a value that is read as it was written, by every library's defaults."""
    return Row(value, value)


def _document(name: str) -> Make:
    # Read from the file, so that equal texts are objects of their own, as in a program that got them.
    return lambda: plain(json.loads(generated.ALL[name]().data))


def _list(count: int, item: Callable[[Random], Any], needs: str = "") -> Make:
    def make() -> Row:
        r = Random(22)
        value = [item(r) for _ in range(count)]
        return Row(value, value, needs)

    return make


def _moment(r: Random) -> datetime:
    # Two in three have a fraction, so that the forms of 4 and of 8 bytes both occur. It is below half a second, since
    # all peers write those alike.
    micros = r.choice((0, 1, 1)) * r.randrange(500_000)
    return datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=r.randrange(10**8), microseconds=micros)


def _bytes(least: int, most: int) -> Callable[[Random], bytes]:
    return lambda r: bytes(r.choices(range(256), k=r.randrange(least, most)))


@dataclass
class Home:
    """A part of a person."""

    city: str
    code: int


@dataclass
class Person:
    """The small objects of the JSON documents, with one inside another."""

    id: int
    name: str
    email: str
    age: int
    active: bool
    score: float
    born: str
    tags: list[str]
    home: Home


def _people() -> list[dict[str, Any]]:
    value: list[dict[str, Any]] = generated.people().value
    return [one | {"home": {"city": one["name"][::-1], "code": 7 * one["age"]}} for one in value]


def _dataclasses() -> Row:
    plain = _people()
    return Row(
        [Person(**one | {"home": Home(**one["home"])}) for one in plain], plain, "dataclass", ("encode",)
    )


def _pydantic() -> Row:
    from pydantic import BaseModel

    class Home(BaseModel):
        city: str
        code: int

    class Person(BaseModel):
        id: int
        name: str
        email: str
        age: int
        active: bool
        score: float
        born: str
        tags: list[str]
        home: Home

    plain = _people()
    return Row([Person(**one) for one in plain], plain, "pydantic", ("encode",))


def _array(kind: str, count: int, item: Callable[[Random], Any], columns: int = 0) -> Make:
    def make() -> Row:
        import numpy

        r = Random(23)
        array = numpy.array([item(r) for _ in range(count)], kind)
        if columns:
            array = array.reshape(-1, columns)
        return Row(array, array.tolist(), "numpy", ("encode",))

    return make


def _float(r: Random) -> float:
    return (r.random() - 0.5) * 1000


_TEXTS = [
    f"{length}_{script}" for script in ("ascii", "latin1", "cjk", "emoji") for length in ("short", "long")
]

ROWS: dict[str, Make] = {
    **{name: _document(name) for name in MAIN[:4]},
    "tiny": lambda: plain({"id": 48213, "name": "Kalomite", "active": True}),
    "small": lambda: plain(messages(1)[0]),
    "message": _document("message"),
    "people": _document("people"),
    "many_keys": lambda: plain({f"key {i:05}": i for i in range(10_000)}),
    "ints_7bit": _list(50_000, lambda r: r.randrange(128)),
    "ints_small": _document("ints_small"),
    "ints_40bit": _list(12_000, lambda r: r.randrange(2**40)),
    "ints_large": _document("ints_large"),
    # Each of the nine forms, in no order that a processor could learn.
    "ints_mixed": _list(12_000, lambda r: r.choice((1, -1)) * r.randrange(2 ** r.randrange(1, 64))),
    "floats": _document("floats"),
    "bools": _document("bools"),
    **{name: _document(name) for name in _TEXTS},
    "short_bytes": _list(10_000, _bytes(3, 40)),
    "long_bytes": _list(50, _bytes(2000, 8000)),
    "int_keys": _list(30, lambda r: {day: r.randrange(100_000) for day in range(1, 366)}, "keys"),
    "datetimes": _list(1000, _moment, "moments"),
    "dataclasses": _dataclasses,
    "numpy_f8": _array("f8", 20_000, _float),
    "numpy_f4": _array("f4", 20_000, _float),
    "numpy_i8": _array("i8", 20_000, lambda r: r.randrange(-(2**40), 2**40)),
    "numpy_2d": _array("f8", 20_000, _float, columns=20),
    "pydantic": _pydantic,
}
"""Every row by name."""
