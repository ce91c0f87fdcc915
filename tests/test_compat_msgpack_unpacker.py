"""What msgpack's users rely on: Unpacker, fed or with a file, and what differs.

See test_compat_msgpack.py for `lib`.
"""

import array
import io
import random
import socket
import threading

import pytest
from test_compat_msgpack import lib, refuses

import oxwire.json
import oxwire.msgpack
from oxwire.compat import msgpack

__all__ = ["lib"]  # the fixture

NO_MORE = "No more data to unpack."
IN_FILE = "unpacker.feed() is not be able to use with `file_like`."
WRONG_HEADER = "Unexpected type header on stream"


class Chunks:
    """A file that gives these, and remembers what it was asked for."""

    def __init__(self, *chunks):
        self.chunks = list(chunks)
        self.asked = []

    def read(self, n):
        self.asked.append(n)
        return self.chunks.pop(0) if self.chunks else b""


def fed(lib, data, **options):
    unpacker = lib.Unpacker(**options)
    unpacker.feed(data)
    return unpacker


# Feeding.


def test_feed_and_iterate(lib):
    unpacker = lib.Unpacker()
    assert list(unpacker) == []
    assert unpacker.feed(b"\x01\xa1a\x92\x02") is None
    assert list(unpacker) == [1, "a"]
    unpacker.feed(b"\x03")
    assert list(unpacker) == [[2, 3]]
    assert iter(unpacker) is unpacker
    refuses(lib.OutOfData, NO_MORE, unpacker.unpack)
    with pytest.raises(StopIteration):
        next(unpacker)
    unpacker.feed(b"\x04\x05")
    assert unpacker.unpack() == 4
    assert next(unpacker) == 5
    assert next(unpacker, None) is None


def test_every_split_gives_the_same(lib):
    whole = (
        lib.packb([1, "abc", {"k": [b"xyz", 1.5, None]}, lib.ExtType(5, b"abc"), lib.Timestamp(1, 2)])
        + b"\x05\xc0"
    )
    values = [lib.unpackb(whole[:-2]), 5, None]
    for first in range(len(whole) + 1):
        unpacker = lib.Unpacker()
        got = []
        for part in (whole[:first], b"", whole[first:]):
            unpacker.feed(part)
            got += unpacker
        assert got == values
        assert unpacker.tell() == len(whole)
    unpacker = lib.Unpacker()
    got = []
    for byte in whole:
        unpacker.feed(bytes([byte]))
        try:
            got.append(unpacker.unpack())
        except lib.OutOfData:
            pass
    assert got == values


def test_what_can_be_fed(lib):
    unpacker = lib.Unpacker()
    for data in (
        b"\x01",
        bytearray(b"\x02"),
        memoryview(b"\x03"),
        memoryview(b"\x04-\x05-")[::2],
        array.array("b", [6]),
    ):
        unpacker.feed(data)
    unpacker.feed(memoryview(b"\x07\x08\x09\x0a").cast("B", (2, 2)))
    assert list(unpacker) == [*range(1, 11)]
    for bad in ("a", None, 5):
        refuses(TypeError, f"a bytes-like object is required, not '{type(bad).__name__}'", unpacker.feed, bad)
    refuses(BufferError, "cannot unpack from multi-byte object", unpacker.feed, array.array("H", [1]))
    assert list(unpacker) == []


def test_what_was_fed_may_change(lib):
    buffer = bytearray(b"\xa1a")
    unpacker = fed(lib, buffer)
    buffer[1] = 0x62
    buffer.clear()
    assert unpacker.unpack() == "a"


