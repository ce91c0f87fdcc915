"""oxwire.native: exact types, identity, cycles, the standard library, registered classes."""

import collections
import copy
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import ipaddress
import math
import pathlib
import struct
import types
import uuid
import zoneinfo

import pytest

import oxwire
from oxwire import DecodeError, EncodeError
from oxwire.native import Decoder, Encoder, decode, dumps, encode, loads, register

ZONE = zoneinfo.ZoneInfo("UTC")
VALUES = [
    None, True, False, ..., NotImplemented, 0, -1, 31, 32, -8, -9, 255, 256, 2**31, 2**63 - 1, 2**63, 2**64 - 1, 2**64,
    -(2**63), -(2**63) - 1, 10**400, -(10**400), 0.0, -0.0, 1.5, math.inf, 1 + 2j, complex("nan-infj"), "", "a", "é", "€uro", "\U0001f600",
    "\ud800", "a\udcffb\U0001f600", "x" * 31, "x" * 32, "é" * 500, b"", b"ab", b"x" * 300, bytearray(), bytearray(b"ab"),
    (), (1,), (1, 2, 3), (1, 2, 3, 4), tuple(range(100)), [], [1], [[]], list(range(300)), [1.5] * 10, [1, 2.0, "3"], [True] * 10,
    {}, {"a": 1}, {1: 2}, {"a": 1, 2: 3}, {(1, "a"): [1]}, {None: None}, {str(i): i for i in range(100)}, {i: i for i in range(200)},
    set(), {1, "a"}, frozenset(), frozenset({1, (2, 3)}), {frozenset({1}), frozenset({2})}, range(5), range(5, -5, -2), slice(1, 2), slice(None),
    dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.time(), dt.time(23, 59, 59, 999999, fold=1), dt.time(1, tzinfo=dt.UTC),
    dt.datetime(1, 1, 1), dt.datetime(2026, 10, 25, 2, 30, fold=1), dt.datetime(2026, 1, 1, tzinfo=dt.UTC), dt.datetime(2026, 10, 25, 2, 30, tzinfo=ZONE, fold=1),
    dt.datetime(2026, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=-5), "EST")), dt.timedelta(), dt.timedelta(-1, 1, 1), dt.timedelta.min, dt.timedelta.max,
    dt.UTC, dt.timezone(dt.timedelta(seconds=1)), dt.timezone(dt.timedelta(0), "X"), ZONE,
    decimal.Decimal("1.10"), decimal.Decimal("-0"), decimal.Decimal("Infinity"), decimal.Decimal("1E+999999"), fractions.Fraction(-1, 3), fractions.Fraction(10**50, 7),
    uuid.UUID(int=5), uuid.uuid1(), pathlib.PurePosixPath("/a/b"), pathlib.PureWindowsPath("C:\\a"), pathlib.Path("a"),
    *map(ipaddress.ip_address, ("1.2.3.4", "fe80::1%eth0")), *map(ipaddress.ip_network, ("1.2.3.0/24", "fe80::/10")), *map(ipaddress.ip_interface, ("1.2.3.4/24", "fe80::1/10")),
    collections.deque(), collections.deque([1, 2]), collections.deque([1, 2], 2), collections.deque([], 0), collections.OrderedDict(b=1, a=2), collections.OrderedDict(),
    collections.defaultdict(list, a=[1]), collections.defaultdict(None, {1: 2}), collections.defaultdict(int), collections.Counter("aab"), collections.ChainMap({1: 2}, {3: 4}),
    types.SimpleNamespace(), types.SimpleNamespace(a=1, b=[2]), types.MappingProxyType({1: 2}), list, type(None),
]  # fmt: skip


