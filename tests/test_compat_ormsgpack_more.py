"""What the face of ormsgpack does differently, what it must never do, and a comparison at random with ormsgpack itself."""

import collections
import dataclasses
import datetime as dt
import enum
import gc
import itertools
import pickle
import random
import struct
import sys
import threading
import uuid
from dataclasses import dataclass

import pytest
from samples import nested
from test_compat_ormsgpack import NON_STR, NOT_A_KEY, STAMP, UTC, Int, Str, original_ormsgpack, refused

import oxwire
import oxwire.msgpack
from oxwire.compat import orjson, ormsgpack


def fails(text, data, **arguments):
    """unpackb raises a ValueError with exactly this text."""
    with pytest.raises(ValueError) as caught:
        ormsgpack.unpackb(data, **arguments)
    assert str(caught.value) == text
    return caught.value


# What differs: reading.


def test_timestamps_keep_their_microseconds():
    for micros in (536870, 536871, 999999):
        moment = dt.datetime(2026, 1, 2, 3, 4, 5, micros, tzinfo=UTC)
        packed = ormsgpack.packb(moment, option=STAMP)
        assert packed[:2] == b"\xd7\xff"
        assert ormsgpack.unpackb(packed, option=STAMP) == moment


def test_trailing_bytes_are_refused():
    for data, at in ((b"\xc0\xc0", 1), (b"\x91\x01\xff", 2), (b"\xa1a" + b"\0" * 100, 2)):
        fails(f"trailing bytes after the message, from byte {at} on", data)
        assert oxwire.msgpack.decode_prefix(data)[1] == at


def test_the_innermost_of_1023_containers_may_have_members():
    assert ormsgpack.unpackb(b"\x91" * 1023 + b"\xc0")
    fails("Recursion limit reached", b"\x91" * 1024 + b"\xc0")
    fails("Recursion limit reached", b"\x91" * 1023 + b"\x90")


def test_moments_beyond_a_datetime_are_invalid():
    for seconds in (253402300800, -62135596801, 2**63 - 1, -(2**63)):
        fails("invalid value", b"\xc7\x0c\xff\0\0\0\0" + struct.pack(">q", seconds), option=STAMP)