def test_options(lib):
    packed = b"\x92\xa1a\x90\x81\xc4\x01b\xd4\x05c\xd6\xff\x00\x00\x00\x01"
    assert list(fed(lib, packed)) == [["a", []], {b"b": lib.ExtType(5, b"c")}, lib.Timestamp(1)]
    options = {"use_list": False, "raw": True, "ext_hook": lambda code, data: (code, data), "timestamp": 2}
    assert list(fed(lib, packed, **options)) == [(b"a", ()), {b"b": (5, b"c")}, 10**9]
    assert list(fed(lib, b"\x81\x01\x90", strict_map_key=False, list_hook=len)) == [{1: 0}]
    assert list(fed(lib, b"\x81\xa1a\x01\x80", object_hook=len)) == [1, 0]
    assert list(fed(lib, b"\x81\xa1a\x01", object_pairs_hook=list)) == [[("a", 1)]]
    assert list(fed(lib, b"\xa1\xff", unicode_errors="surrogateescape")) == ["\udcff"]
    for bad in ({"timestamp": 4}, {"read_size": 10, "max_buffer_size": 5}):
        with pytest.raises(ValueError):
            lib.Unpacker(**bad)
    for bad in (
        {"ext_hook": 5},
        {"object_hook": len, "object_pairs_hook": len},
        {"max_str_len": "a"},
        {"read_size": "a"},
    ):
        with pytest.raises(TypeError):
            lib.Unpacker(**bad)
    text = "read_size should be less or equal to max_buffer_size"
    refuses(ValueError, text, lib.Unpacker, read_size=10, max_buffer_size=5)


# Limits.


def test_max_buffer_size(lib):
    unpacker = fed(lib, b"\x01" * 5, max_buffer_size=5)
    refuses(lib.BufferFull, "", unpacker.feed, b"\x01")
    assert list(unpacker) == [1] * 5
    refuses(lib.BufferFull, "", unpacker.feed, b"\x01" * 6)
    assert list(unpacker) == []
    unpacker.feed(b"\xa4abcd")
    assert unpacker.unpack() == "abcd"
    unpacker.feed(b"\xa9abcd")
    refuses(lib.OutOfData, NO_MORE, unpacker.unpack)
    refuses(lib.BufferFull, "", unpacker.feed, b"efghij")
    unpacker = lib.Unpacker(max_buffer_size=0)
    unpacker.feed(b"\xa1a" * 1000)
    assert len(list(unpacker)) == 1000


def test_limits_follow_from_max_buffer_size(lib):
    for packed in (b"\xdd\0\0\0\xc8", b"\x91\xdc\0\xc8"):
        with pytest.raises(
            ValueError, match=r"200 exceeds max_array_len\(100\)|more items than `max_array_len`"
        ):
            fed(lib, packed, max_buffer_size=100).unpack()
    with pytest.raises(ValueError, match=r"51 exceeds max_map_len\(50\)|more entries than `max_map_len`"):
        fed(lib, b"\xde\x00\x33", max_buffer_size=100).unpack()
    with pytest.raises(ValueError, match=r"3 exceeds max_str_len\(2\)|longer than `max_str_len`"):
        fed(lib, b"\xa3abc", max_str_len=2).unpack()
    assert fed(lib, b"\xa3abc", max_str_len=3).unpack() == "abc"


# Files.


def test_files(lib):
    assert list(lib.Unpacker(io.BytesIO(b"\x01\xa1a\x91\x02"))) == [1, "a", [2]]
    assert list(lib.Unpacker(file_like=io.BytesIO(b"\x01\x92\x02"))) == [1]
    file = Chunks(b"\x93", b"\x01", b"\x02\x03\x04")
    assert list(lib.Unpacker(file)) == [[1, 2, 3], 4]
    assert file.asked == [1024 * 1024] * 4
    file = Chunks(b"\x01\x02", b"\x03")
    assert list(lib.Unpacker(file, max_buffer_size=2, read_size=2)) == [1, 2, 3]
    assert file.asked == [2, 2, 2]
    file = Chunks(b"\x01")
    lib.Unpacker(file, max_buffer_size=1000).unpack()
    assert file.asked == [1000]
    unpacker = lib.Unpacker(Chunks(b"\xa9ab", b"cd", b"e"), max_buffer_size=4)
    refuses(lib.BufferFull, "", unpacker.unpack)
    refuses(lib.BufferFull, "", lib.Unpacker(Chunks(b"\x01" * 9), max_buffer_size=3).unpack)
    unpacker = lib.Unpacker(Chunks(b"\x92\x01"))
    refuses(lib.OutOfData, NO_MORE, unpacker.unpack)
    refuses(lib.OutOfData, NO_MORE, unpacker.unpack)


