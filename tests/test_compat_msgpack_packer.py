"""What msgpack's users rely on: Packer and files, and what the face does with hostile objects.

See test_compat_msgpack.py for `lib`.
"""

import io
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from samples import nested
from test_compat_msgpack import lib, refuses

import oxwire.msgpack
from oxwire.compat import msgpack

__all__ = ["lib"]  # the fixture


# Packer.


def test_packer_gives_each_message(lib):
    packer = lib.Packer()
    assert [packer.pack(value) for value in (1, "a", [2])] == [b"\x01", b"\xa1a", b"\x91\x02"]
    assert packer.bytes() == b""
    assert packer.reset() is None
    assert bytes(packer.getbuffer()) == b""


def test_packer_gathers(lib):
    packer = lib.Packer(autoreset=False)
    assert packer.pack(1) is None
    assert packer.pack_array_header(2) is None
    assert packer.pack_map_header(1) is None
    assert packer.pack_map_pairs([("a", 2)]) is None
    assert packer.pack_ext_type(5, b"b") is None
    whole = b"\x01\x92\x81\x81\xa1a\x02\xd4\x05b"
    assert packer.bytes() == whole
    assert type(packer.bytes()) is bytes
    view = packer.getbuffer()
    assert isinstance(view, memoryview)
    assert view.readonly
    assert bytes(view) == whole
    del view
    packer.reset()
    assert packer.bytes() == b""
    packer.pack([])
    assert packer.bytes() == b"\x90"


def test_packer_does_not_change_what_is_looked_at(lib):
    packer = lib.Packer(autoreset=False)
    packer.pack(1)
    view = packer.getbuffer()
    text = "Existing exports of data: Packer cannot be changed"
    for call in (
        lambda: packer.pack(2),
        packer.reset,
        lambda: packer.pack_array_header(1),
        lambda: packer.pack_map_header(1),
        lambda: packer.pack_map_pairs([]),
        lambda: packer.pack_ext_type(1, b""),
    ):
        refuses(BufferError, text, call)
    assert packer.bytes() == bytes(view) == b"\x01"
    view.release()
    packer.pack(2)
    assert packer.bytes() == b"\x01\x02"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="a class of Python's own can be a buffer since 3.12")
def test_packer_is_a_buffer(lib):
    packer = lib.Packer(autoreset=False)
    packer.pack([1, 2])
    assert bytes(memoryview(packer)) == b"\x92\x01\x02"
    assert memoryview(packer).readonly


def test_packer_drops_all_when_it_fails(lib):
    packer = lib.Packer(autoreset=False)
    packer.pack(1)
    with pytest.raises(TypeError):
        packer.pack([2, object()])
    assert packer.bytes() == b""
    packer.pack(3)
    with pytest.raises(ValueError, match="recursion"):
        packer.pack(nested(2000))
    assert packer.bytes() == b""


def test_headers(lib):
    for size, few, many in (
        (0, "90", "80"),
        (15, "9f", "8f"),
        (16, "dc0010", "de0010"),
        (65535, "dcffff", "deffff"),
        (65536, "dd00010000", "df00010000"),
        (2**32 - 1, "ddffffffff", "dfffffffff"),
    ):
        assert lib.Packer().pack_array_header(size).hex() == few
        assert lib.Packer().pack_map_header(size).hex() == many
    packer = lib.Packer()
    refuses(ValueError, "array size must be non-negative", packer.pack_array_header, -1)
    refuses(ValueError, "map size must be non-negative", packer.pack_map_header, -1)
    refuses(ValueError, "array too large", packer.pack_array_header, 2**32)
    refuses(ValueError, "map too learge", packer.pack_map_header, 2**32)
    for bad in ("1", None, [1]):
        with pytest.raises(TypeError):
            packer.pack_array_header(bad)
    assert packer.pack_array_header(True) == b"\x91"


def test_map_pairs(lib):
    packer = lib.Packer(default=lambda value: "D")
    assert packer.pack_map_pairs([("a", 1), ("a", {2})]) == b"\x82\xa1a\x01\xa1a\xa1D"
    assert packer.pack_map_pairs({"b": 1}.items()) == b"\x81\xa1b\x01"
    assert packer.pack_map_pairs([([1], {"x": None})]) == b"\x81\x91\x01\x81\xa1x\xc0"
    assert packer.pack_map_pairs([]) == b"\x80"
    assert packer.pack_map_pairs([(n, n) for n in range(16)])[:3] == b"\xde\x00\x10"
    for bad in (iter([(1, 2)]), 5, [1]):
        with pytest.raises(TypeError):
            packer.pack_map_pairs(bad)
    for bad in ([(1, 2, 3)], [(1,)]):
        with pytest.raises(ValueError):
            packer.pack_map_pairs(bad)
    refuses(TypeError, "can not serialize 'set' object", lib.Packer().pack_map_pairs, [(1, {2})])
    assert lib.Packer().pack_map_pairs([(1, nested(1024))])[:2] == b"\x81\x01"


