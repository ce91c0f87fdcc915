"""What is written natively beyond the scalars of the vectors: containers, records, text of odd types; the hook; keys.

What a type becomes is said by the built-in value that is written alike.
"""

import array
import collections
import dataclasses
import enum
import fractions
import ipaddress
import mmap
import pathlib
import types
import uuid
import warnings
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any, NamedTuple, TypedDict

import pytest
from samples import STRANGE, Strange

from oxwire import EncodeError, Raw
from oxwire.msgpack import Ext, Timestamp, decode, encode

UTC = timezone.utc
ID = uuid.UUID("12345678-9abc-def0-1234-56789abcdef0")


class Point(NamedTuple):
    x: int
    y: Any = None


class Movie(TypedDict, total=False):
    name: str


class Str(str):
    def __str__(self):
        return "wrong"


class Int(int):
    def __int__(self):
        return 13

    __index__ = __int__


class Float(float):
    def __float__(self):
        return 13.0


class Bytes(bytes):
    def __bytes__(self):
        return b"wrong"


class List(list):
    pass


class Dict(dict):
    pass


class Tuple(tuple):
    __slots__ = ()


class Colour(enum.Enum):
    RED = "r"
    TWO = 2
    NONE = None
    PAIR = (1, [2])
    DATA = b"\0"
    ID = ID


class Size(enum.IntEnum):
    BIG = 2**64 - 1


class Word(enum.StrEnum):
    A = "é"


class Bits(enum.Flag):
    R = 1
    W = 2


@dataclasses.dataclass
class Open:
    b: int
    a: Any = None
    _private: int = 5
    shared: dataclasses.InitVar[int] = 6


@dataclasses.dataclass(slots=True, frozen=True)
class Slotted:
    b: int
    a: Any = None


class Odd:
    """Goes to the hook."""


def generator(*items):
    yield from items


