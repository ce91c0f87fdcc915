"""Types that are written natively: collections, subclasses, enumerations, bytes; the hook for the rest."""

import array
import base64
import collections
import enum
import fractions
import ipaddress
import itertools
import pathlib
import types
import uuid
from decimal import Decimal

import pytest
from samples import EDGES, STRANGE, Strange

from oxwire import EncodeError, Raw, msgpack, to_builtins
from oxwire.json import decode, encode

# Arrays.


def generator(*items):
    yield from items


def test_sequences():
    expected = b'[1,"x",null]'
    items = (1, "x", None)
    for value in (
        list(items),
        items,
        collections.deque(items),
        dict.fromkeys(items).keys(),
        dict(enumerate(items)).values(),
    ):
        assert encode(value) == expected
    assert encode(collections.deque()) == b"[]"
    assert encode(collections.deque(range(1000), maxlen=10)) == b"[990,991,992,993,994,995,996,997,998,999]"
    assert encode(range(5)) == b"[0,1,2,3,4]"
    assert encode(range(10, 0, -3)) == b"[10,7,4,1]"
    assert encode(range(0)) == b"[]"
    assert encode(range(2**64, 2**64 + 2)) == b"[18446744073709551616,18446744073709551617]"
    assert encode({"a": 1, "b": [2]}.items()) == b'[["a",1],["b",[2]]]'
    assert encode({}.keys()) == b"[]"
    assert encode(collections.OrderedDict(a=1).keys()) == b'["a"]'


def test_sets():
    for kind in (set, frozenset):
        assert encode(kind()) == b"[]"
        assert encode(kind(["x"])) == b'["x"]'
        value = kind(["a", 1, None, 2.5, (1, 2)])
        assert sorted(map(repr, decode(encode(value)))) == sorted(map(repr, ["a", 1, None, 2.5, [1, 2]]))
        assert set(decode(encode(kind(range(1000))))) == set(range(1000))
    assert encode([frozenset([frozenset()])]) == b"[[[]]]"


def test_lazy_sequences():
    assert encode(generator(1, [2], {"a": 3})) == b'[1,[2],{"a":3}]'
    assert encode(generator()) == b"[]"
    assert encode(map(str, [1, 2])) == b'["1","2"]'
    assert encode(filter(None, [0, 1, 2])) == b"[1,2]"
    assert encode({"a": (n * n for n in range(4))}) == b'{"a":[0,1,4,9]}'
    assert encode([generator(generator(1), generator())]) == b"[[[1],[]]]"
    assert encode(generator(1, [2, {}]), indent=1) == b"[\n 1,\n [\n  2,\n  {}\n ]\n]"
    # Once it is consumed it is empty.
    once = generator(1)
    assert encode([once, once]) == b"[[1],[]]"


def test_exceptions_of_lazy_sequences_come_out_unchanged():
    error = LookupError("mine")

    def failing():
        yield 1
        raise error

    with pytest.raises(LookupError) as caught:
        encode({"a": failing()})
    assert caught.value is error


@pytest.mark.parametrize("code", "bBhHiIlLqQ")
def test_array_of_integers(code):
    size = array.array(code).itemsize * 8
    low, high = (-(2 ** (size - 1)), 2 ** (size - 1) - 1) if code.islower() else (0, 2**size - 1)
    values = array.array(code, [0, 1, low, high, 100])
    assert decode(encode(values)) == values.tolist()
    assert encode(array.array(code)) == b"[]"
    assert encode({"a": values}, indent=2) == encode({"a": values.tolist()}, indent=2)


@pytest.mark.parametrize("code", "fd")
def test_array_of_floats(code):
    values = array.array(code, [0.0, -0.5, 0.1, 1e30, 123456.789])
    assert array.array(code, decode(encode(values))) == values
    with pytest.raises(EncodeError):
        encode(array.array(code, [1.0, float("nan")]))
    assert encode(array.array(code, [1.0, float("nan")]), nan="null") == b"[1.0,null]"


# Objects.


def test_mappings():
    items = {"b": 1, "a": [2]}
    default = collections.defaultdict(list, items)
    for value in (
        collections.OrderedDict(items),
        default,
        types.MappingProxyType(items),
        collections.UserDict(items),
        collections.ChainMap(items),
    ):
        assert encode(value) == b'{"b":1,"a":[2]}'
        assert encode([value], indent=2) == encode([items], indent=2)
        assert encode(value, order="sorted") == b'{"a":[2],"b":1}'
    assert list(default) == ["b", "a"]
    assert encode(collections.Counter("aab")) == b'{"a":2,"b":1}'
    assert decode(encode(collections.ChainMap({"a": 1}, {"a": 2, "b": 3}))) == {"a": 1, "b": 3}
    assert encode(types.MappingProxyType({})) == b"{}"
    moved = collections.OrderedDict(a=1, b=2, c=3)
    moved.move_to_end("a")
    assert encode(moved) == b'{"b":2,"c":3,"a":1}'


