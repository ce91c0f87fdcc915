"""oxwire.native: what comes back is what was written, or is refused when it is written or registered."""

import ctypes
import enum
import time
from array import array
from collections import Counter, OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field, make_dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar

import pytest

from oxwire import Struct, native
from oxwire.native import DecodeError, EncodeError, decode, encode, register

T = TypeVar("T")


def again(value, *classes, **options):
    """A value that was written and read."""
    return decode(encode(value, registry=classes, **options), registry=classes)


class Frozen(frozenset):
    pass


class Ordered(OrderedDict):
    def __setitem__(self, key, value):
        raise AssertionError("nobody asked for this")

    update = __iter__ = __setitem__


class Default(defaultdict):
    default_factory = property(lambda self: 1 / 0)
    __setitem__ = __iter__ = Ordered.__setitem__


@pytest.mark.parametrize("members", [[], [1, "a"], [1.5, (1, 2)], [(1,), frozenset({2.5})]])
def test_subclasses_of_frozenset_keep_their_members(members):
    one = Frozen(members)
    one.name = "n"
    for value in (one, [one, one], {one: 1}, {(one, 1.5)}, Frozen([one, 2.5]), {Frozen([one]), one}):
        assert again(value, Frozen) == value
    a, b = again([one, one], Frozen)
    assert a is b
    assert (type(a), hash(a), a.name) == (Frozen, hash(one), "n")


def test_members_that_are_still_to_come_are_not_hashed():
    # A tuple with the set, which has the tuple.
    with pytest.raises(DecodeError, match="the reference leads"):
        decode(bytes.fromhex("b0 c9 0a 03 e0 00 00 07 01 5c 07"), registry=[Frozen])


def test_subclasses_of_other_dicts():
    one = Ordered()
    for key in "abc":
        OrderedDict.__setitem__(one, key, one)
    one.move_to_end("a")
    one.name = 5
    two = again(one, Ordered)
    assert list(OrderedDict.__iter__(two)) == ["b", "c", "a"]
    assert (type(two), dict.__getitem__(two, "a") is two, two.name) == (Ordered, True, 5)
    for factory in (list, None):
        one = Default(factory, {"a": 1, (1.5,): 2})
        two = again(one, Default)
        assert defaultdict.default_factory.__get__(two) is factory
        assert (type(two), two) == (Default, one)
    for value in (Counter("a"), OrderedDict(a=1)):
        value.name = 5
        with pytest.raises(EncodeError, match="has attributes"):
            encode(value)
        with pytest.raises(EncodeError, match="anything but a dict"):
            encode(MappingProxyType(value))


def test_what_a_class_says_of_itself_is_not_its_value():
    class Number(complex):
        real = property(lambda self: 99.0)

    class Fault(Exception):
        args = property(lambda self: 1 / 0, lambda self, value: 1 / 0)

    assert complex.__complex__(again(Number(1, 2), Number)) == 1 + 2j
    assert BaseException.args.__get__(again(Fault(1), Fault)) == (1,)
    Pair = namedtuple("Pair", "a b")
    for there in (property(lambda self: 42), 42):
        with pytest.raises(TypeError, match="cannot be a field"):
            register("faithful.pair")(type("Other", (Pair,), {"a": there}))


def test_what_built_in_exceptions_have_beside_their_args():
    for base, args, named in (
        (StopIteration, (5,), {}),
        (SystemExit, (5,), {}),
        (ImportError, ("m",), {"name": "n", "path": "p"}),
        (NameError, ("m",), {"name": "n"}),
        (SyntaxError, ("m", ("file", 1, 2, "text", 3, 4)), {}),
        (KeyError, (1,), {}),
    ):
        cls = type("Fault", (base,), {})
        one = cls(*args, **named)
        two = again(one, cls)
        assert two.args == one.args
        assert str(two) == str(one)
        for name in ("value", "code", "name", "path", "msg", "lineno", "filename", "end_offset"):
            assert getattr(two, name, ...) == getattr(one, name, ...)
    cls = type("Fault", (AttributeError,), {})
    two = again(cls("m", name="n", obj=object()), cls)
    assert (two.name, two.obj) == ("n", None)
    # What is not set takes no room.
    cls = type("Fault", (StopIteration,), {})
    assert encode(cls(), registry=[cls]) == b"\xb0\x0a\x03\xe0\0\0\x48"


@pytest.mark.parametrize("base", [OSError, ExceptionGroup, UnicodeDecodeError, UnicodeEncodeError])
def test_exceptions_that_must_be_made_by_themselves(base):
    with pytest.raises(TypeError, match="cannot be made of attributes"):
        register("faithful.fault")(type("Fault", (base,), {}))