ALIKE = [
    # Arrays.
    ((1, "x", None), [1, "x", None]),
    (Point(1, Point(2)), [1, [2, None]]),
    (collections.deque([1, 2], maxlen=5), [1, 2]),
    (List([List()]), [[]]),
    (Tuple((1,)), [1]),
    ({7}, [7]),
    (frozenset([frozenset()]), [[]]),
    (range(254, 258), [254, 255, 256, 257]),
    ({"a": 1, b"b": 2}.keys(), ["a", b"b"]),
    ({"a": 1}.values(), [1]),
    ({"a": 1, "b": [2]}.items(), [["a", 1], ["b", [2]]]),
    (array.array("b", [-128, 127]), [-128, 127]),
    (array.array("B", [0, 255]), [0, 255]),
    (array.array("Q", [2**64 - 1]), [2**64 - 1]),
    (array.array("q", [-(2**63)]), [-(2**63)]),
    (array.array("d", [0.1, float("inf")]), [0.1, float("inf")]),
    (array.array("i"), []),
    # Maps.
    (collections.OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
    (collections.defaultdict(list, {"b": [], 1: 2}), {"b": [], 1: 2}),
    (collections.Counter("aab"), {"a": 2, "b": 1}),
    (types.MappingProxyType({b"k": 1}), {b"k": 1}),
    (collections.UserDict({(1, 2): 3}), {(1, 2): 3}),
    (collections.ChainMap({"a": 1}), {"a": 1}),
    (Dict(a=Dict()), {"a": {}}),
    (Movie(name="x"), {"name": "x"}),
    (Open(1, Open(2)), {"b": 1, "a": {"b": 2, "a": None, "_private": 5}, "_private": 5}),
    (Slotted(1, [Slotted(2)]), {"b": 1, "a": [{"b": 2, "a": None}]}),
    # Scalars.
    (Str("é"), "é"),
    (Int(2**63), 2**63),
    (Int(-1), -1),
    (Float(0.1), 0.1),
    (Bytes(b"x"), b"x"),
    (bytearray(b"x" * 300), b"x" * 300),
    (memoryview(b"abc"), b"abc"),
    (memoryview(b"#abc#")[1:-1], b"abc"),
    (memoryview(array.array("H", [1, 2])), array.array("H", [1, 2]).tobytes()),
    (memoryview(b"abcdef").cast("B", (2, 3)), b"abcdef"),
    (memoryview(b"a-b-c-")[::2], b"abc"),
    (ID, str(ID)),
    (Decimal("-1.50"), "-1.50"),
    (fractions.Fraction(-10, 4), "-5/2"),
    (pathlib.PurePosixPath("a/é"), "a/é"),
    (ipaddress.ip_address("::1"), "::1"),
    (ipaddress.ip_network("10.0.0.0/8"), "10.0.0.0/8"),
    (date(2000, 1, 2), "2000-01-02"),
    (time(1, 2, 3, 4), "01:02:03.000004"),
    (timedelta(days=1, seconds=5), "P1DT5S"),
    (datetime(2000, 1, 2, 3, 4, 5), "2000-01-02T03:04:05"),
    *((member, member.value) for kind in (Colour, Size, Word, Bits) for member in kind),
    (Bits.R | Bits.W, 3),
    # What is written as it stands.
    (Raw(b"\x93\x01\x02\x03"), [1, 2, 3]),
    (decode(b"\x81\xa1a\xc0", raw=True), {"a": None}),
    # Ext has no subclass of bytes in it, whatever it was given.
    (Ext(5, Bytes(b"x")), Ext(5, b"x")),
]


@pytest.mark.parametrize(("value", "plain"), ALIKE, ids=lambda v: repr(v)[:40])
def test_written_alike(value, plain):
    message = encode(plain)
    assert encode(value) == message
    assert encode([value, {"k": value}]) == b"\x92" + message + b"\x81\xa1k" + message
    assert encode([value], canonical=True) == encode([plain], canonical=True)
    assert encode(Odd(), enc_hook=lambda _: value) == message


@pytest.mark.parametrize("make", [generator, lambda *items: iter(items), lambda *items: map(int, items)])
def test_lazy_sequences(make):
    # How many they are is known at their end only, and stands before the first.
    for n in (0, 1, 15, 16, 17, 65_535, 65_536):
        assert encode(make(*range(n))) == encode(list(range(n)))
    assert encode([make(1, 2), {"a": make()}, make(3)]) == encode([[1, 2], {"a": []}, [3]])


def test_a_lazy_sequence_is_used_up():
    once = generator(1)
    assert encode([once, once]) == encode([[1], []])
    nested = generator(generator(1, generator()), "x")
    assert encode(nested) == encode([[1, []], "x"])


def test_array_of_short_floats_and_text():
    # Four bytes hold what these are exactly.
    assert encode(array.array("f", [0.5, 1e30])) == b"\x92\xca\x3f\x00\x00\x00\xca\x71\x49\xf2\xca"
    with warnings.catch_warnings():
        # Its letters have another name from 3.13 on.
        warnings.simplefilter("ignore", DeprecationWarning)
        assert encode(array.array("u", "aé")) == encode(["a", "é"])


@pytest.mark.parametrize("length", [0, 31, 32, 255, 256, 65_535, 65_536])
def test_lengths_of_odd_types(length):
    data = bytes(length)
    for value in (bytearray(data), memoryview(data), Bytes(data)):
        assert encode(value) == encode(data)
    if length:
        mapped = mmap.mmap(-1, length)
        assert encode(memoryview(mapped)) == encode(data)
        mapped.close()
    assert encode(Str("x" * length)) == encode("x" * length)
    assert encode(collections.deque(range(length))) == encode(list(range(length)))
    mapping = dict.fromkeys(range(length))
    assert encode(collections.OrderedDict(mapping)) == encode(mapping)
    assert decode(encode({*range(length)}, canonical=True)) is not None


def test_records_of_other_libraries():
    attrs = pytest.importorskip("attrs")

    @attrs.define
    class Slots:
        b: int
        a: Any = None

    @attrs.define(slots=False)
    class Plain:
        b: int
        a: Any = None

    for kind in (Slots, Plain):
        assert encode([kind(1, kind(2))]) == encode([{"b": 1, "a": {"b": 2, "a": None}}])
        with pytest.raises(EncodeError):
            encode(kind(1), passthrough=["attrs"])
        assert encode(kind(1), passthrough=["attrs"], enc_hook=lambda v: v.b) == b"\x01"


def test_pydantic_models():
    pydantic = pytest.importorskip("pydantic")

    class Model(pydantic.BaseModel):
        id: uuid.UUID
        data: bytes
        inner: Any = None

    inner = Model(id=ID, data=b"\xff", inner={(1, 2): 3})
    plain = {"id": str(ID), "data": b"\xff", "inner": {(1, 2): 3}}
    assert encode(inner) == encode(plain)
    assert encode(Model(id=ID, data=b"", inner=inner)) == encode({"id": str(ID), "data": b"", "inner": plain})
    with pytest.raises(EncodeError):
        encode(inner, passthrough={"pydantic"})


def test_namedtuple_and_dataclass_generations():
    # More fields than a short header counts.
    wide = dataclasses.make_dataclass("Wide", [(f"f{n}", int) for n in range(20)])
    assert encode(wide(*range(20))) == encode({f"f{n}": n for n in range(20)})
    long = collections.namedtuple("Long", [f"f{n}" for n in range(20)])
    assert encode(long(*range(20))) == encode(list(range(20)))


@pytest.mark.parametrize(
    "value", [STRANGE, object(), Odd(), Odd, len, ..., types.SimpleNamespace(), Exception("x")], ids=repr
)
def test_unsupported(value):
    for document, path in (
        (value, "$"),
        ([0, value], "$[1]"),
        ({"a": {"b": value}}, "$.a.b"),
        ({5: [value]}, "$[5][0]"),
        ({(1, "x"): value}, "$[(1, 'x')]"),
        ({b"k": value}, "$[b'k']"),
        ({None: (value,)}, "$[None][0]"),
        (Open(1, value), "$.a"),
    ):
        with pytest.raises(EncodeError) as caught:
            encode(document)
        assert caught.value.path == path
        assert type(value).__name__ in caught.value.msg
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None


# The hook.


def test_enc_hook():
    seen = []

    def hook(value):
        seen.append(value)
        return {"re": value.real, (1, 2): [b"x", {3}]}

    written = {"re": 0.0, (1, 2): [b"x", [3]]}
    assert encode([STRANGE, "x", {"k": Strange(0.0, 2.0)}], enc_hook=hook) == encode(
        [written, "x", {"k": written}]
    )
    assert seen == [STRANGE, Strange(0.0, 2.0)]
    assert encode([1, None, b"x", {}], enc_hook=hook) == encode([1, None, b"x", {}])
    assert len(seen) == 2
    assert encode(5, enc_hook=None) == b"\x05"


@pytest.mark.parametrize(
    "result",
    [
        None,
        True,
        5,
        -(2**63),
        0.5,
        "é",
        b"\xff",
        [],
        {},
        (1,),
        Ext(1, b"x"),
        Timestamp(5, 6),
        Colour.PAIR,
        ID,
    ],
    ids=repr,
)
def test_what_the_hook_returns(result):
    assert encode({"a": [STRANGE]}, enc_hook=lambda value: result) == encode({"a": [result]})


def test_hooks_in_chains():
    class Onion:
        def __init__(self, layers):
            self.layers = layers

    assert encode([Onion(5)], enc_hook=lambda v: Onion(v.layers - 1) if v.layers else "core") == encode(
        ["core"]
    )
    assert encode(Onion(3), enc_hook=lambda v: [Onion(v.layers - 1)] if v.layers else 0) == encode([[[0]]])
    for forever in (lambda v: v, lambda v: object(), lambda v: [v], lambda v: {1: v}, lambda v: (v, v)):
        with pytest.raises(EncodeError):
            encode(Odd(), enc_hook=forever)


@pytest.mark.parametrize(
    "kind", [ValueError, TypeError, LookupError, RecursionError, MemoryError, KeyboardInterrupt, SystemExit]
)
def test_exceptions_of_the_hook_come_out_unchanged(kind):
    error = kind("mine")

    def hook(value):
        raise error

    for options in ({}, {"canonical": True}, {"sort": True}):
        lazy = [generator(STRANGE)]
        for document in (
            STRANGE,
            [STRANGE],
            {"a": [{1: STRANGE}]},
            (STRANGE,),
            {STRANGE},
            collections.deque([STRANGE]),
            lazy,
            Open(STRANGE),
        ):
            with pytest.raises(kind) as caught:
                encode(document, enc_hook=hook, **options)
            assert caught.value is error
            assert caught.value.__cause__ is None
            assert caught.value.__context__ is None


def test_errors_within_what_the_hook_returns():
    with pytest.raises(EncodeError) as caught:
        encode({"a": [STRANGE]}, enc_hook=lambda value: {"b": [0, "\ud800"]})
    assert caught.value.path == "$.a[0].b[1]"
    with pytest.raises(EncodeError) as caught:
        encode({"a": STRANGE}, enc_hook=lambda value: encode(object()))
    assert caught.value.path == "$"


# Keys.


@pytest.mark.parametrize(
    ("key", "plain"),
    [
        (Str("é"), "é"),
        (Int(7), 7),
        (Float(0.5), 0.5),
        (Bytes(b"x"), b"x"),
        (memoryview(b"x"), b"x"),
        (Point(1, "x"), (1, "x")),
        (Tuple(), ()),
        (frozenset([5]), (5,)),
        ((1, (2, frozenset([b"x"]))), (1, (2, (b"x",)))),
        (ID, str(ID)),
        (Decimal("1.5"), "1.5"),
        (date(2000, 1, 2), "2000-01-02"),
        (datetime(2000, 1, 2), "2000-01-02T00:00:00"),
        (timedelta(1), "P1D"),
        (Colour.RED, "r"),
        (Colour.TWO, 2),
        (Colour.NONE, None),
        (Colour.DATA, b"\0"),
        (Size.BIG, 2**64 - 1),
        (Word.A, "é"),
        ((Size.BIG, ID), (2**64 - 1, str(ID))),
    ],
    ids=lambda v: repr(v)[:30],
)
def test_keys_of_odd_types(key, plain):
    for value in (None, [1], {"x": 2}):
        assert encode({key: value}) == encode({plain: value})
    assert encode({"a": {key: 1, "zz": 2}}) == encode({"a": {plain: 1, "zz": 2}})
    assert encode({key: 1, "zz": 2}, canonical=True) == encode({plain: 1, "zz": 2}, canonical=True)
    assert decode(encode({key: 1})) == {plain: 1}


KEYS = [
    None,
    True,
    0,
    -33,
    2**64 - 1,
    0.5,
    float("inf"),
    "",
    "é" * 40,
    b"",
    b"x" * 300,
    (),
    (1, "a", b"b", None, (2.5, ())),
    Ext(5, b"x"),
    datetime(2000, 1, 2, tzinfo=UTC),
]


def test_keys_come_back_as_they_were():
    value = {key: [n] for n, key in enumerate(KEYS)}
    for options in ({}, {"sort": True}, {"canonical": True}):
        again = decode(encode(value, **options), strict=not options.get("canonical"))
        assert again == value
        assert {*map(type, again)} == {*map(type, value)}
    nested = {key: {key: {key: key}} for key in KEYS}
    assert decode(encode({(tuple(KEYS), 1): nested})).popitem()[1].keys() == nested.keys()
    assert decode(encode({Timestamp(5, 6): 1}), timestamp="timestamp") == {Timestamp(5, 6): 1}


@pytest.mark.parametrize(
    "value",
    [
        {ID: 1, str(ID): 2},
        {(1,): 1, frozenset([1]): 2},
        {Colour.RED: 1, "r": 2},
        {Colour.TWO: 1, 2: 2},
        {Colour.NONE: 1, "x": 2, None: 3},
        {**dict.fromkeys(range(100)), Colour.TWO: 1},
        {memoryview(b"ab"): 1, "x": 2, Colour.DATA: 3, b"\0": 4},
        {date(2000, 1, 1): 1, "2000-01-01": 2},
        {Timestamp(5): 1, datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC): 2},
        {Timestamp(5): 1, Ext(-1, b"\0\0\0\5"): 2},
        {Decimal("1.0"): 1, "1.0": 2},
        {(1, (ID,)): 1, (1, (str(ID),)): 2},
        {"x": 0, **{uuid.UUID(int=n): n for n in range(300)}, str(uuid.UUID(int=250)): 0},
        # Numbers that are no number are unequal to themselves, and written alike.
        {float("nan"): 1, float("-nan") * -1: 2, float("nan") * 1: 3},
    ],
    ids=lambda v: repr(v)[:50],
)
@pytest.mark.parametrize("options", [{}, {"sort": True}, {"canonical": True}], ids=repr)
def test_keys_that_are_written_alike_are_refused(value, options):
    with pytest.raises(EncodeError, match="spelled") as caught:
        encode({"outer": [value]}, **options)
    assert caught.value.path.startswith("$.outer[0]")


