"""Ext and Timestamp: what they take and refuse, how they compare, and their conversions."""

import array
import copy
import pickle
import struct
import subprocess
import sys
from datetime import datetime, timedelta, timezone, tzinfo
from enum import IntEnum
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oxwire.msgpack import Ext, Timestamp

UTC = timezone.utc
GIGA = 10**9
TOP = 2**63 - 1


class Number(int):
    pass


class Some(bytes):
    pass


class Code(IntEnum):
    ONE = 1


seconds = st.one_of(
    st.integers(-(2**63), TOP),
    st.integers(-100, 100),
    st.integers(2**32 - 2, 2**32 + 2),
    st.integers(2**34 - 2, 2**34),
)
nanoseconds = st.one_of(st.integers(0, GIGA - 1), st.sampled_from([0, 1, 999, 1000, GIGA - 1]))
timestamps = st.builds(Timestamp, seconds, nanoseconds)


# Ext.


def test_ext_keeps_what_it_is_given():
    data = b"abc"
    ext = Ext(5, data)
    assert (ext.code, ext.data) == (5, b"abc")
    assert ext.data is data
    assert Ext(code=-128, data=b"") == Ext(-128, b"")
    assert Ext(127, b"").code == 127
    for code in (Number(7), Code.ONE):
        assert type(Ext(code, b"").code) is int
        assert Ext(code, b"").code == code


@pytest.mark.parametrize(
    "data",
    [
        bytearray(b"abcd"),
        memoryview(b"abcd"),
        memoryview(b"-abcd-")[1:-1],
        array.array("B", b"abcd"),
        array.array("I", [int.from_bytes(b"abcd", sys.byteorder)]),
        Some(b"abcd"),
    ],
)
def test_ext_copies_other_buffers(data):
    ext = Ext(1, data)
    assert type(ext.data) is bytes
    assert ext.data == b"abcd"


def test_ext_does_not_keep_the_buffer():
    buffer = bytearray(b"abc")
    ext = Ext(1, buffer)
    buffer.clear()
    assert ext.data == b"abc"


@pytest.mark.parametrize("code", [True, False, 1.0, "1", None, b"1"])
def test_ext_codes_are_ints(code):
    with pytest.raises(TypeError, match=f"^code must be an int, not {type(code).__name__}$"):
        Ext(code, b"")


@pytest.mark.parametrize("code", [-129, 128, 255, 2**70, Number(128)])
def test_ext_codes_have_a_range(code):
    with pytest.raises(ValueError, match=f"^code must be from -128 to 127, not {int(code)}$"):
        Ext(code, b"")


@pytest.mark.parametrize("data", ["abc", None, 5, [1], object()])
def test_ext_data_are_bytes(data):
    with pytest.raises(TypeError, match=f"^data must be bytes or a buffer, not {type(data).__name__}$"):
        Ext(1, data)
    with pytest.raises(TypeError):
        Ext(1)
    with pytest.raises(TypeError):
        Ext(1, b"", b"")


def test_ext_data_are_contiguous():
    with pytest.raises(ValueError, match=r"^data must be contiguous$"):
        Ext(1, memoryview(b"abcdef")[::2])
    closed = memoryview(b"a")
    closed.release()
    with pytest.raises(ValueError):
        Ext(1, closed)


def test_ext_is_a_value():
    assert Ext(1, b"a") == Ext(1, bytearray(b"a"))
    assert len({Ext(1, b"a"), Ext(1, b"a"), Ext(2, b"a"), Ext(1, b"b")}) == 3
    for other in (Ext(2, b"a"), Ext(1, b"b"), (1, b"a"), b"a", None):
        assert Ext(1, b"a") != other
    assert repr(Ext(-1, b"\0a")) == "Ext(code=-1, data=b'\\x00a')"
    assert eval(repr(Ext(-1, b"\0a"))) == Ext(-1, b"\0a")
    with pytest.raises(TypeError):
        sorted([Ext(1, b""), Ext(0, b"")])
    match Ext(3, b"x"):
        case Ext(3, data):
            assert data == b"x"
        case _:
            raise AssertionError


# Both.


@pytest.mark.parametrize("value", [Ext(-7, b"abc"), Timestamp(-5, 6)])
def test_they_are_immutable(value):
    for name in (*type(value).__match_args__, "other"):
        with pytest.raises(AttributeError, match=f"^{type(value).__name__} is immutable$"):
            setattr(value, name, 1)
        with pytest.raises(AttributeError, match=f"^{type(value).__name__} is immutable$"):
            delattr(value, name)
    assert not hasattr(value, "__dict__")