def same(a, b):
    """Whether two values are of the same type and equal there, bit for bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return struct.pack("<d", a) == struct.pack("<d", b)
    if isinstance(a, complex):
        return same(a.real, b.real) and same(a.imag, b.imag)
    if isinstance(a, (list, tuple, collections.deque)):
        return (
            len(a) == len(b)
            and all(map(same, a, b))
            and getattr(a, "maxlen", None) == getattr(b, "maxlen", None)
        )
    if isinstance(a, (dict, types.MappingProxyType)):
        return len(a) == len(b) and all(
            same(k, j) and same(v, w) for (k, v), (j, w) in zip(a.items(), b.items(), strict=True)
        )
    if isinstance(a, (dt.datetime, dt.time)):
        return (
            a.replace(tzinfo=None) == b.replace(tzinfo=None) and a.fold == b.fold and same(a.tzinfo, b.tzinfo)
        )
    return repr(a) == repr(b) and (a == b or a != a)


@pytest.mark.parametrize("value", VALUES, ids=lambda v: repr(v)[:40])
def test_values_come_back(value):
    again = decode(encode(value))
    assert same(again, value)
    assert encode(again) == encode(value)
    for inside in ([value], (value, value), {"a": value}, {1: value}, collections.deque([value])):
        assert same(decode(encode(inside)), inside)
    assert same(decode(encode([value] * 3, memoize=False)), [value] * 3)


def test_nan_keeps_its_bits():
    for bits in (0x7FF8000000000000, 0xFFF8000000000001, 0x7FF00000DEADBEEF):
        v = struct.unpack("<d", struct.pack("<Q", bits))[0]
        for value in ([v], [v] * 8, (v,) * 8, {"a": v}):
            data = encode(value)
            assert struct.pack("<Q", bits) in data
            assert encode(decode(data)) == data


def test_decimals_that_are_no_numbers():
    for text in ("NaN", "sNaN", "-sNaN123", "NaN456"):
        again = decode(encode(decimal.Decimal(text)))
        assert type(again) is decimal.Decimal
        assert str(again) == text


def test_other_names():
    assert dumps is encode
    assert loads is decode


def test_bytes_like_input():
    data = encode([1, "a"])
    for form in (bytearray(data), memoryview(data), memoryview(data + b"x")[: len(data)]):
        assert decode(form) == [1, "a"]
    for wrong in ("text", 5, None):
        with pytest.raises(TypeError):
            decode(wrong)


def test_memoryviews_and_arrays():
    from array import array

    for view in (
        memoryview(b"abc"),
        memoryview(bytearray(b"abc")),
        memoryview(array("h", [1, 2, 3])),
        memoryview(b"abcdef").cast("B", (2, 3)),
    ):
        again = decode(encode(view))
        assert (again == view, again.format, again.shape, again.readonly) == (
            True,
            view.format,
            view.shape,
            view.readonly,
        )
    for code in "bBhHiIlLqQfd":
        assert decode(encode(array(code, [1, 2]))) == array(code, [1, 2])


# Identity.


def test_what_is_one_object_stays_one():
    class_ = collections.namedtuple("Shared", "v")  # noqa: F841
    for make in (list, dict, set, lambda: (1, [2]), lambda: bytearray(b"x"), lambda: frozenset({1}), lambda: "text" * 2, lambda: b"bytes",
                 lambda: dt.datetime(2026, 1, 1), lambda: decimal.Decimal(1), lambda: collections.deque([1]), lambda: types.SimpleNamespace(a=1)):  # fmt: skip
        one, other = make(), make()
        a, b, c, d = decode(encode([one, other, one, {"k": one}]))
        assert a is c is d["k"]
        assert a is not b or isinstance(a, (str, bytes))
    a, b = decode(encode([[]] * 2, memoize=False))
    assert a is not b


def test_bytes_do_not_depend_on_reference_counts():
    def build():
        return {"a": [1, "x" * 5], "b": ("y" * 5,), "c": {"d": [2]}}

    value = build()
    held = [value["a"], value["b"], value["c"], value["c"]["d"]]
    assert encode(value) == encode(build())
    del held


def test_cycles():
    a = []
    a.append(a)
    b = {}
    b["b"] = b
    c = ([],)
    c[0].append(c)
    d = collections.deque(maxlen=5)
    d.append(d)
    e = types.SimpleNamespace()
    e.me = e
    f = collections.defaultdict(list)
    f[1].append(f)
    g = collections.OrderedDict()
    g["g"] = g
    h = {}
    h["proxy"] = types.MappingProxyType(h)
    a2, b2, c2, d2, e2, f2, g2 = decode(encode([a, b, c, d, e, f, g]))
    assert a2[0] is a2
    assert b2["b"] is b2
    assert type(c2) is tuple
    assert c2[0][0] is c2
    assert d2[0] is d2
    assert d2.maxlen == 5
    assert e2.me is e2
    assert f2[1][0] is f2
    assert f2.default_factory is list
    assert g2["g"] is g2
    assert decode(encode(h))["proxy"]["proxy"] is not None


def test_cycles_need_a_memo():
    a = []
    a.append(a)
    with pytest.raises(EncodeError, match="nest deeper"):
        encode(a, memoize=False)


# Registered classes.


@register("test.point", version=3)
@dataclasses.dataclass
class Point:
    x: int
    y: int = 5
    tags: list = dataclasses.field(default_factory=list)
    me: object = None

    def __post_init__(self):
        raise AssertionError("nobody asked for this")


def point(**fields):
    made = object.__new__(Point)
    for name, value in {"x": 1, "y": 5, "tags": [], "me": None, **fields}.items():
        setattr(made, name, value)
    return made


@register("test.frozen")
@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    a: object
    b: object = None


@register("test.struct")
class Record(oxwire.Struct):
    a: int
    b: object = None
    c: list = []


@register("test.frozen-struct")
class FrozenRecord(oxwire.Struct, frozen=True):
    a: object


@register("test.named")
class Named(collections.namedtuple("Named", ("a", "b"), defaults=(7,))):
    __slots__ = ()


@register("test.color")
class Color(enum.Enum):
    RED = 1
    BLUE = "b"
    CRIMSON = 1


@register("test.perm")
class Perm(enum.Flag):
    R = 4
    W = 2


@register("test.intperm")
class IntPerm(enum.IntFlag):
    R = 4
    W = 2


@register("test.list")
class MyList(list):
    pass


@register("test.dict")
class MyDict(dict):
    def __setitem__(self, key, value):
        raise AssertionError("nobody asked for this")


@register("test.int")
class MyInt(int):
    pass


@register("test.str")
class MyStr(str):
    __slots__ = ()


@register("test.error")
class MyError(Exception):
    def __init__(self, a):
        super().__init__(a, 5)
        self.code = a


@register("test.plain")
class Plain:
    __slots__ = ("__dict__", "_Plain__secret", "slot")

    def __init__(self):
        raise AssertionError("nobody asked for this")


def test_records():
    value = [
        point(x=1, tags=["a"]),
        point(x=2),
        Frozen(1, [2]),
        Record(1, "b", [3]),
        FrozenRecord((1,)),
        Named(1, 2),
    ]
    again = decode(encode(value))
    assert [type(v) for v in again] == [type(v) for v in value]
    assert again == value
    assert again[1].tags is not again[0].tags


def test_records_in_cycles():
    p = point(x=1)
    p.me = [p, Frozen(p), Record(1, p), FrozenRecord([p])]
    again = decode(encode(p))
    assert again.me[0] is again
    assert again.me[1].a is again
    assert again.me[2].b is again
    assert again.me[3].a[0] is again


def test_keys_whose_hash_needs_what_they_hold():
    f = Frozen([], None)
    object.__setattr__(f, "a", "key")
    d = {f: 1, "x": 2, Frozen(1): 3}
    holder = {"d": d, "f": f}
    again = decode(encode(holder))
    assert list(again["d"].values()) == [1, 2, 3]
    assert again["d"][again["f"]] == 1
    assert next(iter(again["d"])) is again["f"]
    # The dict is inside of its own key.
    key = Frozen("k", None)
    inside = {key: 1}
    object.__setattr__(key, "b", FrozenRecord(5))
    assert decode(encode(inside))[key] == 1
    s = decode(encode({frozenset({Frozen(1), Frozen(2)}), (Frozen(3), "a")}))
    assert frozenset({Frozen(1), Frozen(2)}) in s
    assert (Frozen(3), "a") in s


def test_a_set_in_its_member():
    @dataclasses.dataclass(eq=False)
    class Node:
        owner: object

    registry = {"node": Node}
    n = Node(None)
    for kind in (set, frozenset):
        n.owner = kind([n])
        [again] = decode(encode(n.owner, registry=registry), registry=registry)
        assert type(again.owner) is kind
        assert again in again.owner


def test_members():
    value = [
        Color.RED,
        Color.BLUE,
        Color.CRIMSON,
        Perm.R,
        Perm.R | Perm.W,
        Perm(0),
        IntPerm.R | IntPerm.W,
        IntPerm(0),
    ]
    again = decode(encode(value))
    assert all(a is b for a, b in zip(again[:4], value[:4], strict=True))
    assert again == value
    assert [type(v) for v in again] == [type(v) for v in value]


def test_subclasses_of_builtins():
    m = MyList([1, 2])
    m.name = "n"
    m.append(m)
    d = MyDict({"a": 1})
    i = MyInt(5)
    i.unit = "m"
    e = MyError("why")
    e.__cause__ = None
    e.note = [e]
    m2, d2, i2, s2, e2 = decode(encode([m, d, i, MyStr("x"), e]))
    assert (type(m2), m2[:2], m2[2] is m2, m2.name) == (MyList, [1, 2], True, "n")
    assert (type(d2), dict(d2)) == (MyDict, {"a": 1})
    assert (type(i2), i2 + 0, i2.unit) == (MyInt, 5, "m")
    assert (type(s2), s2) == (MyStr, "x")
    assert (type(e2), e2.args, e2.code, e2.note[0] is e2) == (MyError, ("why", 5), "why", True)


def test_plain_objects():
    p = object.__new__(Plain)
    p.slot, p.free, p._Plain__secret = 1, [2], 3
    again = decode(encode(p))
    assert (again.slot, again.free, again._Plain__secret) == (1, [2], 3)


def test_what_nobody_registered_is_refused():
    class Unknown:
        pass

    @dataclasses.dataclass
    class Other:
        x: int

    class Text(str):
        pass

    for value in (
        Unknown(),
        Other(1),
        Text("a"),
        Unknown,
        lambda: 1,
        collections.namedtuple("N", "a")(1),
        copy,
        [1].__iter__(),
    ):
        with pytest.raises(EncodeError):
            encode([value])


def test_registries():
    @dataclasses.dataclass
    class A:
        x: int

    @dataclasses.dataclass
    class B:
        x: int

    data = encode([A(1), B(2)], registry=[A, B])
    assert decode(data, registry=[A, B]) == [A(1), B(2)]
    assert decode(data, registry={0: B, 1: A}) == [B(1), A(2)]
    assert decode(encode(A(1), registry={"a": A}), registry={"a": B}) == B(1)
    with pytest.raises(EncodeError):
        encode(point(), registry=[A])
    with pytest.raises(DecodeError, match="no class registered"):
        decode(data, registry=[A])
    with pytest.raises(DecodeError):
        decode(data)
    with pytest.raises(ValueError, match="twice"):
        Encoder(registry={"a": A, "b": A})
    with pytest.raises(ValueError, match="another class"):
        register("test.point")(A)
    for wrong in ([5], {-1: A}, {None: A}, {2**31: A}):
        with pytest.raises(TypeError):
            Decoder(registry=wrong)


def test_fields_go_by_name():
    @dataclasses.dataclass
    class Old:
        a: int
        b: int

    @dataclasses.dataclass
    class New:
        b: int
        c: list = dataclasses.field(default_factory=lambda: [1])
        a: int = 9

    class NewStruct(oxwire.Struct):
        b: int
        c: list = []
        a: int = 9

    data = encode(Old(1, 2), registry={"t": Old})
    assert decode(data, registry={"t": New}) == New(b=2, c=[1], a=1)
    assert decode(data, registry={"t": NewStruct}) == NewStruct(b=2, a=1, c=[])
    back = encode(New(1), registry={"t": New})
    with pytest.raises(DecodeError, match="no field 'c'"):
        decode(back, registry={"t": Old})

    @dataclasses.dataclass
    class More(Old):
        d: int

    with pytest.raises(DecodeError, match="lacks the field 'd'"):
        decode(data, registry={"t": More})


def test_fields_that_are_code_are_refused():
    class Trap:
        __struct_fields__ = None

        @property
        def x(self):
            return 1

        @x.setter
        def x(self, value):
            raise AssertionError("nobody asked for this")

    del Trap.__struct_fields__
    data = encode(point(x=1), registry={"t": Point})
    with pytest.raises(TypeError):
        decode(data, registry={"t": Trap})


def test_kinds_are_checked():
    for a, b in (
        (point(), Color),
        (point(), MyList),
        (Color.RED, Point),
        (MyList(), Point),
        (MyList(), Color),
        (MyList([1]), MyDict),
        (Named(1), Color),
    ):
        data = encode(a, registry={"t": type(a)})
        with pytest.raises(DecodeError):
            decode(data, registry={"t": b})


def test_codecs_are_reusable():
    encoder, decoder = Encoder(), Decoder()
    value = {"a": [1, {"b": 2}, {"b": 3}], "c": "text" * 3}
    for _ in range(3):
        assert decoder.decode(encoder.encode(value)) == value
        with pytest.raises(EncodeError):
            encoder.encode([value, object()])
        with pytest.raises(DecodeError):
            decoder.decode(encoder.encode(value)[:-1])


def test_classes_that_are_registered_late():
    @dataclasses.dataclass
    class Late:
        x: int

    class LateStruct(oxwire.Struct):
        x: int

    for cls in (Late, LateStruct):
        with pytest.raises(EncodeError, match="not registered"):
            encode(cls(1))
        register(f"test.{cls.__name__}")(cls)
        assert decode(encode([cls(1), cls(2)])) == [cls(1), cls(2)]


def test_fields_that_are_not_set():
    for value, name in ((point(), "x"), (Record(1), "b")):
        delattr(value, name)
        with pytest.raises((EncodeError, AttributeError)):
            encode(value)