# Subclasses.


class Str(str):
    """A subclass whose own text is not what is written."""

    def __str__(self):
        return "wrong"


class Int(int):
    """A subclass whose own text is not what is written."""

    def __str__(self):
        return "wrong"

    __repr__ = __str__

    def __int__(self):
        return 13

    __index__ = __int__


class Float(float):
    """A subclass whose own text is not what is written."""

    def __str__(self):
        return "wrong"

    __repr__ = __str__

    def __float__(self):
        return 13.0


class List(list):
    """A subclass with attributes."""


class Dict(dict):
    """A subclass with attributes."""


class Tuple(tuple):
    """A subclass that is no namedtuple."""

    __slots__ = ()


class Set(set):
    """A subclass."""


class Frozen(frozenset):
    """A subclass."""


class Deque(collections.deque):
    """A subclass."""


def test_subclasses():
    assert encode(Str("é")) == '"é"'.encode()
    assert encode(Str("x" * 100)) == b'"' + b"x" * 100 + b'"'
    for number in (0, -1, 2**31, 2**64, 10**40):
        assert encode(Int(number)) == str(number).encode()
    assert encode(Float(0.1)) == b"0.1"
    assert encode(List([1, List()])) == b"[1,[]]"
    assert encode(Dict(a=Dict())) == b'{"a":{}}'
    assert encode(Tuple((1, Tuple()))) == b"[1,[]]"
    assert encode(Set([1])) == encode(Frozen([1])) == encode(Deque([1])) == b"[1]"
    many = List([1])
    many.extra = "not written"
    assert encode(many) == b"[1]"
    assert encode({Str("k"): 1}) == b'{"k":1}'
    with pytest.raises(EncodeError):
        encode(Float("nan"))


# Enumerations.


class Plain(enum.Enum):
    """Values of several types."""

    TEXT = "text"
    NUMBER = 7
    NOTHING = None
    MANY = (1, [2])
    MAP = {"a": 1}
    ID = uuid.UUID(int=5)


class Number(enum.IntEnum):
    """Members are integers."""

    ONE = 1
    BIG = 2**70


class Word(enum.StrEnum):
    """Members are text."""

    A = "a"
    LONG = "é" * 40


class Mixed(str, enum.Enum):
    """Members are text in the older way."""

    X = "x"


class Ratio(float, enum.Enum):
    """Members are floats."""

    HALF = 0.5


class Bits(enum.Flag):
    """Members combine."""

    R = 1
    W = 2


class IntBits(enum.IntFlag):
    """Members combine and are integers."""

    R = 1
    W = 2


class Labelled(enum.Enum):
    ONE = 1

    @property
    def value(self):
        return f"label {self._value_}"


class Base(enum.Enum):
    value = property(lambda self: [self._name_])


class Below(Base):
    ONE = 1


class HasValue(enum.Enum):
    value = 1
    other = 2


class Mixin:
    @property
    def value(self):
        return "mixed"


class Mixes(Mixin, enum.Enum):
    ONE = 1


@pytest.mark.parametrize("member", [Labelled.ONE, Below.ONE, HasValue.other, Mixes.ONE])
def test_a_value_that_a_class_gives_itself(member):
    assert encode(member) == encode(member.value)
    assert msgpack.encode(member) == msgpack.encode(member.value)
    assert to_builtins([member]) == [member.value]
    if type(member.value) is not list:
        assert encode({member: 1}) == encode({member.value: 1})
        assert msgpack.encode({member: 1}) == msgpack.encode({member.value: 1})


class Outer(enum.Enum):
    """Values that are members themselves."""

    INNER = Plain.TEXT
    NUMBER = Number.ONE


class Odd(enum.Enum):
    """A value that nothing writes."""

    COMPLEX = Strange(1.0, 2.0)


def test_enumerations_are_written_by_value():
    for member in Plain:
        assert encode(member) == encode(member.value)
    assert encode([Number.ONE, Number.BIG]) == b"[1,1180591620717411303424]"
    assert encode([Word.A, Word.LONG, Mixed.X]) == encode(["a", "é" * 40, "x"])
    assert encode(Ratio.HALF) == b"0.5"
    assert encode([Bits.R, Bits.R | Bits.W, Bits(0)]) == b"[1,3,0]"
    assert encode([IntBits.W, IntBits.R | IntBits.W, IntBits(8)]) == b"[2,3,8]"
    assert encode([Outer.INNER, Outer.NUMBER]) == b'["text",1]'
    with pytest.raises(EncodeError) as caught:
        encode({"a": Odd.COMPLEX})
    assert caught.value.path.startswith("$.a")
    assert encode({"a": Odd.COMPLEX}, enc_hook=lambda value: [value.real, value.imag]) == b'{"a":[1.0,2.0]}'