@pytest.mark.parametrize(
    ("value", "options"),
    [
        ({0.1: 1, 0.10000000149011612: 2}, {"float32": True}),
        ({b"x": 1, "x": 2}, {"old_spec": True}),
        ({(b"x",): 1, ("x",): 2}, {"old_spec": True}),
        ({b"\xff": 1, "\udcff": 2}, {"old_spec": True, "str_errors": "surrogateescape"}),
        # Two surrogates that stand for the bytes of one character, and that character.
        ({"\udcc3\udca9": 1, "é": 2}, {"str_errors": "surrogateescape"}),
        (
            {datetime(2000, 1, 1, 0, 0, 0, 1): 1, datetime(2000, 1, 1, 0, 0, 0, 2): 2},
            {"omit_microseconds": True},
        ),
    ],
    ids=repr,
)
@pytest.mark.parametrize("order", [{}, {"sort": True}], ids=repr)
def test_keys_that_become_alike_by_an_option(value, options, order):
    several = {name: way for name, way in options.items() if name == "str_errors"}
    if several != options:
        assert len(decode(encode(value, **several), str_errors="surrogateescape")) == 2
    with pytest.raises(EncodeError, match="spelled"):
        encode(value, **options, **order)


@pytest.mark.parametrize(
    "key", [STRANGE, object(), Odd(), len, int, range(3), (1, STRANGE), ((Odd(),),)], ids=repr
)
def test_unsupported_keys(key):
    for value in ({key: 1}, {"a": 1, key: 2}):
        for options in ({}, {"enc_hook": lambda value: "hook"}, {"sort": True}, {"canonical": True}):
            with pytest.raises(EncodeError) as caught:
                encode({"x": [value]}, **options)
            assert caught.value.path.startswith("$.x[0]")


