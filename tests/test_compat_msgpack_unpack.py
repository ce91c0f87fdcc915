"""What msgpack's users rely on: unpackb, its options, limits and errors, and what differs.

See test_compat_msgpack.py for `lib`.
"""

import array
import datetime as dt
import math
import struct
import threading
import weakref

import pytest
from test_compat_msgpack import PACKED, lib, refuses

import oxwire.msgpack
from oxwire.compat import msgpack

__all__ = ["lib"]  # the fixture

UTC = dt.timezone.utc
INCOMPLETE = "Unpack failed: incomplete input"
TOO_MANY = "nanoseconds must be a non-negative integer not greater than 999999999."


def stamp(seconds, nanoseconds=0):
    """A timestamp in its longest form."""
    return b"\xc7\x0c\xff" + struct.pack(">Iq", nanoseconds, seconds)


# Values.


@pytest.mark.parametrize(
    ("packed", "value"),
    [
        ("c0", None),
        ("c2", False),
        ("c3", True),
        ("7f", 127),
        ("e0", -32),
        ("cc05", 5),
        ("cd0005", 5),
        ("ce00000005", 5),
        ("cf0000000000000005", 5),
        ("cfffffffffffffffff", 2**64 - 1),
        ("d0ff", -1),
        ("d1ffff", -1),
        ("d2ffffffff", -1),
        ("d30000000000000005", 5),
        ("d38000000000000000", -(2**63)),
        ("ca3fc00000", 1.5),
        ("ca3dcccccd", 0.10000000149011612),
        ("cb3ff8000000000000", 1.5),
        ("ca7f800000", math.inf),
        ("cbfff0000000000000", -math.inf),
        ("a161", "a"),
        ("d90161", "a"),
        ("da000161", "a"),
        ("db0000000161", "a"),
        ("a9c3a9e282acf09f9880", "é€😀"),
        ("c40161", b"a"),
        ("c5000161", b"a"),
        ("c60000000161", b"a"),
        ("90", []),
        ("dc0000", []),
        ("dd0000000101", [1]),
        ("80", {}),
        ("de0001a16101", {"a": 1}),
        ("df00000001a16101", {"a": 1}),
        ("82a16101a16102", {"a": 2}),
        ("82c4016101a16102", {b"a": 1, "a": 2}),
        ("929192c0c38181a1610190", None),
    ],
)
def test_values(lib, packed, value):
    if value is None and packed != "c0":
        # A map as a key.
        with pytest.raises(ValueError, match="strict_map_key"):
            lib.unpackb(bytes.fromhex(packed))
        return
    got = lib.unpackb(bytes.fromhex(packed))
    assert got == value
    assert type(got) is type(value)
    assert lib.unpackb(b"\x91" + bytes.fromhex(packed)) == [value]


def test_what_is_packed_is_unpacked(lib):
    for _, hexadecimal in PACKED:
        packed = bytes.fromhex(hexadecimal)
        value = lib.unpackb(packed, strict_map_key=False, use_list=False)
        assert lib.packb(value) == packed
    assert math.isnan(lib.unpackb(b"\xca\x7f\x80\x00\x01"))
    assert math.copysign(1, lib.unpackb(b"\xca\x80\0\0\0")) == -1


def test_inputs(lib):
    whole = b"\x92\x01\xa1a"
    for packed in (
        whole,
        bytearray(whole),
        memoryview(whole),
        array.array("B", whole),
        array.array("b", [-110, 1, -95, 97]),
    ):
        assert lib.unpackb(packed) == [1, "a"]
    assert lib.unpackb(memoryview(b"-".join([whole[n : n + 1] for n in range(4)]))[::2]) == [1, "a"]
    assert lib.unpackb(memoryview(whole).cast("B", (2, 2))) == [1, "a"]
    for bad in ("a", None, 5, [1]):
        refuses(TypeError, f"a bytes-like object is required, not '{type(bad).__name__}'", lib.unpackb, bad)
    refuses(BufferError, "cannot unpack from multi-byte object", lib.unpackb, array.array("H", [1]))