# Bytes, paths, addresses, numbers.


def test_bytes_are_base64():
    for length in (*range(20), *EDGES, 1000):
        data = bytes((n * 37 + 11) % 256 for n in range(length))
        expected = b'"' + base64.b64encode(data) + b'"'
        for value in (data, bytearray(data), memoryview(data), memoryview(b"#" + data + b"#")[1:-1]):
            assert encode(value) == expected
        assert encode([data, 1]) == b"[" + expected + b",1]"
    assert encode(bytes(range(256))) == b'"' + base64.b64encode(bytes(range(256))) + b'"'
    words = memoryview(array.array("I", [1, 2, 3]))
    assert encode(words) == b'"' + base64.b64encode(words.tobytes()) + b'"'
    assert encode(memoryview(b"abcdef").cast("B", (2, 3))) == b'"YWJjZGVm"'

    class Bytes(bytes):
        """A subclass."""

    assert encode(Bytes(b"abc")) == b'"YWJj"'


def test_a_view_with_gaps():
    view = memoryview(b"a-b-c-")[::2]
    try:
        assert encode(view) == b'"' + base64.b64encode(b"abc") + b'"'
    except EncodeError as error:
        assert "contig" in str(error)


def test_paths():
    assert encode(pathlib.PurePosixPath("/a/b c/é")) == '"/a/b c/é"'.encode()
    assert encode(pathlib.PureWindowsPath("c:\\a\\b")) == b'"c:\\\\a\\\\b"'
    assert encode(pathlib.Path("x")) == b'"x"'
    assert encode(pathlib.PurePath()) == b'"."'
    assert encode([pathlib.Path("a") / "b"]) == b'["%s"]' % str(pathlib.Path("a/b")).encode().replace(
        b"\\", b"\\\\"
    )


@pytest.mark.parametrize(
    "value",
    [
        ipaddress.IPv4Address("127.0.0.1"),
        ipaddress.IPv6Address("2001:db8::1"),
        ipaddress.IPv4Network("10.0.0.0/8"),
        ipaddress.IPv6Network("2001:db8::/32"),
        ipaddress.IPv4Interface("192.0.2.5/24"),
        ipaddress.IPv6Interface("2001:db8::5/64"),
    ],
)
def test_addresses(value):
    assert encode([value]) == f'["{value}"]'.encode()


def test_uuid():
    for number in (0, 1, 2**128 - 1, 0x0123456789ABCDEF_FEDCBA9876543210):
        value = uuid.UUID(int=number)
        assert encode(value) == f'"{value}"'.encode()

    class Sub(uuid.UUID):
        """A subclass."""

    assert encode(Sub(int=7)) == f'"{uuid.UUID(int=7)}"'.encode()


def test_fraction():
    assert encode(fractions.Fraction(1, 3)) == b'"1/3"'
    assert encode(fractions.Fraction(-10, 4)) == b'"-5/2"'
    assert encode(fractions.Fraction(10**30, 7)) == b'"1000000000000000000000000000000/7"'
    assert fractions.Fraction(decode(encode(fractions.Fraction(6, 3)))) == 2


def test_decimal():
    assert encode([Decimal("1.10"), Decimal("-0.0"), Decimal("1E+3")]) == b'["1.10","-0.0","1E+3"]'

    class Sub(Decimal):
        """A subclass."""

    assert encode(Sub("2.50")) == b'"2.50"'


# The rest.


class Unknown:
    """A type that nothing writes."""

    def __repr__(self):
        raise AssertionError("an error message must not run the object's own code")


UNSUPPORTED = [
    STRANGE,
    object(),
    Unknown(),
    Unknown,
    int,
    len,
    NotImplemented,
    ...,
    types.SimpleNamespace(a=1),
    Exception("x"),
    types,
]


@pytest.mark.parametrize("value", UNSUPPORTED, ids=lambda value: type(value).__name__)
def test_unsupported(value):
    for document, path in [
        (value, "$"),
        ([1, value], "$[1]"),
        ({"a": {"b": value}}, "$.a.b"),
        ((0, (value,)), "$[1][0]"),
    ]:
        with pytest.raises(EncodeError) as caught:
            encode(document)
        assert caught.value.path == path
        assert type(value).__name__ in str(caught.value)
        assert path in str(caught.value)
        assert caught.value.__cause__ is None


