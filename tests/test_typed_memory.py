"""Typed reading and memory: references, cycles, debug allocators, other interpreters.

What may surprise: programs of types are kept from call to call, so a class may outlive its last Decoder for a while.
"""

import dataclasses
import datetime as dt
import enum
import gc
import typing
import weakref
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from process import (
    INTERPRETERS,
    OWN_LOCKS,
    check_nothing_is_left,
    check_resident_size,
    run_in_interpreters,
    swallow,
)
from samples import run_python

from oxwire import Struct, convert, field, json, msgpack


class Odd:
    def __init__(self, value=None):
        self.value = value


class Tagged(Struct, tag="t"):
    value: Any


class Other(Struct, tag="o", array_like=False):
    value: int


class Held(Struct):
    a: int
    b: list = field(default_factory=list)
    c: Any = Odd()
    d: "Held | None" = None


@dataclasses.dataclass
class HeldData:
    a: int
    c: Any = dataclasses.field(default=Odd())  # noqa: RUF009 - one object for all


class Grim(Struct):
    a: int

    def __post_init__(self):
        raise ValueError(f"never {self.a}")


class Color(enum.Enum):
    RED = "red"


GOOD = b'[{"a":1,"d":{"a":2,"b":[1,"x",{"y":2}]},"z":{"q":[1]}},{"a":3}]'
VALUE = json.decode(GOOD)
PACKED = msgpack.encode(VALUE)


def remade(t, value):
    return Odd([value])