def test_extra_data(lib):
    for packed in (b"\x91\x01\x02\xc1", bytearray(b"\x91\x01\x02\xc1"), memoryview(b"\x91\x01\x02\xc1")):
        error = refuses(lib.ExtraData, "unpack(b) received extra data.", lib.unpackb, packed)
        assert (error.unpacked, error.extra) == ([1], b"\x02\xc1")
        assert type(error.extra) is bytes
        assert error.__context__ is None
    seen = []
    error = refuses(
        lib.ExtraData, "unpack(b) received extra data.", lib.unpackb, b"\x91\x01\x02", list_hook=seen.append
    )
    assert (error.unpacked, error.extra, seen) == (None, b"\x02", [[1]])
    error = refuses(lib.ExtraData, "unpack(b) received extra data.", lib.unpackb, b"\xa1a\xc0", raw=True)
    assert (error.unpacked, error.extra) == (b"a", b"\xc0")


# Errors.


def test_malformed(lib):
    for packed in (b"\xc1", b"\x92\x01\xc1", b"\x81\xc1\x01", b"\x81\xa1a\xc1", b"\x91\xc1\xff"):
        refuses(lib.FormatError, "", lib.unpackb, packed)
    for packed in (
        b"",
        b"\x92\x01",
        b"\xcc",
        b"\xcd\x01",
        b"\xd9",
        b"\xd9\x05ab",
        b"\xa2a",
        b"\xc4",
        b"\xc4\x02a",
    ):
        refuses(ValueError, INCOMPLETE, lib.unpackb, packed)
    for packed in (
        b"\xc7",
        b"\xc7\x05",
        b"\xd4",
        b"\xd4\x01",
        b"\xcb1234567",
        b"\xdb\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
    ):
        refuses(ValueError, INCOMPLETE, lib.unpackb, packed)
        refuses(ValueError, INCOMPLETE, lib.unpackb, b"\x91" + packed, list_hook=len)


def test_every_cut(lib):
    whole = lib.packb(
        [1, "abc", {"k": [b"xyz", 1.5, -1000, None]}, lib.ExtType(5, b"abc"), lib.Timestamp(1, 2), 2**40]
    )
    assert lib.packb(lib.unpackb(whole)) == whole
    for end in range(len(whole)):
        with pytest.raises(ValueError) as caught:
            lib.unpackb(whole[:end])
        assert type(caught.value) is ValueError
        assert str(caught.value) in (
            INCOMPLETE,
            f"6 exceeds max_array_len({end})",
            f"4 exceeds max_array_len({end})",
        )


def test_depth(lib):
    assert len(lib.unpackb(b"\x91" * 1024 + b"\x01")) == 1
    assert len(lib.unpackb(b"\x91" * 1023 + b"\x80")) == 1
    for packed in (
        b"\x91" * 1025 + b"\x01",
        b"\x91" * 1024 + b"\x90",
        b"\x91" * 1025,
        b"\x81\xa1a" * 1025 + b"\x01",
    ):
        refuses(lib.StackError, "", lib.unpackb, packed)


def test_limits_that_follow_from_the_input(lib):
    refuses(ValueError, "4294967295 exceeds max_array_len(5)", lib.unpackb, b"\xdd\xff\xff\xff\xff")
    refuses(ValueError, "4294967295 exceeds max_map_len(2)", lib.unpackb, b"\xdf\xff\xff\xff\xff")
    refuses(ValueError, "5 exceeds max_array_len(1)", lib.unpackb, b"\x95")
    refuses(ValueError, "3 exceeds max_map_len(1)", lib.unpackb, b"\x83\x01", object_hook=id)
    refuses(ValueError, "300 exceeds max_map_len(4)", lib.unpackb, b"\x92\x01\xde\x01\x2c\x01\x02\x03")