def test_enc_hook():
    seen = []

    def hook(value):
        seen.append(value)
        return {"re": value.real, "im": [value.imag]}

    assert (
        encode([STRANGE, {"a": Strange(2.0, 1.0)}], enc_hook=hook)
        == b'[{"re":0.0,"im":[1.0]},{"a":{"re":2.0,"im":[1.0]}}]'
    )
    assert seen == [STRANGE, Strange(2.0, 1.0)]
    for result, expected in [
        (None, b"null"),
        (1, b"1"),
        ("é", '"é"'.encode()),
        ([], b"[]"),
        ({}, b"{}"),
        (Raw(b" [1 ]"), None),
        (b"ab", b'"YWI="'),
        (uuid.UUID(int=1), b'"00000000-0000-0000-0000-000000000001"'),
        (generator(1, 2), b"[1,2]"),
    ]:
        written = encode(STRANGE, enc_hook=lambda value, result=result: result)
        assert written.strip() == (expected or b"[1 ]")
    assert encode(1, enc_hook=None) == b"1"
    assert encode([1, "x", None], enc_hook=hook) == b'[1,"x",null]'
    assert len(seen) == 2


def test_enc_hook_results_go_to_the_hook_again():
    class Onion:
        """Peels by one layer for each call."""

        def __init__(self, layers):
            self.layers = layers

    calls = []

    def peel(value):
        calls.append(value.layers)
        return Onion(value.layers - 1) if value.layers else "core"

    assert encode([Onion(5)], enc_hook=peel) == b'["core"]'
    assert calls == [5, 4, 3, 2, 1, 0]
    # In a container, each layer is a level.
    assert encode(Onion(5), enc_hook=lambda v: [Onion(v.layers - 1)] if v.layers else 0) == b"[[[[[0]]]]]"


def test_enc_hook_chains_are_bounded():
    calls = []

    def forever(value):
        calls.append(1)
        return object()

    with pytest.raises(EncodeError):
        encode([STRANGE], enc_hook=forever)
    assert len(calls) < 100_000
    with pytest.raises(EncodeError):
        encode([STRANGE], enc_hook=lambda value: value)
    with pytest.raises(EncodeError):
        encode([STRANGE], enc_hook=lambda value: [value])
    with pytest.raises(EncodeError):
        encode([STRANGE], enc_hook=lambda value: {"a": (value,)})


@pytest.mark.parametrize(
    "kind", [ValueError, TypeError, LookupError, RecursionError, MemoryError, KeyboardInterrupt, SystemExit]
)
def test_enc_hook_exceptions_come_out_unchanged(kind):
    error = kind("mine")

    def hook(value):
        raise error

    for document in (
        STRANGE,
        [STRANGE],
        {"a": [{"b": STRANGE}]},
        (STRANGE,),
        {STRANGE},
        collections.deque([STRANGE]),
        [generator(STRANGE)],
    ):
        with pytest.raises(kind) as caught:
            encode(document, enc_hook=hook)
        assert caught.value is error
        assert caught.value.args == ("mine",)
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None


def test_an_encode_error_of_the_hook_is_its_own():
    def hook(value):
        return encode(object())

    with pytest.raises(EncodeError) as caught:
        encode({"a": STRANGE}, enc_hook=hook)
    assert caught.value.path == "$"


def test_what_the_hook_returns_has_a_path():
    with pytest.raises(EncodeError) as caught:
        encode({"a": [STRANGE]}, enc_hook=lambda value: {"b": [0, "\ud800"]})
    assert caught.value.path == "$.a[0].b[1]"


def test_enc_hook_can_be_anything_callable():
    class Callable:
        """Called as an instance."""

        def __call__(self, value):
            return "called"

        def method(self, value):
            return "method"

        @staticmethod
        def static(value):
            return "static"

    assert encode(STRANGE, enc_hook=Callable()) == b'"called"'
    assert encode(STRANGE, enc_hook=Callable().method) == b'"method"'
    assert encode(STRANGE, enc_hook=Callable.static) == b'"static"'
    assert encode(STRANGE, enc_hook=str) == b'"1j"'
    assert encode(STRANGE, enc_hook=repr) == b'"1j"'
    with pytest.raises(TypeError):
        encode(STRANGE, enc_hook=lambda: 1)


def test_iterators_of_itertools_that_end():
    assert encode([itertools.chain([1], [2]), itertools.islice(range(9), 2), iter("ab"), iter(b"a")]) == (
        b'[[1,2],[0,1],["a","b"],[97]]'
    )
    for endless in (itertools.count(), itertools.cycle([1]), itertools.repeat(1)):
        with pytest.raises(EncodeError, match="itertools"):
            encode(endless)
