"""What quickle's users rely on: its bytes, its Struct, its errors; and what hostile bytes do.

The bytes are those that quickle 0.4.0 writes. For what quickle shares with pickle, the standard library is asked too.
"""

import contextlib
import copy
import datetime as dt
import enum
import itertools
import pickle
import random
import sys
import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from soon import ends_soon

from oxwire.compat import quickle

UTC = dt.timezone.utc


class Point(quickle.Struct):
    x: int
    y: list = []


class Wide(Point):
    z: int
    name: str = "w"


class Colour(enum.Enum):
    RED = "r"


class Level(enum.IntEnum):
    LOW = 1


REGISTRY = [Point, Level, Colour, Wide]


def fresh(text):
    """A text that nobody else holds."""
    return "".join(list(text))


def shared():
    text = fresh("abc")
    return [text, text]


def own():
    """A list that holds itself."""
    value = []
    value.append(value)
    return value


def own_tuple():
    value = ([],)
    value[0].append(value)
    return value


def own_struct():
    value = Point(1)
    value.y.append(value)
    return value


GOLDEN = [
    (lambda: [1, 2], "5d94284b014b02652e"),
    (lambda: [[1], [2]], "5d94285d4b01615d4b0261652e"),
    (lambda: {"k": [1]}, "7d948c016b945d4b0161732e"),
    (lambda: [fresh("abc")], "5d948c03616263612e"),
    (shared, "5d94288c0361626394680165 2e"),
    (lambda: [(1, 2, fresh("xy"))], "5d944b014b028c02787987612e"),
    (lambda: {1}, "8f94284b01902e"),
    (lambda: frozenset([1]), "284b0191942e"),
    (own, "5d946800612e"),
    (own_tuple, "5d94680085946130 68012e"),
    (lambda: [dt.timedelta(1, 2, 3)], "5d94b8010000000200000300 00612e"),
    (lambda: dt.timedelta(-1, 2, 3), "b8ffffffff020000030000942e"),
    (lambda: dt.timezone(dt.timedelta(hours=-5)), "bf300b81000000942e"),
    (lambda: dt.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=UTC), "bebde40701020304050600 00942e"),
    (
        lambda: [2**70, -1, 256, 65536, 2**31],
        "5d94288a0900000000000000004 04affffffff4d00014a000001008a050000008000652e",
    ),
    (lambda: [1.5, 1 + 2j, True, None], "5d9428473ff8000000000000b73ff00000000000004000000000000000884e652e"),
    (lambda: [bytearray(b"xy"), fresh("é\ud800")], "5d94289602000000000000007879 8c05c3a9eda080652e"),
    (own_struct, "b10094284b015d680061b02e"),
    (lambda: [Colour.RED, Level.LOW], "5d94288c0352454494b402944b01b40194652e"),
]


@pytest.mark.parametrize(("make", "expected"), GOLDEN, ids=range(len(GOLDEN)))
def test_bytes(make, expected):
    data = quickle.dumps(make(), registry=REGISTRY)
    assert data.hex() == expected.replace(" ", "")
    again = quickle.loads(data, registry=REGISTRY)
    assert quickle.dumps(again, registry=REGISTRY) == data


def test_identity_and_cycles_come_back():
    a = quickle.loads(quickle.dumps(shared()))
    assert a[0] is a[1]
    a = quickle.loads(quickle.dumps(own()))
    assert a[0] is a
    a = quickle.loads(quickle.dumps(own_tuple()))
    assert type(a) is tuple
    assert a[0][0] is a
    a = quickle.loads(quickle.dumps(own_struct(), registry=REGISTRY), registry=REGISTRY)
    assert a.y[0] is a
    deep = frozenset([(1, (2, frozenset([3])))])
    assert quickle.loads(quickle.dumps(deep)) == deep


def test_without_memo():
    value = [[1], "k", "k"]
    assert quickle.dumps(value, memoize=False).hex() == "5d285d4b01618c016b8c016b652e"
    with pytest.raises(RecursionError):
        quickle.dumps(own(), memoize=False)