def test_files_that_are_none(lib):
    for bad in (5, object()):
        with pytest.raises(AttributeError, match="has no attribute 'read'"):
            lib.Unpacker(bad)

    class Odd:
        read = 5

    refuses(TypeError, "`file_like.read` must be a callable.", lib.Unpacker, Odd())
    for bad, name in (("a", "str"), (bytearray(b"\x01"), "bytearray"), (memoryview(b"\x01"), "memoryview")):
        refuses(TypeError, f"expected bytes, {name} found", lib.Unpacker(Chunks(bad)).unpack)
    refuses(lib.OutOfData, NO_MORE, lib.Unpacker(Chunks(None)).unpack)

    class Broken:
        def read(self, n):
            raise OSError("gone")

    refuses(OSError, "gone", lib.Unpacker(Broken()).unpack)
    refuses(OSError, "gone", list, lib.Unpacker(Broken()))


def test_feed_and_files_exclude_each_other(lib):
    unpacker = lib.Unpacker(io.BytesIO(b"\x01"))
    refuses(AssertionError, IN_FILE, unpacker.feed, b"\x02")
    assert list(unpacker) == [1]
    # At the end of the file it is let go of.
    unpacker.feed(b"\x03")
    assert list(unpacker) == [3]


def test_sockets(lib):
    left, right = socket.socketpair()
    with left, right:
        sent = [{"n": n, "x": "y" * n} for n in range(300)]

        def work():
            packer = lib.Packer()
            for value in sent:
                left.sendall(packer.pack(value))
            left.shutdown(socket.SHUT_WR)

        thread = threading.Thread(target=work)
        thread.start()
        with right.makefile("rb", buffering=0) as file:
            assert list(lib.Unpacker(file, read_size=100)) == sent
        thread.join()


# Other ways to read.


def test_skip(lib):
    unpacker = fed(lib, b"\x93\x01\x81\xa1a\x02\x90\x05\xa1\xff\x81\x01\x02\x06")
    assert unpacker.skip() is None
    assert unpacker.tell() == 7
    assert unpacker.unpack() == 5
    # Neither text nor keys are looked at.
    unpacker.skip()
    unpacker.skip()
    assert unpacker.unpack() == 6
    refuses(lib.OutOfData, NO_MORE, unpacker.skip)
    unpacker.feed(b"\x92\x01")
    refuses(lib.OutOfData, NO_MORE, unpacker.skip)
    unpacker.feed(b"\x02\x07")
    unpacker.skip()
    assert unpacker.unpack() == 7
    assert lib.Unpacker(Chunks(b"\x92\x01", b"\x02")).skip() is None
    refuses(lib.OutOfData, NO_MORE, lib.Unpacker(Chunks(b"\x92\x01")).skip)


def test_headers(lib):
    unpacker = fed(
        lib,
        b"\x93\x01\x82\xa1a\x02\xa1b\x90\x03\xdc\x00\x02\x04\x05\xde\x00\x01\xa1c\x06\xdd\0\0\0\x00\xdf\0\0\0\x00",
    )
    assert unpacker.read_array_header() == 3
    assert unpacker.unpack() == 1
    assert unpacker.read_map_header() == 2
    assert [unpacker.unpack() for _ in range(3)] == ["a", 2, "b"]
    assert unpacker.read_array_header() == 0
    assert unpacker.unpack() == 3
    assert unpacker.read_array_header() == 2
    assert [unpacker.unpack() for _ in range(2)] == [4, 5]
    assert unpacker.read_map_header() == 1
    assert [unpacker.unpack() for _ in range(2)] == ["c", 6]
    assert (unpacker.read_array_header(), unpacker.read_map_header()) == (0, 0)
    for call in (unpacker.read_array_header, unpacker.read_map_header):
        refuses(lib.OutOfData, NO_MORE, call)
    unpacker.feed(b"\xdc\x00")
    refuses(lib.OutOfData, NO_MORE, unpacker.read_array_header)
    unpacker.feed(b"\x03\x01")
    assert unpacker.read_array_header() == 3
    assert unpacker.unpack() == 1
    assert lib.Unpacker(Chunks(b"\xdc", b"\x00\x03")).read_array_header() == 3


