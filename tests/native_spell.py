"""Objects as the text that vectors/native has for them, and a helper that makes objects of whatever types the vectors define."""

import struct
import sys
from pathlib import Path
from pickle import PickleBuffer

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

from native_values import Node, Speller, Type

from oxwire._native import FILLED, LEAVES, Helper, Raw

NAMES = {code: said[1] for code, said in (LEAVES | FILLED).items()} | {
    0x26: "MappingProxyType",
    3: "SafeUUID",
    0x13: "array",
    4: "timezone",
    5: "ZoneInfo",
}


class Object:
    """An object of any type of the vectors."""


class Vectors(Helper):
    """Every type there is, and none of them known."""

    def resolved(self, kind, name, version, fields):
        definition = kind, name, version, fields

        def of(values):
            o = Object()
            o.of, o.values = definition, values
            return o

        if kind in (1, 2):
            if kind == 1:
                return 1, lambda values: of(values), (), None
            return 1, of, (), None

        def fill(o, values):
            o.of, o.values = definition, values

        return 2, Object, (), fill

    def class_of(self, name):
        return ("registered", name)


def bits(v):
    return struct.unpack("<Q", struct.pack("<d", v))[0]


def moment(o):
    fold = " fold" if o.fold else ""
    return f"{o.hour:02}:{o.minute:02}:{o.second:02}.{o.microsecond:06}{fold}"


def node(o, helper, met):
    """The node of an object."""
    import datetime as dt
    import uuid

    if id(o) in met:
        return met[id(o)][0]
    n = Node("")
    met[id(o)] = n, o

    def to(one):
        return node(one, helper, met)

    t = type(o)
    if o is None or t is bool:
        n.what, n.of = "atom", repr(o)
    elif o is dt.timezone.utc:
        n.what, n.of = "atom", "UTC"
    elif t is PickleBuffer:
        # What an array has of its items.
        return to((bytes if o.raw().readonly else bytearray)(o.raw()))
    elif t in (int, str, bytes, bytearray):
        n.what, n.of = t.__name__, bytes(o) if t is bytearray else o
    elif t is float:
        n.what, n.of = "float", bits(o)
    elif t is complex:
        n.what, n.of, n.more = "complex", bits(o.real), bits(o.imag)
    elif t in (list, tuple, set, frozenset):
        n.what, n.of = t.__name__, []
        n.of += [to(one) for one in o]
    elif t is dict:
        n.what, n.of = "dict", []
        n.of += [(to(k), to(v)) for k, v in o.items()]
    elif t is dt.date:
        n.what, n.of = "date", str(o)
    elif t is dt.time:
        n.what, n.of, n.more = "time", moment(o), None if o.tzinfo is None else to(o.tzinfo)
    elif t is dt.datetime:
        n.what, n.of, n.more = (
            "datetime",
            f"{o:%Y-%m-%d} ".rjust(11, "0") + moment(o),
            None if o.tzinfo is None else to(o.tzinfo),
        )
    elif t is dt.timedelta:
        n.what, n.of = "timedelta", f"{o.days}, {o.seconds}, {o.microseconds}"
    elif t is uuid.UUID and o.is_safe.value is None:
        n.what, n.of = "uuid", o.bytes
    elif t is Raw:
        n.what, n.of = "sealed", o.message
    elif t is Object:
        kind, name, version, fields = o.of
        n.what, n.of = "typed", []
        n.more = Type(kind, Speller(to(name)).text, version, list(fields))
        n.of += [to(one) for one in o.values]
    else:
        (_, code), [body], _ = helper.describe(o)
        n.what, n.of, n.more = "ext", code, to(body)
    return n


def spell(o, helper):
    """The text of an object."""
    return Speller(node(o, helper, {})).text