def test_what_ext_hook_raises_is_kept():
    raised = KeyError("mine")

    def hook(code, data):
        raise raised

    assert fails("ext_hook failed", b"\x91\xd4\x01a", ext_hook=hook).__cause__ is raised
    assert isinstance(fails("ext_hook failed", b"\xd4\x01a", ext_hook=5).__cause__, TypeError)
    for kind in (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raised = kind("mine")
        with pytest.raises(kind) as caught:
            ormsgpack.unpackb(b"\x91\xd4\x01a", ext_hook=hook)
        assert caught.value is raised


# What differs: writing.


def test_what_default_raises_is_kept():
    raised = LookupError("mine")

    def default(value):
        raise raised

    text = "Type is not msgpack serializable: complex"
    assert refused(ormsgpack, text, {"a": [1j]}, default=default).__cause__ is raised
    assert refused(ormsgpack, text, 1j).__cause__ is None
    assert isinstance(refused(ormsgpack, text, 1j, default=5).__cause__, TypeError)
    for kind in (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raised = kind("mine")
        with pytest.raises(kind) as caught:
            ormsgpack.packb([{"a": 1j}], default=default)
        assert caught.value is raised


def test_what_values_raise_comes_out():
    class Bad(dt.tzinfo):
        def utcoffset(self, when):
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="^mine$"):
        ormsgpack.packb(dt.datetime(2000, 1, 1, tzinfo=Bad()))

    @dataclass
    class Lacks:
        a: int = dataclasses.field(init=False)

    with pytest.raises(AttributeError, match="has no attribute 'a'"):
        ormsgpack.packb(Lacks())


def test_surrogates_in_keys_are_refused():
    option = NON_STR | ormsgpack.OPT_REPLACE_SURROGATES
    for key in ("\ud800", Str("\ud800"), ("\ud800",), (1, Str("\ud800"))):
        refused(ormsgpack, "string contains surrogates", {key: 1, (): 2}, option=option)


def test_offsets_round_to_a_valid_one():
    for seconds, expected in (
        (7170, "+02:00"),
        (3599, "+01:00"),
        (-1, "+00:00"),
        (86399, "+23:59"),
        (30, "+00:01"),
    ):
        value = dt.datetime(1900, 1, 1, tzinfo=dt.timezone(dt.timedelta(seconds=seconds)))
        assert ormsgpack.unpackb(ormsgpack.packb(value)) == f"1900-01-01T00:00:00{expected}"


def test_views_with_gaps():
    assert ormsgpack.packb(memoryview(b"abcd")[::2]) == b"\xc4\x02ac"


def test_enums_of_another_metaclass():
    class Meta(enum.EnumMeta):
        pass

    class Kind(enum.Enum, metaclass=Meta):
        A = "a"

    assert ormsgpack.packb([Kind.A]) == b"\x91\xa1a"


def test_order_of_an_ordered_dict():
    moved = collections.OrderedDict(a=1, b=2)
    moved.move_to_end("a")
    assert ormsgpack.packb(moved) == b"\x82\xa1b\x02\xa1a\x01"


def test_ext_is_the_one_of_msgpack():
    assert ormsgpack.Ext is oxwire.msgpack.Ext
    ext = ormsgpack.Ext(5, b"x")
    assert (ext.code, ext.data) == (5, b"x")
    assert pickle.loads(pickle.dumps(ext)) == ext
    for code in (128, -129, 2**70):
        with pytest.raises(ValueError, match="code must be from -128 to 127"):
            ormsgpack.Ext(code, b"")
    refused(ormsgpack, "Extension type out of range", ormsgpack.Ext(-128, b""))


def test_numpy_of_any_byte_order():
    np = pytest.importorskip("numpy", reason="needs numpy")
    option = ormsgpack.OPT_SERIALIZE_NUMPY
    for kind in ("i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "M8[s]"):
        plain = np.array([[0, 1], [100, 25]]).astype(kind)
        swapped = plain.astype(plain.dtype.newbyteorder())
        assert ormsgpack.packb(swapped, option=option) == ormsgpack.packb(plain, option=option)
    raw = np.array([[0], [2], [255]], np.uint8).view(bool)
    assert ormsgpack.packb(raw.ravel(), option=option) == b"\x93\xc2\xc3\xc3"
    assert ormsgpack.packb(np.longlong(5), option=option) == b"\x05"
    refused(ormsgpack, "unsupported datatype in numpy array", np.array([1j]), option=option)
    for year in (10_000, -1):
        value = np.datetime64(year - 1970, "Y")
        refused(ormsgpack, f"unrepresentable numpy.datetime64: {year - 1970} years", value, option=option)
    assert ormsgpack.packb(np.datetime64(1, "25s"), option=option) == b"\xb31970-01-01T00:00:25"
    refused(ormsgpack, "Recursion limit reached", nested(254, "list", np.ones((1, 1))), option=option)


# Fragments belong to their format.


def test_fragments_of_another_format():
    packed, spelled = ormsgpack.Fragment(b"\x01"), orjson.Fragment(b"1")
    for value in (spelled, oxwire.Raw(b"\x01")):
        with pytest.raises(TypeError, match="^Type is not msgpack serializable: "):
            ormsgpack.packb([value])
    with pytest.raises(TypeError, match="^Type is not JSON serializable: "):
        orjson.dumps([packed])
    for encode in (oxwire.msgpack.encode, oxwire.json.encode):
        for value in (packed, spelled):
            with pytest.raises(oxwire.EncodeError):
                encode([value])
    # One that could not be read back.
    with pytest.raises(ValueError, match=r"^invalid type FixMap\(0\)$"):
        ormsgpack.Fragment(b"\x81\x80\x01")
    assert repr(packed) == "<ormsgpack.Fragment>"
    assert ormsgpack.packb([packed, packed], default=print) == b"\x92\x01\x01"


# What must never happen.


class Other:
    pass


def test_chains_through_values_that_could_be_written_end(small_stack):
    big, other = 2**70, Other()
    hooks = (
        (lambda v: other if isinstance(v, int) else big, ormsgpack.OPT_PASSTHROUGH_BIG_INT),
        (lambda v: other if isinstance(v, tuple) else (1,), ormsgpack.OPT_PASSTHROUGH_TUPLE),
        (
            lambda v: (1,) if isinstance(v, int) else big,
            ormsgpack.OPT_PASSTHROUGH_TUPLE | ormsgpack.OPT_PASSTHROUGH_BIG_INT,
        ),
        (lambda v: other, 0),
    )
    for default, option in hooks:
        for value in (other, [other]):
            text = "Recursion limit for default hook reached"
            refused(ormsgpack, text, value, default=default, option=option)
            arguments = {"default": default, "option": option}
            assert small_stack(ormsgpack.packb, value, **arguments) == ("error", TypeError)
    # A chain ends where a value is written; the next begins anew.
    steps = itertools.cycle([other] * 200 + [None])
    assert ormsgpack.packb([other] * 5, default=lambda v: next(steps)) == b"\x95" + b"\xc0" * 5


def test_depth_of_anything(small_stack):
    assert small_stack(ormsgpack.packb, nested(100_000, "list")) == ("error", TypeError)
    assert small_stack(ormsgpack.packb, nested(50_000, "tuple")) == ("error", TypeError)
    assert small_stack(ormsgpack.unpackb, b"\x91" * 1_000_000) == ("error", ValueError)
    assert small_stack(ormsgpack.unpackb, b"\x91" * 1023 + b"\x01")[0] == "value"
    key = nested(300, "tuple", 1)
    assert small_stack(ormsgpack.packb, {key: 1}, option=NON_STR) == ("error", TypeError)
    assert small_stack(ormsgpack.Fragment, b"\x91" * 1_000_000) == ("error", ValueError)


def test_default_that_changes_the_container():
    def clear(target):
        target.clear()

    def grow(target):
        if isinstance(target, list):
            target.extend(["x"] * 100) if len(target) < 500 else None
        else:
            target.update({f"n{len(target)}{n}": 1 for n in range(100)}) if len(target) < 500 else None

    def replace(target):
        for n in list(range(len(target))) if isinstance(target, list) else list(target):
            target[n] = "replaced" * 5

    for action, make, option in itertools.product(
        (clear, grow, replace),
        ("list", "dict", "int keys", "tuple in list"),
        (0, NON_STR, ormsgpack.OPT_SORT_KEYS),
    ):
        for at in (0, 2, 4):
            items = [1j if n == at else "x" * 50 for n in range(5)]
            target = {"dict": dict(zip("abcde", items, strict=True)), "int keys": dict(enumerate(items))}.get(
                make, items
            )
            if make == "tuple in list":
                target[at] = (1j, "y" * 60)

            def default(value, action=action, target=target):
                action(target)
                return ["fresh"] * 4

            try:
                # Whatever is written is one whole message.
                ormsgpack.unpackb(
                    ormsgpack.packb([target, target], default=default, option=option), option=NON_STR
                )
            except TypeError:
                pass


def test_hooks_that_come_back_in():
    def default(value):
        return ormsgpack.Fragment(ormsgpack.packb([str(value)], default=default))

    assert ormsgpack.packb([1j, {"k": 2j}], default=default) == b"\x92\x91\xa21j\x81\xa1k\x91\xa22j"

    def hook(code, data):
        return ormsgpack.unpackb(data, ext_hook=hook)

    inner = ormsgpack.packb(ormsgpack.Ext(1, ormsgpack.packb({"a": ormsgpack.Ext(2, b"\x05")})))
    assert ormsgpack.unpackb(b"\x92" + inner + inner, ext_hook=hook) == [{"a": 5}] * 2


def test_input_that_the_hook_changes():
    data = bytearray(b"\x93\xd4\x01a\xa3xyz\x05")

    def hook(code, body):
        data.clear()
        data.extend(b"\xc1" * 1000)
        return body

    assert ormsgpack.unpackb(data, ext_hook=hook) == [b"a", "xyz", 5]


def test_nothing_is_kept():
    class Marked:
        pass

    def default(value):
        return [value.__class__.__name__]

    gc.collect()
    before = sys.getrefcount(default), sys.getrefcount(Marked)
    for _ in range(200):
        ormsgpack.packb([Marked(), {"a": Marked()}], default=default)
        with pytest.raises(TypeError):
            ormsgpack.packb([Marked()])
        ormsgpack.unpackb(b"\x91\xd4\x01a", ext_hook=lambda code, data: data)
        fails("ext_hook missing", b"\x92\x90\xd4\x01a")
    gc.collect()
    assert before == (sys.getrefcount(default), sys.getrefcount(Marked))


def test_many_threads():
    rows = [
        {"id": n, "name": str(n), "at": dt.datetime(2020, 1, 1, tzinfo=UTC), (n,): None} for n in range(50)
    ]
    option = NON_STR | STAMP
    expected = ormsgpack.packb(rows, option=option)
    wrong = []

    def work():
        for _ in range(50):
            if (
                ormsgpack.packb(rows, option=option) != expected
                or ormsgpack.unpackb(expected, option=option) != rows
            ):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# Beside ormsgpack itself.


@dataclass
class Record:
    b: object
    _a: int = 1
    c: object = "x"


@dataclass(slots=True)
class Tight:
    b: object
    _a: int = 1
    c: object = "x"


class Colour(enum.Enum):
    RED = "r"
    FIVE = 5


class Bunch(dict):
    pass


def make(own, depth):
    """Some value, good or bad."""
    zone = own.choice(
        (None, UTC, dt.timezone(dt.timedelta(hours=-5, minutes=-30)), dt.timezone(dt.timedelta(hours=14)))
    )
    leaf = [
        lambda: None,
        lambda: own.random() < 0.5,
        lambda: own.randrange(-(2 ** own.randrange(1, 64)), 2 ** own.randrange(1, 65)),
        lambda: struct.unpack("<d", own.randbytes(8))[0],
        lambda: "".join(own.choices('ab"\\\n\0é€😀\u2028 /', k=own.randrange(40))),
        lambda: "x" * own.randrange(300),
        lambda: own.randbytes(own.randrange(40)),
        lambda: bytearray(own.randrange(300)),
        lambda: dt.datetime(own.randrange(1, 9999), 2, 3, 4, 5, 6, own.choice((0, 7)), tzinfo=zone),
        lambda: dt.date(2000, 1, own.randrange(1, 29)),
        lambda: dt.time(1, 2, 3, own.choice((0, 50))),
        lambda: uuid.UUID(bytes=own.randbytes(16)),
        lambda: own.choice(list(Colour)),
        lambda: Str("sub"),
        lambda: Int(7),
        lambda: Record(own.random()),
        lambda: Tight(own.randrange(9)),
    ]
    rare = [
        lambda: 1j,
        lambda: {1},
        lambda: 2**70,
        lambda: "\ud800",
        lambda: dt.time(1, tzinfo=UTC),
        object,
    ]
    if depth > 3 or own.random() < 0.3:
        return own.choice(leaf if own.random() < 0.99 else rare)()
    count = own.choice((0, 1, 2, 3, 4, 17))
    kind = own.randrange(6)
    if kind < 2:
        return [make(own, depth + 1) for _ in range(count)]
    if kind == 2:
        return tuple(make(own, depth + 1) for _ in range(count))
    if kind == 3:
        return Record(make(own, depth + 1), c=make(own, depth + 1))
    keys = ["a", "b", "é", "😀", "\uffff", "", "k" * 70, *(f"k{n}" for n in range(15))]
    if own.random() < 0.15:
        keys = [
            1,
            2.5,
            None,
            True,
            Colour.RED,
            "z",
            uuid.UUID(int=3),
            dt.date(2000, 1, 1),
            (1, ("x",)),
            Str("t"),
        ]
        keys += [b"b", -5, 2**63, dt.datetime(2000, 1, 1), (1j,), Int(9), frozenset()]
    made = {own.choice(keys): make(own, depth + 1) for _ in range(count)}
    return Bunch(made) if own.random() < 0.1 else made


def outcome(function, *args, **kwargs):
    """The result, or the class and text of the error."""
    try:
        return ("value", function(*args, **kwargs))
    except (TypeError, ValueError) as error:
        return (type(error), str(error))


@pytest.mark.peer
def test_packb_does_what_ormsgpack_does():
    original = original_ormsgpack()
    own = random.Random(40)
    bits = [1 << n for n in range(16)]
    for _ in range(3000):
        value = make(own, 0)
        option = sum(own.sample(bits, own.randrange(6)))
        default = own.choice((None, str, lambda value: {"d": [type(value).__name__]}))
        arguments = {"option": option, "default": default}
        theirs = outcome(original.packb, value, **arguments)
        ours = outcome(ormsgpack.packb, value, **arguments)
        # Of two faults in one value either may be named.
        assert ours == theirs or ours[0] is theirs[0] is TypeError, (value, option)
        if ours[0] == "value":
            read = {"option": option & (NON_STR | STAMP)}
            again = outcome(original.unpackb, ours[1], **read)
            assert repr(outcome(ormsgpack.unpackb, ours[1], **read)) == repr(again)


@pytest.mark.peer
def test_unpackb_does_what_ormsgpack_does():
    original = original_ormsgpack()
    own = random.Random(41)
    hook = {"ext_hook": lambda code, data: (code, data)}
    for _ in range(6000):
        packed = outcome(original.packb, make(own, 1), default=str, option=NON_STR | STAMP | (1 << 15) | 8)
        if packed[0] != "value":
            continue
        document = bytearray(packed[1])
        for _ in range(own.choice((0, 1, 1, 2))):
            at = own.randrange(len(document))
            document[at : at + own.randrange(2)] = bytes([own.choice((own.randrange(256), 0xC1, 0xD6, 0x81))])
        arguments = own.choice(
            ({}, {"option": NON_STR}, {"option": NON_STR | STAMP}, {**hook, "option": STAMP})
        )
        check_unpackb(original, bytes(document), arguments)


def check_unpackb(original, data, arguments):
    """The same value, or an error of the same class; with the same text where one fault is all there is."""
    theirs, ours = outcome(original.unpackb, data, **arguments), outcome(ormsgpack.unpackb, data, **arguments)
    if ours[0] == "value":
        assert repr(ours) == repr(theirs), data
    elif theirs[0] == "value":
        assert ours[1].startswith("trailing bytes after the message"), (data, ours)
    else:
        assert ours[0] is theirs[0], data


def test_keys_that_cannot_be_part_of_one():
    for key in ((ormsgpack.Ext(1, b""),), (oxwire.msgpack.Timestamp(1),), (oxwire.Raw(b"\x01"),)):
        refused(ormsgpack, NOT_A_KEY, {key: 1}, option=NON_STR)