def test_headers_of_something_else(lib):
    for packed, value in (
        (b"\x01", 1),
        (b"\xa1a", "a"),
        (b"\xc0", None),
        (b"\xdc\x00\x00", []),
        (b"\x80", {}),
    ):
        unpacker = fed(lib, packed)
        for wrong in (unpacker.read_array_header, unpacker.read_map_header):
            if (wrong.__name__, type(value)) not in (("read_array_header", list), ("read_map_header", dict)):
                refuses(ValueError, WRONG_HEADER, wrong)
        # Nothing was used up.
        assert unpacker.tell() == 0
        assert unpacker.unpack() == value


def test_read_bytes(lib):
    unpacker = fed(lib, b"\x01abcdef")
    assert unpacker.unpack() == 1
    assert unpacker.read_bytes(2) == b"ab"
    assert unpacker.tell() == 3
    assert unpacker.read_bytes(0) == b""
    assert unpacker.read_bytes(10) == b"cdef"
    assert unpacker.read_bytes(1) == b""
    assert unpacker.tell() == 7
    with pytest.raises(TypeError):
        unpacker.read_bytes("a")
    unpacker = lib.Unpacker(io.BytesIO(b"\x01abcdef\x02"), read_size=3)
    assert unpacker.unpack() == 1
    assert unpacker.read_bytes(6) == b"abcdef"
    assert unpacker.tell() == 7
    assert unpacker.unpack() == 2
    assert unpacker.read_bytes(5) == b""


def test_tell(lib):
    unpacker = lib.Unpacker()
    assert unpacker.tell() == 0
    for position, part in ((1, b"\x01"), (3, b"\xa1a"), (7, b"\x93\x01\x02\x03")):
        unpacker.feed(part)
        unpacker.unpack()
        assert unpacker.tell() == position
    unpacker = lib.Unpacker(io.BytesIO(b"\xa1a" * 1000), read_size=7)
    for n in range(1, 1001):
        unpacker.unpack()
        assert unpacker.tell() == 2 * n


# Faults.


def test_faults(lib):
    for call in ("unpack", "__next__"):
        for packed in (b"\xc1", b"\x92\x01\xc1", b"\x81\xa1a\xc1"):
            refuses(lib.FormatError, "", getattr(fed(lib, packed), call))
        for packed in (b"\x91" * 1025 + b"\x01", b"\x91" * 1024 + b"\x90"):
            refuses(lib.StackError, "", getattr(fed(lib, packed), call))
        assert len(getattr(fed(lib, b"\x91" * 1024 + b"\x01"), call)()) == 1
        text = "'utf-8' codec can't decode byte 0xff in position 1: invalid start byte"
        for packed in (b"\xa2a\xff", b"\x92\x01\xa2a\xff", b"\x81\xa2a\xff\x01"):
            error = refuses(UnicodeDecodeError, text, getattr(fed(lib, packed), call))
            assert error.object == b"a\xff"
    refuses(lib.FormatError, "", fed(lib, b"\xc1").skip)
    refuses(lib.FormatError, "", lib.Unpacker(Chunks(b"\x92", b"\xc1")).unpack)


def test_faults_of_values(lib):
    for packed in (
        b"\x81\x01\x02",
        b"\x81\x80\x02",
        b"\x81\xd4\x05a\x02",
        b"\xd5\xffab",
        b"\xd7" + b"\xff" * 9,
    ):
        with pytest.raises(ValueError) as caught:
            fed(lib, packed).unpack()
        assert type(caught.value) is ValueError
    with pytest.raises(TypeError):
        fed(lib, b"\x81\x80\x02", strict_map_key=False).unpack()
    refuses(
        OverflowError,
        "date value out of range",
        fed(lib, b"\xc7\x0c\xff" + b"\0" * 6 + b"\x40" + b"\0" * 5, timestamp=3).unpack,
    )
    refuses(ValueError, "code must be 0~127", fed(lib, b"\xd4\x80a").unpack)