@pytest.mark.parametrize("value", [Ext(-7, b"abc"), Timestamp(-5, 6)])
def test_they_are_pickled_and_copied(value):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        twin = pickle.loads(pickle.dumps(value, protocol))
        assert twin == value
        assert type(twin) is type(value)
    assert copy.copy(value) == value
    assert copy.deepcopy([value]) == [value]
    assert type(value).__module__ == "oxwire.msgpack"


def test_subclasses():
    class Marked(Ext):
        pass

    class Moment(Timestamp):
        pass

    assert repr(Marked(1, b"")) == "Marked(code=1, data=b'')"
    assert Marked(1, b"") == Ext(1, b"")
    assert type(Moment.from_unix(1.5)) is Moment
    assert repr(copy.copy(Moment(1))) == "Moment(seconds=1, nanoseconds=0)"
    assert Moment(1) == Timestamp(1)
    assert Moment(1) < Timestamp(2)


def test_nothing_is_imported_for_them():
    code = "import sys, oxwire._msgpack as m; m.Timestamp(1).to_bytes(); print(*{'datetime', 'struct'} & {*sys.modules})"
    # Without the package itself, which imports more, but for what finds its modules.
    code = (
        f"import sys, types; p = types.ModuleType('oxwire'); p.__path__ = [{path()!r}]; sys.modules['oxwire'] = p\n"
        "import oxwire._archive as archive; p.__path__.append(archive.PATH)\n"
        # That has them read by the extension.
        "import oxwire._oxwire; [sys.modules.pop(one, None) for one in ('datetime', 'struct', 'oxwire._msgpack')]\n"
        + code
    )
    ran = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""


def path():
    import oxwire

    return oxwire.__path__[0]


# Timestamp.


def test_timestamp_keeps_what_it_is_given():
    assert (Timestamp(5).seconds, Timestamp(5).nanoseconds) == (5, 0)
    moment = Timestamp(seconds=-(2**63), nanoseconds=GIGA - 1)
    assert (moment.seconds, moment.nanoseconds) == (-(2**63), GIGA - 1)
    assert Timestamp(TOP).seconds == TOP
    assert type(Timestamp(Number(5), Number(6)).seconds) is int
    assert type(Timestamp(Number(5), Number(6)).nanoseconds) is int
    match moment:
        case Timestamp(seconds, nanoseconds=parts):
            assert (seconds, parts) == (-(2**63), GIGA - 1)


def test_timestamp_refuses():
    for bad in (1.0, "1", None, True):
        with pytest.raises(TypeError, match=r"^seconds must be an integer$"):
            Timestamp(bad)
        with pytest.raises(TypeError, match=r"^nanoseconds must be an integer$"):
            Timestamp(0, bad)
    for bad in (-1, GIGA, 2**70):
        with pytest.raises(
            ValueError, match=r"^nanoseconds must be a non-negative integer less than 999999999\.$"
        ):
            Timestamp(0, bad)
    for bad in (TOP + 1, -TOP - 2, 10**30):
        with pytest.raises(ValueError, match=r"^seconds must be from -2\*\*63 to 2\*\*63 - 1$"):
            Timestamp(bad)
    with pytest.raises(TypeError):
        Timestamp()


@given(timestamps, timestamps)
def test_timestamps_compare_as_their_nanoseconds(left, right):
    a, b = left.to_unix_nano(), right.to_unix_nano()
    assert (left == right, left != right) == (a == b, a != b)
    assert (left < right, left <= right, left > right, left >= right) == (a < b, a <= b, a > b, a >= b)
    if a == b:
        assert hash(left) == hash(right)


def test_timestamps_compare_with_nothing_else():
    for other in (1, 1.0, (1, 0), None, datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)):
        assert Timestamp(1) != other
        with pytest.raises(TypeError):
            assert Timestamp(1) < other
        with pytest.raises(TypeError):
            assert other >= Timestamp(1)
    assert repr(Timestamp(-1, 5)) == "Timestamp(seconds=-1, nanoseconds=5)"