@pytest.mark.parametrize(
    ("kind", "packed", "sizes"),
    [
        ("str", b"\xa3abc", (3, 3)),
        ("str", b"\xda\x00\x03abc", (3, 3)),
        ("bin", b"\xc4\x03abc", (3, 3)),
        ("array", b"\x93\x01\x02\x03", (3, 3)),
        ("array", b"\xdc\x00\x03\x01\x02\x03", (3, 3)),
        ("map", b"\x83\xa1a\x01\xa1b\x02\xa1c\x03", (3, 3)),
        ("ext", b"\xc7\x03\x05abc", (3, 4)),
        ("ext", b"\xd5\x05ab", (2, 3)),
        ("ext", b"\xd6\xff\0\0\0\x01", (4, 5)),
        ("ext", b"\xd7\xff\0\0\0\0\0\0\0\x01", (8, 9)),
    ],
)
def test_limits(lib, kind, packed, sizes):
    size, said = sizes
    name = f"max_{kind}_len"
    for enough in (size, size + 1, 10**6, -1):
        lib.unpackb(packed, **{name: enough})
        lib.unpackb(b"\x92\x01" + packed, **{name: enough})
    for less in (size - 1, 1, 0):
        refuses(ValueError, f"{said} exceeds {name}({less})", lib.unpackb, packed, **{name: less})
        if kind not in ("array", "map"):
            refuses(
                ValueError,
                f"{said} exceeds {name}({less})",
                lib.unpackb,
                b"\x92\x01" + packed,
                **{name: less},
            )
    for bad in ("a", 1.5, None):
        with pytest.raises(TypeError):
            lib.unpackb(packed, **{name: bad})


# Options.


def test_use_list(lib):
    packed = b"\x92\x91\x01\x81\xa1a\x90"
    assert lib.unpackb(packed) == [[1], {"a": []}]
    assert lib.unpackb(packed, use_list=False) == ((1,), {"a": ()})
    assert lib.unpackb(packed, use_list=0) == ((1,), {"a": ()})
    many = lib.packb([7] * 20000)
    assert lib.unpackb(many, use_list=False) == (7,) * 20000


def test_raw(lib):
    packed = b"\x82\xa1a\xa2\xff\xfe\xc4\x01b\xc4\x01c"
    assert lib.unpackb(packed, raw=True) == {b"a": b"\xff\xfe", b"b": b"c"}
    assert lib.unpackb(b"\xa1a", raw=False) == "a"
    assert lib.unpackb(b"\xa1a", raw="x") == b"a"