@pytest.mark.parametrize(
    "value",
    [
        dt.date(1, 1, 1),
        dt.time(23, 59, 59, 999999, fold=1),
        dt.time(1, 2, tzinfo=UTC),
        dt.datetime(2024, 10, 27, 2, 30, tzinfo=zoneinfo.ZoneInfo("Europe/Zurich"), fold=1),
        dt.datetime.max,
        dt.timedelta.min,
        dt.timezone(dt.timedelta(seconds=-1, microseconds=5)),
        zoneinfo.ZoneInfo("UTC"),
        -(2**2039),
        2**2039,
        list(range(2500)),
        {i: str(i) for i in range(1001)},
        set(range(1000)),
        tuple(range(300)),
        ["x" * 255, "x" * 256, b"y" * 70000],
        (),
        frozenset(),
    ],
    ids=repr,
)
def test_values(value):
    again = quickle.loads(quickle.dumps(value))
    assert again == value
    assert type(again) is type(value)
    assert getattr(again, "fold", 0) == getattr(value, "fold", 0)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner)
    ),
    max_leaves=20,
)


@given(plain)
def test_pickle_reads_what_it_shares_and_is_read(value):
    data = quickle.dumps(value)
    assert quickle.loads(data) == value
    assert pickle.loads(data) == value
    assert quickle.loads(pickle.dumps(value, 5)) == value


def test_buffers():
    b = quickle.PickleBuffer(bytearray(b"xyz"))
    data, buffers = quickle.dumps([b, b], collect_buffers=True)
    assert data == b"]\x94(\x97\x97e."
    assert buffers == [b, b]
    assert quickle.loads(data, buffers=[b"1", b"2"]) == [b"1", b"2"]
    assert quickle.dumps([1], collect_buffers=True)[1] is None
    assert quickle.loads(quickle.dumps([b, b])) == [bytearray(b"xyz")] * 2
    readonly = quickle.PickleBuffer(b"ro")
    data, buffers = quickle.dumps(readonly, collect_buffers=True)
    assert quickle.loads(data, buffers=[bytearray(b"ro")]).readonly
    assert quickle.loads(quickle.dumps(readonly)) == b"ro"
    for wrong in (None, []):
        with pytest.raises(quickle.DecodingError):
            quickle.loads(data, buffers=wrong)
    with pytest.raises(quickle.EncodingError, match="non-contiguous"):
        quickle.dumps(quickle.PickleBuffer(memoryview(b"abcdef")[::2]))


def test_buffers_that_cannot_be_written_to_come_back_themselves():
    given = quickle.PickleBuffer(b"abc")
    for data in (quickle.dumps(given, collect_buffers=True)[0], b"\x97\x98."):
        assert quickle.loads(data, buffers=[given]) is given
    given = bytearray(b"abc")
    view = quickle.loads(b"\x97\x98.", buffers=[given])
    assert view.readonly
    assert view.obj is given


def test_defaults_that_cannot_change_are_shared():
    given, nothing = quickle.PickleBuffer(b"x"), frozenset()

    class Shares(quickle.Struct):
        buffer: object = given
        none: frozenset = nothing
        changes: bytearray = bytearray(b"x")

    one, other = Shares(), Shares()
    assert one.buffer is other.buffer is given
    assert one.none is nothing
    assert one.changes == other.changes
    assert one.changes is not other.changes