@pytest.mark.parametrize(
    ("moment", "hexadecimal"),
    [
        (Timestamp(0), "00000000"),
        (Timestamp(2**32 - 1), "ffffffff"),
        (Timestamp(2**32), "0000000100000000"),
        (Timestamp(0, 1), "0000000400000000"),
        (Timestamp(2**34 - 1, GIGA - 1), "ee6b27ffffffffff"),
        (Timestamp(2**34), "000000000000000400000000"),
        (Timestamp(-1), "00000000ffffffffffffffff"),
        (Timestamp(-1, GIGA - 1), "3b9ac9ffffffffffffffffff"),
        (Timestamp(-(2**63)), "000000008000000000000000"),
        (Timestamp(TOP, 1), "000000017fffffffffffffff"),
    ],
)
def test_bodies(moment, hexadecimal):
    assert moment.to_bytes().hex() == hexadecimal
    assert Timestamp.from_bytes(bytes.fromhex(hexadecimal)) == moment


@given(timestamps)
def test_bodies_there_and_back(moment):
    body = moment.to_bytes()
    assert Timestamp.from_bytes(body) == moment
    assert Timestamp.from_bytes(bytearray(body)) == moment
    assert len(body) in (4, 8, 12)
    longest = struct.pack(">Iq", moment.nanoseconds, moment.seconds)
    assert Timestamp.from_bytes(longest) == moment


def test_bodies_that_are_none():
    for size in (0, 1, 3, 5, 7, 9, 11, 13):
        with pytest.raises(ValueError, match=r"32, 64, or 96-bit"):
            Timestamp.from_bytes(bytes(size))
    for bad in (b"\xff" * 8, struct.pack(">Iq", GIGA, 0)):
        with pytest.raises(ValueError, match=r"^nanoseconds must be"):
            Timestamp.from_bytes(bad)
    with pytest.raises(TypeError):
        Timestamp.from_bytes("abcd")


@given(timestamps)
def test_nanoseconds_there_and_back(moment):
    assert Timestamp.from_unix_nano(moment.to_unix_nano()) == moment
    assert moment.to_unix_nano() == moment.seconds * GIGA + moment.nanoseconds


def test_nanoseconds_are_ints():
    assert Timestamp.from_unix_nano(-1) == Timestamp(-1, GIGA - 1)
    with pytest.raises(TypeError):
        Timestamp.from_unix_nano(1.5)
    with pytest.raises(ValueError):
        Timestamp.from_unix_nano(2**63 * GIGA)


@pytest.mark.parametrize(
    ("number", "moment"),
    [
        (0, Timestamp(0)),
        (5, Timestamp(5)),
        (1.5, Timestamp(1, 500_000_000)),
        (-0.25, Timestamp(-1, 750_000_000)),
        (0.3, Timestamp(0, 300_000_000)),
        (1e-9, Timestamp(0, 1)),
        (-1e-20, Timestamp(0)),
        (-5.0, Timestamp(-5)),
        (-5.000000001, Timestamp(-6, 999_999_998)),
        (1700000000.125, Timestamp(1700000000, 125_000_000)),
        (2**60 + 1, Timestamp(2**60 + 1)),
    ],
)
def test_seconds(number, moment):
    assert Timestamp.from_unix(number) == moment


@given(st.floats(-1e12, 1e12))
def test_seconds_there_and_back(number):
    assert abs(number - Timestamp.from_unix(number).to_unix()) <= 2e-9 + abs(number) * 1e-15


def test_seconds_that_are_none():
    for bad in (float("nan"), float("inf"), -float("inf")):
        with pytest.raises((ValueError, OverflowError)):
            Timestamp.from_unix(bad)
    with pytest.raises(ValueError):
        Timestamp.from_unix(1e30)
    with pytest.raises(TypeError):
        Timestamp.from_unix("1")
    assert Timestamp(1, 500_000_000).to_unix() == 1.5
    assert type(Timestamp(1).to_unix()) is float


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1970-01-01T00:00:00+00:00", Timestamp(0)),
        ("1969-12-31T23:59:59.999999+00:00", Timestamp(-1, 999_999_000)),
        ("0001-01-01T00:00:00+00:00", Timestamp(-62135596800)),
        ("9999-12-31T23:59:59.999999+00:00", Timestamp(253402300799, 999_999_000)),
        ("9999-12-31T23:59:59.999999-14:00", Timestamp(253402351199, 999_999_000)),
        ("2026-03-04T05:06:07.000001+05:30", Timestamp(1772580967, 1000)),
    ],
)
def test_datetimes(text, moment):
    aware = datetime.fromisoformat(text)
    assert Timestamp.from_datetime(aware) == moment
    if aware.tzinfo is UTC:
        assert moment.to_datetime() == aware
        assert moment.to_datetime().tzinfo is UTC