@pytest.mark.parametrize(
    "error", [KeyError("k"), ValueError("v"), EOFError("e"), KeyboardInterrupt(), SystemExit(3)]
)
def test_hooks_raise(lib, error):
    def hook(value):
        raise error

    for make in (
        lambda: fed(lib, b"\x91\x01\x05", list_hook=hook),
        lambda: lib.Unpacker(Chunks(b"\x91\x01\x05"), list_hook=hook),
    ):
        for call in ("unpack", "__next__"):
            unpacker = make()
            with pytest.raises(type(error)) as caught:
                getattr(unpacker, call)()
            assert caught.value is error
            assert caught.value.__cause__ is None


def test_hooks_stop_the_iteration(lib):
    def hook(value):
        raise stop

    stop = StopIteration("hook")
    unpacker = lib.Unpacker(Chunks(b"\x91\x01", b"\x05"), list_hook=hook)
    with pytest.raises(StopIteration) as caught:
        next(unpacker)
    assert caught.value is stop
    with pytest.raises(StopIteration):
        fed(lib, b"\x91\x01", list_hook=hook).unpack()


# Classes.


def test_unpackers_can_be_subclassed(lib):
    class Mine(lib.Unpacker):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            self.count = 0

        def unpack(self):
            self.count += 1
            return "mine", super().unpack()

        def __next__(self):
            return "next", super().__next__()

    mine = Mine(use_list=False)
    mine.feed(b"\x91\x01\x02\x03")
    assert mine.unpack() == ("mine", (1,))
    assert list(mine) == [("next", 2), ("next", 3)]
    assert mine.count == 1
    assert not hasattr(lib.Unpacker(), "__dict__")


def test_an_unpacker_can_be_made_anew(lib):
    unpacker = fed(lib, b"\x92\x01")
    unpacker.__init__(use_list=False)
    unpacker.feed(b"\x90")
    assert unpacker.unpack() == ()
    assert unpacker.tell() == 1


# What differs.


def test_incomplete_objects_use_nothing_up():
    unpacker = fed(msgpack, b"\x93\x01")
    refuses(msgpack.OutOfData, NO_MORE, unpacker.unpack)
    assert unpacker.tell() == 0
    assert unpacker.read_array_header() == 3
    assert unpacker.unpack() == 1
    unpacker.feed(b"\x92\x02")
    refuses(msgpack.OutOfData, NO_MORE, unpacker.skip)
    assert unpacker.read_bytes(2) == b"\x92\x02"


def test_max_buffer_size_counts_the_whole_object():
    file = io.BytesIO(b"\x9a" + b"\x01" * 10)
    refuses(msgpack.BufferFull, "", msgpack.Unpacker(file, max_buffer_size=10).unpack)


def test_an_unpacker_goes_on_behind_a_wrong_object():
    unpacker = fed(msgpack, b"\x92\xa1\xff\x02\x05\x91\xd5\xffab\x06")
    with pytest.raises(UnicodeDecodeError):
        unpacker.unpack()
    assert unpacker.unpack() == 5
    with pytest.raises(ValueError):
        unpacker.unpack()
    assert unpacker.unpack() == 6

    def hook(value):
        raise KeyError("hook")

    unpacker = fed(msgpack, b"\x92\x01\x02\x05", list_hook=hook)
    with pytest.raises(KeyError):
        unpacker.unpack()
    assert unpacker.unpack() == 5


def test_limits_hold_for_headers_and_skip_too():
    for packed in (b"\x93\x01\x02\x03", b"\xdc\x00\x03\x01\x02\x03"):
        with pytest.raises(ValueError):
            fed(msgpack, packed, max_array_len=2).read_array_header()
    with pytest.raises(ValueError):
        fed(msgpack, b"\xdc\x00\x03\x01\x02\x03", max_array_len=2).skip()