def test_codecs():
    encoder, decoder = quickle.Encoder(registry=REGISTRY), quickle.Decoder(registry=REGISTRY)
    assert (encoder.memoize, encoder.collect_buffers) == (True, False)
    for value in (Point(1, [2]), [Wide(1, 2)]):
        assert decoder.loads(encoder.dumps(value)) == value
    assert encoder.dumps([[]], memoize=False) == b"]]a."
    assert encoder.dumps([], collect_buffers=True) == (b"]\x94.", None)
    codes = {Point: 300, Level: 70000}
    data = quickle.dumps([Point(1), Level.LOW], registry=codes)
    assert quickle.loads(data, registry={300: Point, 70000: Level}) == [Point(1), Level.LOW]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: quickle.dumps(object()), TypeError, "doesn't support objects of type object"),
        (lambda: quickle.dumps(range(3)), TypeError, "type range"),
        (lambda: quickle.dumps(Point(1)), TypeError, "Type Point isn't in type registry"),
        (lambda: quickle.dumps(Colour.RED), TypeError, "Type Colour isn't in type registry"),
        (lambda: quickle.dumps(1, registry=5), TypeError, "registry must be a list or a dict"),
        (lambda: quickle.dumps(1, registry={Point: -1}), ValueError, "between 0 and 2147483647"),
        (lambda: quickle.dumps(1, registry={Point: "a"}), TypeError, "an integer is required"),
        (lambda: quickle.loads(b"N.", registry=(Point,)), TypeError, "registry must be a list or a dict"),
        (lambda: quickle.loads(5), TypeError, "a bytes-like object is required, not 'int'"),
        (lambda: quickle.loads(b"N.", buffers=5), TypeError, "not iterable"),
        (lambda: quickle.loads(b"\xb1\x00."), ValueError, "Typecode 0 isn't in type registry"),
        (lambda: quickle.loads(b"\xb1\x07.", registry=REGISTRY), ValueError, "Typecode 7"),
        (lambda: quickle.loads(b"\xb1\x01.", registry=REGISTRY), TypeError, "isn't a Struct type"),
        (lambda: quickle.loads(b"K\x01\xb4\x00.", registry=REGISTRY), TypeError, "isn't an Enum type"),
        (
            lambda: quickle.loads(b"\xb1\x00(\xb0.", registry=REGISTRY),
            TypeError,
            "Missing required argument 'x'",
        ),
        (lambda: quickle.loads(b"\x8c\x04mro_\xb4\x02.", registry=REGISTRY), AttributeError, "mro_"),
        (lambda: quickle.loads(b"K\x09\xb4\x01.", registry=REGISTRY), ValueError, "9 is not a valid Level"),
        (lambda: quickle.loads(b"h\x01."), KeyError, "1"),
        (lambda: quickle.loads(b"]]s."), quickle.DecodingError, "underflow"),
        (lambda: quickle.loads(b"}]N s."), quickle.DecodingError, "invalid load key, ' '"),
        (lambda: quickle.loads(b"}]Ns."), TypeError, "unhashable"),
        (lambda: quickle.loads(b""), quickle.DecodingError, "truncated"),
        (lambda: quickle.loads(b"."), quickle.DecodingError, "underflow"),
        (lambda: quickle.loads(b"(."), quickle.DecodingError, "unexpected MARK"),
        (lambda: quickle.loads(b"K\x01K\x02a."), quickle.DecodingError, "Invalid APPEND"),
        (lambda: quickle.loads(b"\xffabc."), quickle.DecodingError, "invalid load key"),
        (lambda: quickle.loads(b"cos\nsystem\n."), quickle.DecodingError, "invalid load key, 'c'"),
        (lambda: quickle.loads(b"\x8c\x02\xff\xff."), UnicodeDecodeError, "invalid start byte"),
        # Beyond what quickle refuses.
        (lambda: quickle.loads(b"NN."), quickle.DecodingError, "values are left over"),
        (lambda: quickle.loads(b"N.N"), quickle.DecodingError, "bytes are left over"),
        (lambda: quickle.loads(b"\xb1\x00.", registry=REGISTRY), quickle.DecodingError, "no fields"),
        (lambda: quickle.loads(b"]\x94]h\x00ah\x00K\x01a."), quickle.DecodingError, "finished"),
    ],
)
def test_errors(call, error, words):
    with pytest.raises(error, match=None) as caught:
        call()
    assert words in str(caught.value)