ACTIONS = {
    "structs": lambda: [json.decode(GOOD, type=list[Held]), msgpack.decode(PACKED, type=list[Held])],
    "convert": lambda: convert(VALUE, list[Held]),
    "dataclasses": lambda: [json.decode(GOOD, type=list[HeldData]), convert(VALUE, list[HeldData])],
    "wrong": lambda: [
        swallow(json.decode, GOOD, type=t) for t in (list[int], list[Tagged], dict, list[dict[str, int]])
    ],
    "wrong deep": lambda: swallow(
        json.decode, GOOD.replace(b'"x"', b'"x"').replace(b":3", b":[]"), type=list[Held]
    ),
    "wrong converted": lambda: swallow(convert, [*VALUE, {"a": None}], list[Held]),
    "malformed": lambda: [swallow(json.decode, GOOD[:n], type=list[Held]) for n in range(0, len(GOOD), 5)],
    "truncated": lambda: [
        swallow(msgpack.decode, PACKED[:n], type=list[HeldData]) for n in range(len(PACKED))
    ],
    "post init": lambda: [
        swallow(json.decode, b'[{"a":1}]', type=list[Grim]),
        swallow(convert, {"a": 1}, Grim),
    ],
    "hook": lambda: json.decode(GOOD, type=list[Odd], dec_hook=remade),
    "hook fails": lambda: swallow(
        json.decode, b'[{"a":[1,"x"]}]', type=list[Odd], dec_hook=lambda t, v: 1 / len(v) - 1
    ),
    "hook is wrong": lambda: swallow(
        json.decode, b'[{"a":[1,"x"]}]', type=list[Odd], dec_hook=lambda t, v: v
    ),
    "missing": lambda: swallow(json.decode, b'[{"a":1},{}]', type=list[Held]),
    "enum": lambda: [
        json.decode(b'["red"]', type=list[Color]),
        swallow(json.decode, b'["x"]', type=list[Color]),
    ],
    "keys": lambda: msgpack.decode(msgpack.encode({(1, 2): 3}), type=dict[tuple[int, int], int]),
    "bad keys": lambda: swallow(convert, {(1, "x"): 3}, dict[tuple[int, int], int]),
    "unhashable": lambda: swallow(json.decode, b"[[1]]", type=set[list[int]]),
    "scalars": lambda: [
        json.decode(b'["P1D"]', type=list[dt.timedelta]),
        json.decode(b'["2020-01-01T00:00:00Z"]', type=list[dt.datetime]),
        json.decode(b'["1.5"]', type=list[Decimal]),
        json.decode(b"[1.5,2]", type=list[Decimal | float]),
        swallow(json.decode, b'["x"]', type=list[UUID]),
        swallow(json.decode, b"1e400", type=float | Decimal),
        json.decode(b'["5",1.0]', type=list[int], strict=False),
    ],
    "attributes": lambda: convert(HeldData(5), Held, from_attributes=True),
    "tags": lambda: [
        json.decode(b'{"value":1,"type":"o"}', type=Tagged | Other),
        swallow(json.decode, b'{"value":"x","type":"o"}', type=Tagged | Other),
        swallow(json.decode, b'{"value":1,"type":[1]}', type=Tagged | Other),
    ],
    "unknown type": lambda: swallow(json.Decoder, list | set),
    "decoder": lambda: json.Decoder(list[Held], dec_hook=remade).decode(GOOD),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_no_reference_is_lost_or_left(name):
    watched = [
        Odd,
        Held,
        HeldData,
        Grim,
        remade,
        Held(1).c,
        HeldData.c,
        VALUE,
        *VALUE,
        Color.RED,
        "a",
        "type",
    ]
    check_nothing_is_left(ACTIONS[name], watched)


def test_resident_size_does_not_grow():
    big = b'[{"a":1,"b":["' + b"y" * 200_000 + b'",1]},{"a":"x"}]'

    def all_of_it():
        for action in ACTIONS.values():
            action()
        swallow(json.decode, big, type=list[Held])

    check_resident_size(all_of_it)


class Ring(Struct, weakref=True):
    a: Any = None
    ring: "Ring | None" = None

    def __post_init__(self):
        if self.a == "self":
            self.ring = self


class RingRow(Struct, weakref=True, array_like=True):
    a: int = 0
    ring: Any = None


@pytest.mark.parametrize("format", [json, msgpack, None], ids=["json", "msgpack", "convert"])
def test_cycles_are_collected(format):
    def make(value, t, **options):
        return (
            convert(value, t, **options)
            if format is None
            else format.decode(format.encode(value), type=t, **options)
        )

    def hook(t, value):
        return made_before[0]

    made_before = [Odd()]
    ways = {
        "post init": lambda: make({"a": "self"}, Ring),
        "set": lambda: _close(make({"a": 1}, Ring), "ring"),
        "set in a row": lambda: _close(make([1], RingRow), "ring"),
        "list": lambda: _append(make({"a": []}, Ring)),
        "nested": lambda: _close(make([{"ring": {"ring": {}}}], list[Ring])[0], "a"),
    }
    for name, way in ways.items():
        one = weakref.ref(way())
        gc.collect()
        assert one() is None, name

    class Hooked(Struct, weakref=True):
        odd: Odd

    made_before[0].value = holder = make({"odd": 1}, Hooked, dec_hook=hook)
    one = weakref.ref(holder)
    del holder
    made_before[0] = None
    gc.collect()
    assert one() is None


def _close(one, name):
    setattr(one, name, one)
    return one


def _append(one):
    one.a.append(one)
    return one


def _evict():
    """Programs are kept from call to call; these take the places of others."""
    for n in range(300):
        json.Decoder(typing.Annotated[int, __import__("oxwire").Meta(ge=n)])


def test_a_decoder_in_its_own_class_is_collected():
    for base in (Struct, object):

        class Holds(base):
            a: int = 1

        if base is object:
            Holds = dataclasses.dataclass(Holds)
        Holds.decoder = json.Decoder(list[Holds], dec_hook=lambda t, v, Holds=Holds: Holds)
        Holds.packed = msgpack.Decoder(Holds)
        assert type(Holds.decoder.decode(b"[{}]")[0]) is Holds
        one = weakref.ref(Holds)
        del Holds
        _evict()
        gc.collect()
        assert one() is None


def test_decoders_with_hooks_are_collected():
    class Hook:
        def __call__(self, t, value):
            return value

    hook = Hook()
    hook.decoder = json.Decoder(Odd, dec_hook=hook)
    one = weakref.ref(hook)
    del hook
    gc.collect()
    assert one() is None


# A process of its own

PROGRAM = """
import dataclasses, datetime, decimal, enum, gc, uuid
from typing import *
from oxwire import *
from oxwire import convert, json, msgpack, to_builtins
T = TypeVar("T")
class Leaf(Struct):
    a: int
    b: str = "x"
    c: list = []
class Tree(Struct, Generic[T], tag=True):
    v: T
    kids: "list[Tree[T]]" = []
    leaf: Optional[Leaf] = None
class Row(Struct, tag=True, array_like=True):
    v: int = 0
class Stump(Struct, tag=True):
    v: Any = None
    def __post_init__(self):
        if self.v == "bad":
            raise ValueError("bad")
@dataclasses.dataclass
class Data:
    a: int = 1
    b: "list[Data]" = dataclasses.field(default_factory=list)
class Color(enum.Enum):
    RED = "red"
class Keys(TypedDict):
    when: datetime.datetime
    key: NotRequired[uuid.UUID]
class Pair(NamedTuple):
    x: int
    y: Color = Color.RED
class Odd:
    pass
def hook(t, value):
    if value == "bad":
        raise KeyError
    return Odd()
for _ in range(40):
    tree = Tree([1], [Tree(["x"]), Tree([], leaf=Leaf(1))])
    for format in (json, msgpack):
        data = format.encode([tree] * 3)
        decoder = format.Decoder(list[Tree[list[int | str]] | Stump])
        assert decoder.decode(data) == [tree] * 3
        for cut in range(0, len(data), 7):
            for changed in (data[:cut], data[:cut] + b"\\xff" + data[cut + 1:], data[:cut] + b"[" + data[cut:]):
                try:
                    decoder.decode(changed)
                except DecodeError:
                    pass
        for t, value in ((Data, {"b": [{"a": 5}]}), (Keys, {"when": "2020-01-01T00:00:00Z"}), (Pair, [1, "red"]),
                         (dict[str, Leaf], {"a": {"a": 1}}), (set[int], [1, 2]), (Odd, [1, {"a": 2}]),
                         (decimal.Decimal, "1.5"), (Row, ["Row", 5]), (tuple[int, str], [1, "x"])):
            format.decode(format.encode(value), type=t, dec_hook=hook)
            convert(value, t, dec_hook=hook)
            try:
                format.decode(format.encode([value, "bad"]), type=list[t], dec_hook=hook)
            except (DecodeError, KeyError):
                pass
        try:
            format.decode(format.encode({"type": "Stump", "v": "bad"}), type=Stump | Tree)
        except ValidationError as error:
            assert type(error.__cause__) is ValueError
    assert convert(to_builtins(tree), Tree[list]) == tree
gc.collect()
"""


@INTERPRETERS
def test_in_other_interpreters(flags, env):
    assert run_python(PROGRAM + "print('well')\n", *flags, env=env).strip() == "well"


@OWN_LOCKS
def test_isolated_interpreters():
    # Some versions crash unless the main interpreter was the first to import `datetime` and `decimal`.
    main = "from oxwire import json\nimport decimal\njson.decode(b'[1]', type=list[decimal.Decimal])"
    run_in_interpreters(
        main,
        PROGRAM.replace("range(40)", "range(3)"),
    )