@pytest.mark.parametrize("cls", [bool, time.struct_time])
def test_classes_that_their_base_does_not_make(cls):
    with pytest.raises(TypeError, match="cannot be made of attributes"):
        register("faithful.none")(cls)


def test_attributes_that_exceptions_cannot_have():
    class Fault(Exception):
        pass

    data = encode(native.Unknown(3, 0, 0, ("__suppress_context__",), ((), 5)))
    with pytest.raises(DecodeError, match="such an attribute"):
        decode(data, registry=[Fault])


class Open(Struct, dict=True):
    x: int


class Row(namedtuple("Row", "a b")):
    pass


class Tight(NamedTuple):
    a: int


@dataclass
class Box(Generic[T]):
    v: T
    w: int = 5
    made: int = field(init=False, default=3)

    @cached_property
    def kept(self):
        return object()


@dataclass(slots=True)
class Slots:
    a: int


@dataclass
class Mixed(Slots):
    b: int = 2


class Room:
    __slots__ = ("more",)


Roomy = make_dataclass("Roomy", [("a", int)], bases=(Room,), slots=True)
RECORDS = [Open(1), Row(1, 2), Box(1), Mixed(1), Roomy(1)]


@pytest.mark.parametrize("value", RECORDS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("canonical", [False, True])
def test_attributes_beside_fields_are_refused(value, canonical):
    cls = type(value)
    assert again([value, value], cls, canonical=canonical) == [value, value]
    names = ["more"] if cls is Roomy else ["more", "most", "last", "least"]
    for name in names:
        setattr(value, name, 1)
        with pytest.raises(EncodeError, match=f"it has '{names[0]}', which is no field"):
            encode([value], registry=[cls], canonical=canonical)
    for name in names:
        delattr(value, name)
    assert again([value], cls, canonical=canonical) == [value]


def test_attributes_in_the_place_of_fields_are_refused():
    value = Box(1)
    del value.w
    assert again(value, Box) == value
    value.more = 1
    with pytest.raises(EncodeError, match="it has 'more'"):
        encode(value, registry=[Box])
    value = Box(1)
    value.__dict__.clear()
    value.__dict__.update(made=3, w=5, v=1)
    assert again(value, Box) == value


def test_what_stands_beside_fields_and_is_no_part_of_the_value():
    value = Box[int](1)
    assert value.kept is value.kept
    two = again([value, Box(2)], Box)
    assert two == [value, Box(2)]
    assert "kept" not in vars(two[0])
    # As many as there are fields.
    del value.__orig_class__, value.w
    assert again([value, value], Box) == [value, value]

    @dataclass
    class Made:
        a: int
        b: int = 5

        def __post_init__(self):
            self.c = self.d = self.a + 1

    values = [Made(1), Made(1)]
    del values[0].b
    two, _ = again(values, Made)
    assert vars(two) == {"a": 1, "b": 5}
    [two] = decode(encode([Made(1)], registry=[Made]), registry=[Made], post_init=True)
    assert vars(two) == vars(Made(1))

    class Hashed(Struct, frozen=True, dict=True, cache_hash=True):
        x: int

    value = Hashed(1)
    hash(value)
    assert again([value], Hashed) == [value]


def test_attrs_classes():
    attr = pytest.importorskip("attr", reason="needs attrs")
    for slots in (False, True):
        cls = attr.make_class("Cls", ["a"], slots=slots, frozen=True, cache_hash=True)
        value = cls(1)
        hash(value)
        assert again([value], cls) == [value]
    cls = attr.make_class("Cls", ["a"])
    value = cls(1)
    value.more = 1
    with pytest.raises(EncodeError, match="it has 'more'"):
        encode(value, registry=[cls])


def test_fields_that_are_lacking():
    for value in (Box(1), Slots(1), Mixed(1)):
        delattr(value, next(iter(type(value).__dataclass_fields__)))
        with pytest.raises(EncodeError, match="no attribute|Cannot encode"):
            encode([value], registry=[type(value)])


def test_attributes_that_are_not_named_by_text():
    class Plain:
        pass

    for name in (1, None, (1,), b"a"):
        value = Plain()
        value.__dict__[name] = 2
        for canonical in (False, True):
            with pytest.raises(EncodeError, match="is no text"):
                encode(value, registry=[Plain], canonical=canonical)


def test_more_types_than_can_be_read():
    class Plain:
        def __init__(self, name):
            setattr(self, name, 1)

    values = [Plain(f"f{i}") for i in range(4096)]
    assert len(again(values * 2, Plain)) == 8192
    values.append(Plain("more"))
    for canonical in (False, True):
        with pytest.raises(EncodeError):
            encode(values, registry=[Plain], canonical=canonical)


def test_memoryviews():
    for view in (
        memoryview(array("i")),
        memoryview(b"").cast("d"),
        memoryview(bytearray(8)).cast("q", ()),
        memoryview(bytes(8)).cast("H", (2, 2)),
    ):
        two = decode(encode(view))
        assert (two.format, two.shape, two.readonly) == (view.format, view.shape, view.readonly)
        assert two == view
    for view in (memoryview((ctypes.c_int * 3)(1, 2, 3)), memoryview(bytes(8)).cast("H", (2, 2))[:0]):
        with pytest.raises(EncodeError, match="cannot be made again"):
            encode(view)


def test_numpy():
    np = pytest.importorskip("numpy", reason="needs numpy")
    pair = [("a", "i1"), ("b", "<i4")]
    for dtype in (pair, [("a", pair), ("b", "i4", (2,))], [(("title", "a"), "i1")], "<U3", "S3", "M8[s]"):
        value = np.zeros(2, dtype)
        two = decode(encode(value))
        assert two.dtype == value.dtype
        assert (two == value).all()
        if value.dtype.kind not in "SU":
            assert type(decode(encode(value[0]))) is type(value[0])
    names = {"names": ["a", "b"], "formats": ["i4", "i4"]}
    for dtype in (
        np.dtype(pair, align=True),
        np.dtype([("a", np.dtype(pair, align=True))]),
        np.dtype({**names, "itemsize": 16}),
        np.dtype({**names, "offsets": [4, 0]}),
        np.dtype({**names, "offsets": [0, 2]}),
        np.dtype((np.record, pair)),
    ):
        for value in (np.zeros(2, dtype), np.zeros(2, dtype)[0]):
            with pytest.raises(EncodeError, match="Cannot encode items"):
                encode(value)
    for value in (np.str_("abc\0"), np.bytes_(b"abc\0")):
        with pytest.raises(EncodeError, match="ends with a zero"):
            encode(value)
    for value in (np.str_("\0a"), np.bytes_(b"\0a")):
        assert decode(encode(value)) == value

    class Mine(np.float64):
        pass

    with pytest.raises(EncodeError, match="not registered"):
        encode(Mine(2))
    with pytest.raises(TypeError, match="cannot be made"):
        register("faithful.mine")(Mine)


@pytest.mark.parametrize("boundary", list(enum.FlagBoundary))
@pytest.mark.parametrize("base", [enum.Flag, enum.IntFlag])
def test_values_of_flags(base, boundary):
    cls = base("Perm", {"R": 1, "W": 2}, boundary=boundary)
    member = b"\xb0\x0a\x02\xe0\0\0"
    assert decode(member + encode(3)[1:], registry=[cls]) is cls.R | cls.W
    for value in (7, -1):
        if value == 7 and boundary is enum.KEEP:
            assert decode(member + encode(7)[1:], registry=[cls]) == cls(7)
            continue
        with pytest.raises(DecodeError, match="has no such member"):
            decode(member + encode(value)[1:], registry=[cls])


def test_values_of_members_are_finished():
    class Kind(enum.Enum):
        A = frozenset({(1, 2)})
        B = frozenset()
        C = (1.5, "x")

    assert [again(one, Kind) for one in Kind] == [*Kind]
    member = b"\xb0\x0a\x02\xe0\0\0"
    assert decode(member + encode(Kind.C.value)[1:], registry=[Kind]) is Kind.C
    for one in (Kind.A, Kind.B):
        with pytest.raises(DecodeError, match="no such member"):
            decode(member + encode(one.value)[1:], registry=[Kind])


def test_attributes_have_an_order_in_the_canonical_form():
    class Plain:
        def __init__(self, **named):
            vars(self).update(named)

    class Some(list):
        pass

    a, b = Plain(a=1, é=2, b=3), Plain(b=3, a=1, é=2)
    data = encode(a, registry=[Plain], canonical=True)
    assert data == encode(b, registry=[Plain], canonical=True)
    assert list(vars(decode(data, registry=[Plain], canonical=True))) == ["a", "b", "é"]
    with pytest.raises(DecodeError, match="not in the canonical form"):
        decode(encode(a, registry=[Plain]), registry=[Plain], canonical=True)
    one, two = Some(), Some()
    one.a = one.b = two.b = two.a = 1
    assert encode(one, registry=[Some], canonical=True) == encode(two, registry=[Some], canonical=True)