def test_datetimes_lose_less_than_a_microsecond():
    assert Timestamp(5, 1999).to_datetime() == datetime(1970, 1, 1, 0, 0, 5, 1, tzinfo=UTC)
    assert Timestamp(-1, 999).to_datetime() == datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)
    last = Timestamp(253402300799, GIGA - 1)
    assert last.to_datetime() == datetime.max.replace(tzinfo=UTC)
    for beyond in (Timestamp(253402300800), Timestamp(-62135596801), Timestamp(TOP), Timestamp(-(2**63))):
        with pytest.raises(OverflowError):
            beyond.to_datetime()


def test_naive_datetimes_are_local_time():
    naive = datetime(2026, 7, 8, 9, 10, 11, 12)
    assert Timestamp.from_datetime(naive) == Timestamp.from_datetime(naive.astimezone())
    for zone in ("Europe/Berlin", "Asia/Kolkata"):
        for fold in (0, 1):
            aware = datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo(zone), fold=fold)
            assert Timestamp.from_datetime(aware).seconds == int(aware.timestamp())


def test_datetimes_that_are_none():
    class Odd(tzinfo):
        def utcoffset(self, moment):
            return None

    class Broken(tzinfo):
        def utcoffset(self, moment):
            raise KeyError("zone")

    with pytest.raises(TypeError):
        Timestamp.from_datetime(datetime(2026, 1, 1, tzinfo=Odd()))
    with pytest.raises(KeyError):
        Timestamp.from_datetime(datetime(2026, 1, 1, tzinfo=Broken()))
    for bad in (5, "2026-01-01", None, timedelta(1), datetime(2026, 1, 1).date()):
        with pytest.raises(TypeError, match=f"^a datetime is required, not {type(bad).__name__}$"):
            Timestamp.from_datetime(bad)


# Beside msgpack's own.


@pytest.fixture(scope="module")
def original():
    return pytest.importorskip("msgpack", minversion="1.2", reason="needs msgpack to compare with")


@pytest.mark.peer
@given(seconds=seconds, nanoseconds=nanoseconds)
def test_does_what_msgpack_s_does(original, seconds, nanoseconds):
    ours, theirs = Timestamp(seconds, nanoseconds), original.Timestamp(seconds, nanoseconds)
    assert repr(ours) == repr(theirs)
    assert ours.to_bytes() == theirs.to_bytes()
    assert ours.to_unix() == theirs.to_unix()
    assert ours.to_unix_nano() == theirs.to_unix_nano()
    assert outcome(ours.to_datetime) == outcome(theirs.to_datetime)


@pytest.mark.peer
@given(st.one_of(st.floats(-1e15, 1e15), st.integers(-(2**62), 2**62)))
def test_from_unix_does_what_msgpack_s_does(original, number):
    theirs = outcome(original.Timestamp.from_unix, number)
    if theirs[0] == "value":
        theirs = theirs[1].seconds, theirs[1].nanoseconds
        ours = Timestamp.from_unix(number)
        assert (ours.seconds, ours.nanoseconds) == theirs


@pytest.mark.peer
@given(st.datetimes(timezones=st.sampled_from([None, UTC, timezone(timedelta(hours=-3, minutes=-30))])))
def test_from_datetime_does_what_msgpack_s_does(original, moment):
    ours = outcome(Timestamp.from_datetime, moment)
    theirs = outcome(original.Timestamp.from_datetime, moment)
    assert repr(ours) == repr(theirs)


@pytest.mark.peer
@pytest.mark.parametrize("arguments", [("1",), (1.5,), (None,), (0, "1"), (0, 1.5), (0, -1), (0, GIGA)])
def test_refuses_what_msgpack_s_refuses(original, arguments):
    theirs = outcome(original.Timestamp, *arguments)
    assert theirs[0] != "value"
    assert outcome(Timestamp, *arguments) == theirs


def outcome(function, *arguments):
    try:
        return "value", function(*arguments)
    except Exception as error:
        return type(error), str(error)