def test_text_that_is_not_utf_8(lib):
    for body, text in (
        (b"\xff\xfe", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
        (b"ab\xed\xa0\x80", "'utf-8' codec can't decode byte 0xed in position 2: invalid continuation byte"),
        (b"ab\xe2\x82", "'utf-8' codec can't decode bytes in position 2-3: unexpected end of data"),
        (b"\xc0\x80", "'utf-8' codec can't decode byte 0xc0 in position 0: invalid start byte"),
    ):
        string = bytes([0xA0 + len(body)]) + body
        for packed in (
            string,
            b"\x92\x01" + string,
            b"\x81" + string + b"\x01",
            b"\x81\xa1k" + string,
            b"\xd9" + string[:1],
        ):
            if packed[0] == 0xD9:
                packed = b"\xd9" + bytes([len(body)]) + body
            error = refuses(UnicodeDecodeError, text, lib.unpackb, packed)
            assert error.object == body
            assert isinstance(error, ValueError)
            refuses(UnicodeDecodeError, text, lib.unpackb, packed, unicode_errors="strict")
    assert lib.unpackb(b"\xa2a\xff", unicode_errors="replace") == "a\ufffd"
    assert lib.unpackb(b"\x81\xa2a\xff\x01", unicode_errors="surrogateescape") == {"a\udcff": 1}
    assert lib.unpackb(b"\xa4a\xed\xa0\x80", unicode_errors="surrogatepass") == "a\ud800"
    assert lib.unpackb(b"\xa2a\xff", unicode_errors="ignore") == "a"
    assert lib.unpackb(b"\xa1a", unicode_errors="nope") == "a"
    with pytest.raises(LookupError):
        lib.unpackb(b"\xa1\xff", unicode_errors="nope")
    with pytest.raises(TypeError):
        lib.unpackb(b"\xa1a", unicode_errors=5)


def test_ext(lib):
    for packed in (b"\xd4\x05a", b"\xc7\x01\x05a", b"\xc8\x00\x01\x05a", b"\xc9\x00\x00\x00\x01\x05a"):
        ext = lib.unpackb(packed)
        assert type(ext) is lib.ExtType
        assert ext == (5, b"a")
    assert lib.unpackb(b"\xc7\x00\x05") == lib.ExtType(5, b"")
    refuses(ValueError, "code must be 0~127", lib.unpackb, b"\xd4\x80a")
    calls = []
    packed = b"\x93\xd4\x05a\xd4\x80b\xd6\xff\0\0\0\x01"
    assert lib.unpackb(packed, ext_hook=lambda *args: calls.append(args))[:2] == [None, None]
    assert calls == [(5, b"a"), (-128, b"b")]
    for error in (KeyError("k"), StopIteration(), KeyboardInterrupt()):

        def hook(code, data, error=error):
            raise error

        with pytest.raises(type(error)) as caught:
            lib.unpackb(packed, ext_hook=hook)
        assert caught.value is error
    refuses(TypeError, "ext_hook must be a callable.", lib.unpackb, b"\x01", ext_hook=5)


@pytest.mark.parametrize(
    ("seconds", "nanoseconds"),
    [
        (0, 999),
        (1, 999_999_999),
        (-1, 1),
        (-62135596800, 0),
        (253402300799, 999_999_999),
        (1700000000, 123456789),
    ],
)
def test_timestamps(lib, seconds, nanoseconds):
    packed = stamp(seconds, nanoseconds)
    assert lib.unpackb(packed) == lib.Timestamp(seconds, nanoseconds)
    assert type(lib.unpackb(packed)) is lib.Timestamp
    assert lib.unpackb(packed, timestamp=0) == lib.Timestamp(seconds, nanoseconds)
    assert lib.unpackb(packed, timestamp=1) == seconds + nanoseconds / 1e9
    assert lib.unpackb(packed, timestamp=2) == seconds * 10**9 + nanoseconds
    moment = dt.datetime(1970, 1, 1, tzinfo=UTC) + dt.timedelta(
        seconds=seconds, microseconds=nanoseconds // 1000
    )
    got = lib.unpackb([packed, b"\x91" + packed][1], timestamp=3)[0]
    assert got == moment
    assert got.tzinfo is UTC


def test_timestamps_at_the_ends(lib):
    for seconds in (2**63 - 1, -(2**63), 2**60):
        assert lib.unpackb(stamp(seconds, 5)) == lib.Timestamp(seconds, 5)
        assert lib.unpackb(stamp(seconds, 5), timestamp=1) == float(seconds)
        assert lib.unpackb(stamp(seconds, 5), timestamp=2) == seconds * 10**9 + 5
    for seconds in (-62135596801, 253402300800):
        refuses(OverflowError, "date value out of range", lib.unpackb, stamp(seconds), timestamp=3)
        refuses(
            OverflowError, "date value out of range", lib.unpackb, b"\x92\x01" + stamp(seconds), timestamp=3
        )
    for seconds in (2**63 - 1, -(2**63)):
        with pytest.raises(OverflowError):
            lib.unpackb(stamp(seconds), timestamp=3)
    for packed, seconds, nanoseconds in (
        (b"\xd6\xff\xff\xff\xff\xff", 2**32 - 1, 0),
        (b"\xd7\xff\xee\x6b\x27\xff" + b"\xff" * 4, 2**34 - 1, 999_999_999),
    ):
        assert lib.unpackb(packed) == lib.Timestamp(seconds, nanoseconds)


def test_timestamps_that_are_none(lib):
    for number in range(4):
        for size, packed in (
            (2, b"\xd5\xff\x01\x02"),
            (5, b"\xc7\x05\xff12345"),
            (0, b"\xc7\x00\xff"),
            (16, b"\xd8\xff" + b"0" * 16),
        ):
            refuses(
                ValueError, f"invalid timestamp data (length {size})", lib.unpackb, packed, timestamp=number
            )
            refuses(
                ValueError,
                f"invalid timestamp data (length {size})",
                lib.unpackb,
                b"\x92\x01" + packed,
                timestamp=number,
            )
        refuses(ValueError, TOO_MANY, lib.unpackb, b"\xd7" + b"\xff" * 9, timestamp=number)
        refuses(ValueError, TOO_MANY, lib.unpackb, stamp(0, 10**9), timestamp=number, ext_hook=id)
    for bad in (-1, 4):
        refuses(ValueError, "timestamp must be 0..3", lib.unpackb, b"\x01", timestamp=bad)
    for bad in ("1", None):
        with pytest.raises(TypeError):
            lib.unpackb(b"\x01", timestamp=bad)
    assert lib.unpackb(b"\xd6\xff\0\0\0\1", timestamp=True) == 1.0


def test_strict_map_key(lib):
    for key, name in (
        (b"\x01", "int"),
        (b"\xd0\xff", "int"),
        (b"\xff", "int"),
        (b"\xc0", "NoneType"),
        (b"\xc2", "bool"),
        (b"\xc3", "bool"),
        (b"\xca\0\0\0\0", "float"),
        (b"\xcb" + bytes(8), "float"),
        (b"\x91\x01", "list"),
        (b"\xdc\x00\x00", "list"),
        (b"\x80", "dict"),
        (b"\xde\x00\x00", "dict"),
        (b"\xd4\x05a", "ExtType"),
        (b"\xc7\x00\x05", "ExtType"),
        (b"\xd6\xff\0\0\0\1", "Timestamp"),
        (stamp(5), "Timestamp"),
    ):
        text = f"{name} is not allowed for map key when strict_map_key=True"
        for packed in (b"\x81" + key + b"\x02", b"\x92\x01\x82\xa1a\x02" + key + b"\x02"):
            refuses(ValueError, text, lib.unpackb, packed)
        refuses(ValueError, text, lib.unpackb, packed, strict_map_key=True, object_hook=dict)
    packed = b"\x81\x91\x01\x02"
    text = "tuple is not allowed for map key when strict_map_key=True"
    refuses(ValueError, text, lib.unpackb, packed, use_list=False)
    for number, name in ((1, "float"), (2, "int"), (3, "datetime.datetime")):
        text = f"{name} is not allowed for map key when strict_map_key=True"
        refuses(ValueError, text, lib.unpackb, b"\x81\xd6\xff\0\0\0\1\x02", timestamp=number)
    assert lib.unpackb(b"\x82\xc4\x01a\x01\xa1a\x02") == {b"a": 1, "a": 2}
    assert lib.unpackb(b"\x81\xa1a\x01", raw=True) == {b"a": 1}


def test_any_map_key(lib):
    for key, value in (
        (b"\x01", 1),
        (b"\xc0", None),
        (b"\xc2", False),
        (b"\xca\0\0\0\0", 0.0),
        (b"\xd4\x05a", (5, b"a")),
        (b"\xd6\xff\0\0\0\1", lib.Timestamp(1)),
        (b"\xa1a", "a"),
    ):
        assert lib.unpackb(b"\x81" + key + b"\x02", strict_map_key=False) == {value: 2}
    assert lib.unpackb(b"\x81\x92\x01\x91\xa1a\x02", strict_map_key=False, use_list=False) == {(1, ("a",)): 2}
    for use_list in (True, False):
        refuses(
            TypeError,
            "unhashable type: 'dict'",
            lib.unpackb,
            b"\x81\x80\x02",
            strict_map_key=False,
            use_list=use_list,
        )
    with pytest.raises(TypeError, match="unhashable"):
        lib.unpackb(b"\x81\xd4\x05a\x01", strict_map_key=False, ext_hook=lambda code, data: [])


def test_hooks(lib):
    packed = b"\x93\x82\xa1a\x81\xa1b\x01\xa1c\x90\x91\x02\x80"
    seen = []
    lib.unpackb(packed, object_hook=lambda value: seen.append(dict(value)) or "D")
    assert seen == [{"b": 1}, {"a": "D", "c": []}, {}]
    seen.clear()
    lib.unpackb(packed, object_pairs_hook=lambda value: seen.append(list(value)) or "D")
    assert seen == [[("b", 1)], [("a", "D"), ("c", [])], []]
    seen.clear()
    assert lib.unpackb(packed, list_hook=lambda value: seen.append(list(value)) or len(value)) == 3
    assert seen == [[], [2], [{"a": {"b": 1}, "c": 0}, 1, {}]]
    for use_list, kind in ((True, list), (False, tuple)):
        assert lib.unpackb(b"\x91\x90", list_hook=lambda value: (type(value), *value), use_list=use_list) == (
            kind,
            (kind,),
        )
    assert lib.unpackb(b"\x82\xa1a\x01\xa1a\x02", object_pairs_hook=lambda pairs: pairs) == [
        ("a", 1),
        ("a", 2),
    ]
    assert lib.unpackb(b"\x81\xa1a\x01", object_hook=lambda value: None) is None
    for name in ("object_hook", "object_pairs_hook", "list_hook"):
        refuses(TypeError, f"{name} must be a callable.", lib.unpackb, b"\x01", **{name: 5})
        assert lib.unpackb(b"\x81\xa1a\x90", **{name: None}) == {"a": []}
    text = "object_pairs_hook and object_hook are mutually exclusive."
    refuses(TypeError, text, lib.unpackb, b"\x01", object_hook=dict, object_pairs_hook=dict)


@pytest.mark.parametrize(
    "error", [KeyError("k"), ValueError("v"), StopIteration(), KeyboardInterrupt(), SystemExit(3)]
)
@pytest.mark.parametrize("name", ["object_hook", "object_pairs_hook", "list_hook"])
def test_hooks_raise(lib, name, error):
    def hook(value):
        raise error

    with pytest.raises(type(error)) as caught:
        lib.unpackb(b"\x91\x81\xa1a\x91\x01", **{name: hook})
    assert caught.value is error


# What differs.


def test_arrays_as_keys_come_as_tuples():
    for options in ({}, {"use_list": True}, {"object_pairs_hook": dict}):
        assert msgpack.unpackb(b"\x81\x92\x01\x91\xa1a\x02", strict_map_key=False, **options) == {
            (1, ("a",)): 2
        }


def test_more_differences():
    assert msgpack.unpackb(b"\xd4\x05a", ext_hook=None) == msgpack.ExtType(5, b"a")
    for name in ("timestamp", "max_str_len"):
        with pytest.raises(TypeError):
            msgpack.unpackb(b"\x01", **{name: 1.5})
    with pytest.raises(ValueError):
        msgpack.unpackb(b"\x01", max_str_len=-2)
    assert msgpack.unpackb(b"\xd4\xf9a", ext_hook=oxwire.msgpack.Ext) == oxwire.msgpack.Ext(-7, b"a")


def test_input_may_change_while_hooks_run():
    buffer = bytearray(b"\x92\x91\x01\xa1a")

    def hook(value):
        try:
            buffer.clear()
        except BufferError:
            pass
        return value

    assert msgpack.unpackb(buffer, list_hook=hook) == [[1], "a"]


def test_hooks_of_one_call_are_not_kept():
    class Context:
        def hook(self, value):
            return value

    for make in (lambda c: c.hook, lambda c: lambda value: c.hook(value)):
        context = Context()
        gone = weakref.ref(context)
        msgpack.unpackb(b"\x90", list_hook=make(context))
        msgpack.packb([{1}], default=(lambda c: lambda value: c.hook(list(value)))(context))
        del context
        assert gone() is None


def test_options_are_told_apart():
    for _ in range(3):
        for raw in (True, False, 1, 0):
            assert msgpack.unpackb(b"\xa1a", raw=raw) == (b"a" if raw else "a")
            assert msgpack.unpackb(b"\xa1a", use_list=True, raw=raw) == (b"a" if raw else "a")
        for number in range(100):
            assert msgpack.unpackb(b"\x91\x01", list_hook=lambda value, n=number: n) == number
            assert msgpack.packb([{1}], default=lambda value, n=number: n) == bytes([0x91, number])
            assert msgpack.unpackb(b"\xa1a", max_str_len=number + 1) == "a"
    # Flags are what is true, and need not be keys of a dict.
    assert msgpack.unpackb(b"\x90", use_list=[]) == ()
    assert msgpack.packb("x", use_bin_type=[], default=None) == b"\xa1x"
    with pytest.raises(TypeError, match="limit"):
        msgpack.unpackb(b"\x90", limit=5)


def test_threads_share_nothing():
    wrong = []

    def work(n):
        for _ in range(200):
            packed = msgpack.packb({"n": n, "x": "y" * n})
            if msgpack.unpackb(packed, object_hook=lambda value: (n, value)) != (n, {"n": n, "x": "y" * n}):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