def test_short_arrays_over_the_limit_are_refused_when_they_are_whole():
    unpacker = msgpack.Unpacker(max_array_len=1)
    unpacker.feed(b"\x92\x01")
    assert list(unpacker) == []
    unpacker.feed(b"\x02")
    with pytest.raises(ValueError, match="exceeds max_array_len"):
        unpacker.unpack()


def test_skip_after_a_fault_passes_over_the_object():
    unpacker = msgpack.Unpacker()
    unpacker.feed(b"\x82\x05\x00\xa1a")
    with pytest.raises((ValueError, msgpack.OutOfData)):
        unpacker.unpack()
    for _ in range(2):
        with pytest.raises(msgpack.OutOfData):
            unpacker.skip()
    assert unpacker.tell() == 0
    unpacker.feed(b"\x01\x07")
    unpacker.skip()
    assert unpacker.tell() == 6
    assert unpacker.unpack() == 7


def test_init_called_again_begins_anew():
    unpacker = msgpack.Unpacker(use_list=False)
    unpacker.feed(b"\x01\x92\x01")
    assert unpacker.unpack() == 1
    unpacker.__init__()
    assert unpacker.tell() == 0
    unpacker.feed(b"\x91\x05")
    assert unpacker.unpack() == [5]
    packer = msgpack.Packer(autoreset=False)
    packer.pack(1)
    packer.__init__(autoreset=False)
    packer.pack(2)
    assert packer.bytes() == b"\x02"


def test_faults_of_hooks_and_files_are_theirs():
    def broken(value):
        oxwire.msgpack.decode(b"\xc1")

    for call in (
        lambda: msgpack.unpackb(b"\x90", list_hook=broken),
        lambda: fed(msgpack, b"\x90", list_hook=broken).unpack(),
        lambda: next(fed(msgpack, b"\x90", list_hook=broken)),
        lambda: msgpack.packb({1}, default=broken),
        lambda: msgpack.Packer(default=broken).pack({1}),
        lambda: msgpack.Packer(default=broken).pack_map_pairs([({1}, 2)]),
    ):
        with pytest.raises(oxwire.DecodeError):
            call()
    with pytest.raises(oxwire.EncodeError, match="at `\\$`"):
        msgpack.packb(object(), default=oxwire.json.encode)
    closed = io.BytesIO(b"\x91")
    closed.close()
    refuses(ValueError, "I/O operation on closed file.", msgpack.Unpacker(closed).read_array_header)


def test_negative_sizes():
    for options in ({"read_size": -1}, {"max_buffer_size": -5}):
        with pytest.raises(ValueError):
            msgpack.Unpacker(**options)
    with pytest.raises(ValueError):
        fed(msgpack, b"abc").read_bytes(-1)


@pytest.mark.parametrize(
    "method", ["unpack", "skip", "__next__", "tell", "read_array_header", "feed", "read_bytes", "__init__"]
)
def test_hooks_that_come_back_in(method):
    arguments = {"feed": (b"\x07",), "read_bytes": (1,)}.get(method, ())

    def hook(value):
        try:
            getattr(unpacker, method)(*arguments)
        except (RuntimeError, ValueError, StopIteration, msgpack.OutOfData):
            pass
        return value

    for packed in (b"\x91\x01", b"\x91\x01\x91\x02\x03" * 40, b"\x92\x91\x90\x91\x80"):
        unpacker = fed(msgpack, packed, list_hook=hook)
        assert unpacker.unpack() == msgpack.unpackb(packed[:2] if packed[0] == 0x91 else packed)


def test_two_threads_with_one_unpacker():
    unpacker = msgpack.Unpacker()
    got, faults = [], []

    def work(feeds):
        own = random.Random(feeds)
        for n in range(400):
            try:
                if feeds:
                    unpacker.feed(msgpack.packb(["x" * own.randrange(50), n]))
                else:
                    got.extend(unpacker)
            except RuntimeError:
                # In use by the other.
                pass
            except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault
                faults.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in (True, False, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    got.extend(unpacker)
    assert faults == []
    assert sorted(n for _, n in got) == sorted({n for _, n in got})