def test_structs():
    assert Wide.__struct_fields__ == ("x", "z", "y", "name")
    assert Wide.__struct_defaults__ == ([], "w")
    assert Wide.__slots__ == ("name", "z")
    assert str(Wide.__signature__) == "(x: int, z: int, y: list = [], name: str = 'w')"
    a, b = Point(1), Point(x=1)
    assert a == b
    assert a.y is not b.y
    assert a != Wide(1, 2)
    assert repr(a) == "Point(x=1, y=[])"
    c = copy.copy(a)
    assert c == a
    assert c.y is a.y
    assert pickle.loads(pickle.dumps(a)) == a
    assert copy.deepcopy(a) == a
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)
    assert repr(own_struct()) == "Point(x=1, y=[...])"
    del a.y
    for ask in (repr, copy.copy, lambda s: s == b, lambda s: quickle.dumps(s, registry=REGISTRY)):
        with pytest.raises(AttributeError, match="Struct field 'y' is unset"):
            ask(a)


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        ((), {}, "Missing required argument 'x'"),
        ((1, 2, 3), {}, "Extra positional arguments provided"),
        ((1,), {"x": 2}, "Argument 'x' given by name and position"),
        ((1,), {"q": 2}, "Extra keyword arguments provided"),
    ],
)
def test_arguments(args, kwargs, words):
    with pytest.raises(TypeError, match=words):
        Point(*args, **kwargs)


def test_classes_that_cannot_be():
    for word in ("__init__", "__new__", "__slots__"):
        with pytest.raises(TypeError, match=f"cannot define {word}"):
            quickle.StructMeta("Odd", (quickle.Struct,), {word: ()})
    with pytest.raises(TypeError, match="All base classes"):
        quickle.StructMeta("Odd", (quickle.Struct, int), {})


def test_fields_come_and_go():
    """What is appended with a default may be missing, and what is not known any more is dropped."""

    class Old(quickle.Struct):
        a: int

    class New(quickle.Struct):
        a: int
        b: list = [[]]

    new = quickle.loads(quickle.dumps(Old(1), registry=[Old]), registry=[New])
    assert new == New(1)
    assert new.b is not New(1).b
    assert new.b[0] is not New(1).b[0]
    assert quickle.loads(quickle.dumps(New(1, 2), registry=[New]), registry=[Old]) == Old(1)


def small(data):
    """Reads it, whatever it is: a value or an error of ours, soon."""
    refusals = quickle.DecodingError, ValueError, TypeError, LookupError, AttributeError, OverflowError
    with ends_soon(), contextlib.suppress(*refusals):
        quickle.loads(data, registry=REGISTRY, buffers=[b"1"])


def test_every_mutation_and_truncation():
    r = random.Random(7)
    for make, _ in GOLDEN:
        data = quickle.dumps(make(), registry=REGISTRY)
        for n in range(len(data)):
            small(data[:n])
            for byte in r.choices(range(256), k=12):
                small(data[:n] + bytes((byte,)) + data[n + 1 :])


def doubling(n):
    """A tuple of two tuples that are the same, and so on: 2**n leaves."""
    return b")\x94" + b"".join(b"h" + bytes((i,)) + b"h" + bytes((i,)) + b"\x86\x94" for i in range(n))


def alike(n):
    """Integers of one hash."""
    return b"".join(b"\x8a\x0c" + (i * (2**61 - 1)).to_bytes(12, "little") for i in range(1, n))


@pytest.mark.parametrize(
    "data",
    [
        b"\x96" + b"\xff" * 8 + b".",
        b"\x8e\xff\xff\xff\xff\xff\xff\xff\x7f.",
        b"\x8b\xff\xff\xff\x7f.",
        b"\x8b\xff\xff\xff\xff.",
        b"j\xff\xff\xff\xff.",
        b"}(" + doubling(60) + b"Nu.",
        b"(" + doubling(60) + b"\x91.",
        b"}(" + b")" + b"\x85" * 100_000 + b"Nu.",
        b"\x8f(" + alike(200_000) + b"\x90.",
        b"}" + b"".join(b"(" + alike(150)[1800 - 14 * 9 :] + b"0u" for _ in range(3)) + b".",
    ],
)
def test_bombs(data):
    small(data)


def test_deep():
    n = 200_000
    value = quickle.loads(b"]" * n + b"a" * (n - 1) + b".")
    for _ in range(n - 1):
        (value,) = value
    deep = []
    for _ in range(sys.getrecursionlimit() * 10):
        deep = [deep]
    with pytest.raises(RecursionError):
        quickle.dumps(deep)


def test_long_chains_of_structs_are_read():
    chain = None
    for _ in itertools.repeat(None, 50):
        chain = Point(1, [chain])
    assert quickle.loads(quickle.dumps(chain, registry=REGISTRY), registry=REGISTRY) == chain