def test_ext_types(lib):
    packer = lib.Packer()
    for code in (-128, -1, 0, 5, 127):
        assert packer.pack_ext_type(code, b"ab") == b"\xd5" + bytes([code & 255]) + b"ab"
    assert packer.pack_ext_type(1, bytearray(b"abc")) == b"\xc7\x03\x01abc"
    assert packer.pack_ext_type(1, b"")[:3] == b"\xc7\x00\x01"
    for code in (-129, 128, 200, 2**31 - 1):
        refuses(OverflowError, "value too large to convert to char", packer.pack_ext_type, code, b"")
    for arguments in (("a", b""), (None, b""), (1, 5), (1, None)):
        with pytest.raises(TypeError):
            packer.pack_ext_type(*arguments)


def test_packers_can_be_subclassed(lib):
    class Mine(lib.Packer):
        def __init__(self, *, extra, **options):
            super().__init__(**options)
            self.extra = extra

        def pack(self, obj):
            return super().pack([self.extra, obj])

    assert Mine(extra="x", use_bin_type=False).pack(b"a") == b"\x92\xa1x\xa1a"
    assert not hasattr(lib.Packer(), "__dict__")


# Files.


def test_pack_and_unpack(lib):
    file = io.BytesIO()
    assert lib.pack([1], file) is None
    assert lib.dump({"a": {2}}, stream=file, default=list) is None
    assert file.getvalue() == b"\x91\x01\x81\xa1a\x91\x02"
    assert lib.unpack(io.BytesIO(b"\x91\x01"), use_list=False) == (1,)
    assert lib.load(stream=io.BytesIO(b"\x01")) == 1
    with pytest.raises(lib.ExtraData):
        lib.load(io.BytesIO(b"\x01\x02"))
    with pytest.raises(AttributeError):
        lib.pack(1, None)


def test_pack_into_a_raw_file(tmp_path):
    class Slow(io.RawIOBase):
        def __init__(self):
            self.taken = b""

        def writable(self):
            return True

        def write(self, data):
            self.taken += bytes(data[:3])
            return min(3, len(data))

    slow = Slow()
    msgpack.pack("a" * 20, slow)
    assert slow.taken == b"\xb4" + b"a" * 20


# What differs, and hostile objects.


def test_what_default_does_to_containers_is_noticed():
    def shorter(value):
        items.pop()
        return 1

    items = [object(), 2, 3]
    with pytest.raises(RuntimeError):
        msgpack.packb(items, default=shorter)

    def longer(value):
        mapping[len(mapping)] = 1
        return 1

    mapping = {"a": object(), "b": 2}
    with pytest.raises(RuntimeError):
        msgpack.packb(mapping, default=longer)
    assert msgpack.packb([1, 2]) == b"\x92\x01\x02"


def test_packers_can_be_used_by_their_own_default():
    for autoreset in (True, False):
        packer = msgpack.Packer(default=lambda value: packer.pack("in") or b"-", autoreset=autoreset)
        outer = packer.pack([object(), 1])
        if autoreset:
            assert outer == b"\x92\xc4\x03\xa2in\x01"
        else:
            # The inner one was complete first.
            assert packer.bytes() == b"\xa2in\x92\xc4\x01-\x01"


def test_pairs_that_fail_leave_nothing():
    packer = msgpack.Packer(autoreset=False)
    packer.pack(1)
    for bad in ([(1, object())], [(1, 2), 5], [(1, 2, 3)]):
        with pytest.raises((TypeError, ValueError)):
            packer.pack_map_pairs(bad)
        assert packer.bytes() == b"\x01"

    class Odd(list):
        def __len__(self):
            return 5

    with pytest.raises(RuntimeError, match="changed in number"):
        packer.pack_map_pairs(Odd([(1, 2)]))
    assert packer.bytes() == b"\x01"


def test_more_kinds_of_data():
    assert msgpack.Packer().pack_ext_type(1, memoryview(b"a")) == b"\xd4\x01a"
    with pytest.raises(TypeError):
        msgpack.Packer().pack_ext_type(1, "a")
    with pytest.raises(TypeError):
        msgpack.Packer().pack_array_header(1.5)
    assert msgpack.packb(oxwire.msgpack.Ext(-7, b"a")) == b"\xd4\xf9a"


def test_a_packer_shared_by_threads():
    packer = msgpack.Packer(default=list)
    wrong = []

    def work(n):
        for _ in range(300):
            if packer.pack([n, {n}, "x" * n]) != msgpack.packb([n, [n], "x" * n]):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_importing_the_package_does_not_import_the_face():
    code = "import sys, oxwire; print(*[m for m in sys.modules if 'compat' in m])"
    root = str(Path(oxwire.__file__).parent.parent)
    code = f"import sys; sys.path.insert(0, {root!r}); " + code
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""