def test_maps_are_no_keys():
    class Hashable(dict):
        def __hash__(self):
            return 1

    @dataclasses.dataclass(frozen=True)
    class Record:
        x: int = 1

    for key in (Hashable(), (1, Hashable()), frozenset([Hashable(a=1)]), Record(), (Record(),)):
        with pytest.raises(EncodeError):
            encode({key: 1})
    # A reader would have no use for one that is hidden in what is already encoded.
    for key in (Raw(b"\x80"), (Raw(b"\x91\x80"),)):
        with pytest.raises(EncodeError):
            encode({key: 1})


def test_a_key_whose_repr_fails():
    class Bad:
        def __repr__(self):
            raise LookupError

    with pytest.raises(EncodeError) as caught:
        encode({Bad(): 1})
    assert "Bad" in str(caught.value)


def test_keys_of_equal_hash():
    value = {n * (2**61 - 1): n for n in range(-3, 8)}
    assert len({hash(key) for key in value}) == 1
    assert decode(encode(value)) == value


def test_deep_keys():
    def tower(depth):
        key = ()
        for _ in range(depth - 1):
            key = (key,)
        return key

    # Python itself compares no deeper on some versions.
    assert decode(encode({tower(400): 1})) == {tower(400): 1}
    assert encode(decode(encode({tower(999): 1}))) == encode({tower(999): 1})
    with pytest.raises(EncodeError):
        encode({tower(1000): 1})
    assert decode(encode({tower(5): 1}, max_depth=6), max_depth=6)
    with pytest.raises(EncodeError):
        encode({tower(5): 1}, max_depth=5)
