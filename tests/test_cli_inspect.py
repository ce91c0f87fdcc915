"""`python -m oxwire inspect`: every form of MessagePack, faults at every byte, hostile claims.

The walker needs no process and no decoder: most tests give it bytes and look at the rows. The bytes are spelled
by hand here, from the specification.
"""

import gzip
import io
import os
import re
import struct
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_cli import run

from oxwire import _inspect

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
import vectors

# {"id": 300, "tags": ["a", {}], 7: ext, (1, 2): nil}, then "end".
SAMPLE = bytes.fromhex("84 a26964 cd012c a474616773 92 a161 80 07 d505ff00 92 01 02 c0 a3656e64")
SHOWN = """\
  offset  bytes                          type              value
       0  84                             fixmap (4)        message 1: 4 entries
       1  a2 69 64                       fixstr (2)          key 0: "id"
       4  cd 01 2c                       uint 16             "id": 300
       7  a4 74 61 67 73                 fixstr (4)          key 1: "tags"
      12  92                             fixarray (2)        "tags": 2 items
      13  a1 61                          fixstr (1)            [0]: "a"
      15  80                             fixmap (0)            [1]: 0 entries
      16  07                             positive fixint     key 2: 7
      17  d5 05 ff 00                    fixext 2            7: code 5, b'\\xff\\x00'
      21  92                             fixarray (2)        key 3: 2 items
      22  01                             positive fixint       [0]: 1
      23  02                             positive fixint       [1]: 2
      24  c0                             nil                 value 3: nil
      25  a3 65 6e 64                    fixstr (3)        message 2: "end"
"""
PLACES = (0, 1, 4, 7, 12, 13, 15, 16, 17, 21, 22, 23, 24, 25)


def rows(data, start=0):
    return list(_inspect.rows(io.BytesIO(data), start))


def first(data):
    """Marker, value and note of the first value in `data`, which is whole."""
    row = rows(data)[0]
    return row.marker, row.value, row.note


def unfinished(data):
    """The rows before a fault, and the fault, or None if all is well."""
    found = []
    try:
        for row in _inspect.rows(io.BytesIO(data)):
            found.append(row)
    except _inspect.Fault as fault:
        return found, fault
    return found, None


# What a row says


@pytest.mark.parametrize(
    ("data", "marker", "value"),
    [
        (b"\x00", "positive fixint", "0"),
        (b"\x7f", "positive fixint", "127"),
        (b"\xe0", "negative fixint", "-32"),
        (b"\xff", "negative fixint", "-1"),
        (b"\xc0", "nil", "nil"),
        (b"\xc2", "false", "false"),
        (b"\xc3", "true", "true"),
        (b"\xcc\x80", "uint 8", "128"),
        (b"\xcd\x01\x00", "uint 16", "256"),
        (b"\xce\x00\x01\x00\x00", "uint 32", "65536"),
        (b"\xcf" + b"\xff" * 8, "uint 64", "18446744073709551615"),
        (b"\xd0\xdf", "int 8", "-33"),
        (b"\xd1\xff\x7f", "int 16", "-129"),
        (b"\xd2\xff\xff\x7f\xff", "int 32", "-32769"),
        (b"\xd3\x80" + bytes(7), "int 64", "-9223372036854775808"),
        (b"\xca\x3f\xc0\x00\x00", "float 32", "1.5"),
        (b"\xcb" + struct.pack(">d", -0.1), "float 64", "-0.1"),
        (b"\xca\x7f\xc0\x00\x01", "float 32", "nan"),
        (b"\xcb" + struct.pack(">d", float("-inf")), "float 64", "-inf"),
        (b"\xa0", "fixstr (0)", '""'),
        (b"\xbf" + b"x" * 31, "fixstr (31)", '"' + "x" * 31 + '"'),
        (b"\xd9\x20" + b"x" * 32, "str 8 (32)", '"' + "x" * 32 + '"'),
        (b"\xda\x01\x00" + b"x" * 256, "str 16 (256)", '"' + "x" * 48 + '"...'),
        (b"\xdb\x00\x01\x00\x00" + b"x" * 65536, "str 32 (65536)", '"' + "x" * 48 + '"...'),
        (b"\xc4\x03a\x00\xff", "bin 8 (3)", r"b'a\x00\xff'"),
        (b"\xc5\x01\x00" + b"x" * 256, "bin 16 (256)", "b'" + "x" * 48 + "'..."),
        (b"\xc6\x00\x01\x00\x00" + b"x" * 65536, "bin 32 (65536)", "b'" + "x" * 48 + "'..."),
        (b"\x90", "fixarray (0)", "0 items"),
        (b"\x91\x01", "fixarray (1)", "1 item"),
        (b"\xdc\x00\x10" + b"\x01" * 16, "array 16 (16)", "16 items"),
        (b"\xdd\x00\x01\x00\x00" + b"\x01" * 65536, "array 32 (65536)", "65536 items"),
        (b"\x81\x01\x02", "fixmap (1)", "1 entry"),
        (b"\xde\x00\x10" + b"\x01\x02" * 16, "map 16 (16)", "16 entries"),
        (b"\xdf\x00\x01\x00\x00" + b"\x01\x02" * 65536, "map 32 (65536)", "65536 entries"),
        (b"\xd4\x80a", "fixext 1", "code -128, b'a'"),
        (b"\xd5\x7fab", "fixext 2", "code 127, b'ab'"),
        (b"\xd6\x00abcd", "fixext 4", "code 0, b'abcd'"),
        (b"\xd7\x01abcdefgh", "fixext 8", "code 1, b'abcdefgh'"),
        (b"\xd8\x01" + b"x" * 16, "fixext 16", "code 1, b'xxxxxxxxxxxxxxxx'"),
        (b"\xc7\x00\x05", "ext 8 (0)", "code 5, b''"),
        (b"\xc8\x01\x00\x05" + b"x" * 256, "ext 16 (256)", "code 5, b'" + "x" * 48 + "'..."),
        (b"\xc9\x00\x01\x00\x00\x05" + b"x" * 65536, "ext 32 (65536)", "code 5, b'" + "x" * 48 + "'..."),
        (b"\xd6\xff" + bytes(4), "fixext 4", "timestamp 32, 1970-01-01T00:00:00Z"),
        (b"\xd6\xff" + b"\xff" * 4, "fixext 4", "timestamp 32, 2106-02-07T06:28:15Z"),
        (
            b"\xd7\xff" + struct.pack(">Q", 1 << 34 | 1),
            "fixext 8",
            "timestamp 64, 1970-01-01T00:00:01.000000001Z",
        ),
        (
            b"\xc7\x0c\xff" + struct.pack(">Iq", 500_000_000, -1),
            "ext 8 (12)",
            "timestamp 96, 1969-12-31T23:59:59.5Z",
        ),
        (
            b"\xc7\x0c\xff" + struct.pack(">Iq", 5, 2**62),
            "ext 8 (12)",
            "timestamp 96, 4611686018427387904 s + 5 ns",
        ),
        (
            b"\xc7\x0c\xff" + struct.pack(">Iq", 0, -(2**63)),
            "ext 8 (12)",
            "timestamp 96, -9223372036854775808 s + 0 ns",
        ),
    ],
)
def test_every_form(data, marker, value):
    assert first(data) == (marker, value, "")


def test_no_first_byte_is_left_out():
    names = [marker.name for marker in _inspect.MARKERS]
    assert len(names) == 256
    assert names[0xC1] == "never used"
    assert len(set(names)) == 37
    # Each width and length against what the specification says of its byte.
    for byte, name in (
        (0xBF, "fixstr"),
        (0xC4, "bin 8"),
        (0xC9, "ext 32"),
        (0xCA, "float 32"),
        (0xD3, "int 64"),
    ):
        assert names[byte] == name
    for byte, name in (
        (0xD4, "fixext 1"),
        (0xD8, "fixext 16"),
        (0xD9, "str 8"),
        (0xDC, "array 16"),
        (0xDF, "map 32"),
    ):
        assert names[byte] == name


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (b"\xcc\x7f", "a fixint would do"),
        (b"\xd0\xe0", "a fixint would do"),
        (b"\xd0\x05", "a fixint would do"),
        (b"\xcd\x00\xff", "uint 8 would do"),
        (b"\xd1\x00\xff", "uint 8 would do"),
        (b"\xd1\xff\x80", "int 8 would do"),
        (b"\xcf" + bytes(4) + b"\xff" * 4, "uint 32 would do"),
        (b"\xd3" + bytes(7) + b"\x05", "a fixint would do"),
        (b"\xd3\xff\xff\xff\xff\x80\x00\x00\x00", "int 32 would do"),
        # Not shorter, but signed without need.
        (b"\xd1\x01\x00", "uint 16 would do"),
        (b"\xd3" + b"\x7f" * 8, "uint 64 would do"),
        (b"\xd3\x80" + bytes(7), ""),
        (b"\xd9\x02ab", "fixstr would do"),
        (b"\xda\x00\x20" + b"x" * 32, "str 8 would do"),
        (b"\xdb\x00\x00\x01\x00" + b"x" * 256, "str 16 would do"),
        (b"\xc5\x00\x01x", "bin 8 would do"),
        (b"\xc6\x00\x00\x00\xff" + b"x" * 255, "bin 8 would do"),
        (b"\xdc\x00\x01\xc0", "fixarray would do"),
        (b"\xdd\x00\x00\x00\x10" + b"\xc0" * 16, "array 16 would do"),
        (b"\xde\x00\x00", "fixmap would do"),
        (b"\xc7\x04\x05abcd", "fixext 4 would do"),
        (b"\xc8\x00\x05\x05abcde", "ext 8 would do"),
        (b"\xd7\xff" + struct.pack(">Q", 5), "timestamp 32 would do"),
        (b"\xc7\x0c\xff" + struct.pack(">Iq", 0, 5), "timestamp 32 would do"),
        (b"\xc7\x0c\xff" + struct.pack(">Iq", 1, 5), "timestamp 64 would do"),
        (b"\xc7\x0c\xff" + struct.pack(">Iq", 0, 2**33), "timestamp 64 would do"),
        (b"\xc7\x0c\xff" + struct.pack(">Iq", 0, 2**34), ""),
        (b"\xc7\x04\xff\x00\x00\x00\x01", "fixext 4 would do"),
        (b"\xd7\xff" + struct.pack(">Q", 10**9 << 34), "no moment: above 999999999 nanoseconds"),
        (b"\xd5\xff\x00\x00", "no timestamp: these have 4, 8 or 12 bytes"),
        (b"\xc7\x00\xff", "no timestamp: these have 4, 8 or 12 bytes"),
    ],
)
def test_notes(data, note):
    assert first(data)[2] == note


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("é日😀", '"é日😀"'),
        ('a"\\b', r'"a\"\\b"'),
        ("\n\r\t\0\x1b[31m", r'"\n\r\t\u0000\u001b[31m"'),
        # What would steer a terminal or turn the line around.
        ("\x9b\u202e\u200b\ufeff", r'"\u009b\u202e\u200b\ufeff"'),
        ("\U000e0001", r'"\U000e0001"'),
        ("é" * 48, '"' + "é" * 48 + '"'),
        ("😀" * 49, '"' + "😀" * 48 + '"...'),
        ("é" * 500, '"' + "é" * 48 + '"...'),
    ],
)
def test_text_is_quoted_and_cut(text, shown):
    data = text.encode()
    assert rows(b"\xda" + struct.pack(">H", len(data)) + data)[0].value == shown


@pytest.mark.parametrize(
    ("data", "shown", "wrong"),
    [
        (b"a\xff", r'"a\xff"', 1),
        (b"\xc3", r'"\xc3"', 0),
        (b"\xc0\x80", r'"\xc0\x80"', 0),
        (b"\xed\xa0\x80", r'"\xed\xa0\x80"', 0),
        (b"ab\xf4\x90\x80\x80", r'"ab\xf4\x90\x80\x80"', 2),
        (b"\\xff\xff", r'"\\xff\xff"', 4),
    ],
)
def test_text_that_is_not_utf8(data, shown, wrong):
    # The array before it moves it by one byte.
    row = rows(b"\x91" + bytes([0xA0 | len(data)]) + data)[1]
    assert (row.value, row.note) == (shown, f"not UTF-8 at byte {2 + wrong}")


@pytest.mark.parametrize("at", [65535, 65536, 65537, 100_000, 199_999])
def test_wrong_bytes_are_found_wherever_the_text_is_cut_to_be_read(at):
    # Characters of two bytes that no chunk has whole numbers of.
    data = bytearray(b"a" + "é".encode() * 99_999 + b"a")
    assert rows(b"\xdb" + struct.pack(">I", len(data)) + data)[0].note == ""
    data[at] = 0xFF
    wrong = at if data[at - 1] < 0xC0 else at - 1
    assert rows(b"\xdb" + struct.pack(">I", len(data)) + data)[0].note == f"not UTF-8 at byte {5 + wrong}"


def test_labels():
    labels = [row.label for row in rows(SAMPLE)]
    assert labels[:6] == ["message 1", "key 0", '"id"', "key 1", '"tags"', "[0]"]
    assert labels[-2:] == ["value 3", "message 2"]
    # A long key is cut where it labels its value.
    assert rows(b"\x81\xd9\x28" + b"k" * 40 + b"\x01")[2].label == '"' + "k" * 24 + '"...'
    # The value of one map is not named by the key of another.
    assert [row.label for row in rows(b"\x92\x81\xa1a\x01\x81\x81\x01\x02\x03")][-4:] == [
        "key 0", "key 0", "1", "value 0",
    ]  # fmt: skip


def test_depth_is_told_where_indentation_ends():
    lines = run("inspect", "-", stdin=b"\x91" * 40 + b"\x01").stdout.decode().splitlines()[1:]
    shown = [line[59:] for line in lines]
    assert shown[1] == "  [0]: 1 item"
    assert shown[16] == "  " * 16 + "[0]: 1 item"
    assert shown[17] == "  " * 16 + "<17> [0]: 1 item"
    assert shown[40] == "  " * 16 + "<40> [0]: 1"


# The command


def test_output():
    assert run("inspect", "-", stdin=SAMPLE).stdout.decode() == SHOWN


def test_files(tmp_path):
    (tmp_path / "a.msgpack").write_bytes(SAMPLE)
    (tmp_path / "b.mp.gz").write_bytes(gzip.compress(SAMPLE))
    assert run("inspect", tmp_path / "a.msgpack").stdout.decode() == SHOWN
    assert run("inspect", tmp_path / "b.mp.gz").stdout.decode() == SHOWN
    missing = tmp_path / "no.mp"
    done = run("inspect", missing, code=1)
    assert (done.stdout, done.stderr.decode()) == (b"", f"oxwire: {missing}: No such file or directory\n")
    (tmp_path / "cut.mp.gz").write_bytes(gzip.compress(bytes(Random(1).choices(range(128), k=1000)))[:-300])
    assert b"gzip" in run("inspect", tmp_path / "cut.mp.gz", code=1).stderr


def test_nothing_is_no_message():
    assert run("inspect", "-", stdin=b"").stdout == b""


def test_limit():
    lines = SHOWN.splitlines(keepends=True)
    for limit in (0, 1, 5, 13):
        out = run("inspect", "-", "--limit", limit, stdin=SAMPLE).stdout.decode()
        assert out == "".join(lines[: limit + 1]) + "...\n"
    for limit in (14, 15, 10**18):
        assert run("inspect", "-", "--limit", limit, stdin=SAMPLE).stdout.decode() == SHOWN


def test_offset(tmp_path):
    out = run("inspect", "-", "--offset", 21, stdin=SAMPLE).stdout.decode().splitlines()
    assert out[1] == "      21  92                             fixarray (2)      message 1: 2 items"
    assert out[-1].startswith("      25  a3")
    assert run("inspect", "-", "--offset", len(SAMPLE), stdin=SAMPLE).stdout == b""
    done = run("inspect", "-", "--offset", 10**9, stdin=SAMPLE, code=1)
    assert done.stderr.decode() == f"oxwire: -: the input ends before byte {10**9} (byte {len(SAMPLE)})\n"
    # Also in the places of faults.
    done = run("inspect", "-", "--offset", 2, stdin=b"ab\x92\x01", code=1)
    assert done.stderr.endswith(b"(byte 4)\n")


@pytest.mark.parametrize(
    "option", ["--limit=-1", "--limit=x", "--offset=", "--offset=1e3", "--offset=" + "9" * 30]
)
def test_usage(option):
    assert b"a number from 0" in run("inspect", "-", option, code=2).stderr


def test_help():
    assert b"--offset" in run("inspect", "--help").stdout
    assert b"inspect" in run("--help").stdout


def test_letters_that_the_output_has_not(tmp_path):
    (tmp_path / "a.mp").write_bytes(b"\xa2\xc3\xa9")
    command = [sys.executable, "-m", "oxwire", "inspect", str(tmp_path / "a.mp")]
    done = subprocess.run(
        command, capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    assert rb'"\xe9"' in done.stdout


# Faults


def test_the_input_may_end_at_every_byte():
    whole = rows(SAMPLE)
    for end in range(len(SAMPLE)):
        found, fault = unfinished(SAMPLE[:end])
        if end in (0, 25):
            assert fault is None
            assert found == whole[: PLACES.index(end)]
            continue
        complete = [row for row in whole if row.offset + row.size <= end]
        assert found[: len(complete)] == complete
        # What began and did not end is shown too.
        assert [(row.value, row.size) for row in found[len(complete) :]] in (
            [],
            [("cut short", end - max(place for place in PLACES if place < end))],
        )
        assert fault.offset == end
        assert fault.msg.startswith("the input ends within ")


@pytest.mark.parametrize(
    ("data", "count", "msg", "offset"),
    [
        (b"\xc1", 1, "no value of MessagePack begins with 0xc1", 0),
        (b"\x93\x01\xc1\x02", 3, "no value of MessagePack begins with 0xc1", 2),
        (b"\xcd\x01", 1, "the input ends within a value, the uint 16 at byte 0: 1 byte is missing", 2),
        (b"\x91\xa5ab", 2, "the input ends within a value, the fixstr (5) at byte 1: 3 bytes are missing", 4),
        (b"\xd8", 1, "the input ends within a value, the fixext 16 at byte 0: 17 bytes are missing", 1),
        (b"\x01\x93\x01", 3, "the input ends within the array at byte 1: 2 of its 3 items are missing", 3),
        (
            b"\x82\x01",
            2,
            "the input ends within the map at byte 0: 3 of its 4 keys and values are missing",
            2,
        ),
        (
            b"\xdd\xff\xff\xff\xff\x01",
            2,
            "the input ends within the array at byte 0: 4294967294 of its 4294967295 items are missing",
            6,
        ),
        (
            b"\xdb\xff\xff\xff\xffab",
            1,
            "the input ends within a value, the str 32 (4294967295) at byte 0: 4294967293 bytes are missing",
            7,
        ),
    ],
)
def test_faults(data, count, msg, offset):
    found, fault = unfinished(data)
    assert (len(found), fault.msg, fault.offset) == (count, msg, offset)
    done = run("inspect", "-", stdin=data, code=1)
    assert done.stderr.decode() == f"oxwire: -: {msg} (byte {offset})\n"
    assert len(done.stdout.decode().splitlines()) == count + 1


def test_the_fault_comes_last_where_both_go_to_one_file():
    command = [sys.executable, "-m", "oxwire", "inspect", "-"]
    done = subprocess.run(
        command, input=b"\x92\x01\xc1", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    assert done.stdout.decode().splitlines()[-1].startswith("oxwire: -: no value")


@given(st.binary(max_size=60))
def test_any_bytes_give_rows_or_a_fault(data):
    found, fault = unfinished(data)
    at = 0
    for row in found:
        # Nothing between two values, nothing twice.
        assert row.offset == at
        assert row.head[: row.size] == data[at : at + len(row.head)]
        at += row.size
    assert fault is not None or at == len(data)
    assert fault is None or fault.offset <= len(data)


@pytest.mark.peer
@given(st.binary(max_size=40))
def test_what_can_be_skipped_has_no_fault(data):
    peer = pytest.importorskip("msgpack")
    stream = peer.Unpacker(max_buffer_size=0)
    stream.feed(data)
    try:
        while stream.tell() < len(data):
            stream.skip()
        whole = True
    except (peer.OutOfData, peer.FormatError):
        whole = False
    assert (unfinished(data)[1] is None) == whole


# The vectors


def test_forms_of_the_vectors():
    checked = 0
    for case in vectors.cases():
        if case.why is not None or case.data is None or case.mode == "old-spec":
            continue
        for data in (case.data, *([case.canonical] if case.canonical else []), *case.also_strict):
            assert not [row for row in rows(data) if row.note], case.name
            checked += 1
        for data in case.also:
            # Longer than needed; but a key that stands twice is not noted, nor what is in an ext.
            noted = any("would do" in row.note for row in rows(data))
            assert noted or case.mode or "twice" in case.name, (case.name, data)
            checked += 1
    assert checked > 900


def test_refusals_of_the_vectors():
    whys = []
    for case in vectors.cases():
        # An empty input is no message; depth, keys that stand twice and what is in an ext are no faults of a dump.
        if not case.data or case.why not in ("eof", "marker", "utf8", "timestamp", "non-minimal"):
            continue
        whys.append(case.why)
        found, fault = unfinished(case.data)
        if case.why in ("eof", "marker"):
            assert (fault and fault.offset) == case.offset, case.name
            continue
        words = {
            "utf8": f"not UTF-8 at byte {case.offset}",
            "timestamp": "no moment|no timestamp",
            "non-minimal": "would do",
        }
        noted = [row for row in found if re.search(words[case.why], row.note)]
        assert noted, case.name
        assert case.why == "utf8" or noted[0].offset == case.offset, case.name
    assert len(whys) > 200
    assert set(whys) == {"eof", "marker", "utf8", "timestamp", "non-minimal"}


# Hostile input


def test_depth():
    deep = 100_000
    found = rows(b"\x91" * deep + b"\x01")
    assert [row.depth for row in found] == list(range(deep + 1))
    found, fault = unfinished(b"\x81" * (_inspect.DEEPEST + 5))
    assert len(found) == _inspect.DEEPEST + 1
    assert "deeper" in fault.msg
    assert rows(b"\x91" * _inspect.DEEPEST + b"\x01")[-1].depth == _inspect.DEEPEST


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads the peak memory from /proc")
@pytest.mark.parametrize(
    ("few", "many"),
    [
        # Values, one long text, claims.
        (b"\xdd\x00\x00\x03\xe8" + b"\x01" * 1000, b"\xdd\x00\x01\x00\x00" + b"\x01" * 65536),
        (b"\xdb\x00\x00\x03\xe8" + b"x" * 1000, b"\xdb\x01\x00\x00\x00" + b"x" * (1 << 24)),
        (b"\xdd\x00\x00\x03\xe8" + b"\x01" * 1000, b"\xdd\xff\xff\xff\xff\xdb\xff\xff\xff\xff" * 1),
    ],
)
def test_memory_does_not_grow_with_the_input(tmp_path, few, many):
    code = (
        "import sys; from oxwire._cli import main; main(sys.argv[1:]);"
        "print(*[l.split()[1] for l in open('/proc/self/status') if l.startswith('VmHWM')], file=sys.stderr)"
    )
    peaks = []
    for data in (few, many):
        (tmp_path / "a.mp").write_bytes(data)
        command = [sys.executable, "-c", code, "inspect", str(tmp_path / "a.mp")]
        done = subprocess.run(command, capture_output=True, check=True)
        peaks.append(int(done.stderr.split()[-1]))
    assert peaks[1] - peaks[0] < 2000, f"peak in KiB for the small and the large input: {peaks}"


def test_rows_come_out_before_the_end_is_there():
    class Slow(io.RawIOBase):
        def __init__(self):
            self.left = io.BytesIO(SAMPLE)

        def read(self, size=-1):
            assert size <= 16, "no more is asked for than the next value needs"
            return self.left.read(size)

    walk = _inspect.rows(Slow())
    assert next(walk).label == "message 1"
    assert next(walk).value == '"id"'


def test_a_closed_pipe_is_quiet(tmp_path):
    path = tmp_path / "a.mp"
    path.write_bytes(SAMPLE * 5000)
    command = [sys.executable, "-m", "oxwire", "inspect", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_not_the_fault_of_the_input(tmp_path):
    path = tmp_path / "a.mp"
    path.write_bytes(SAMPLE)
    command = [sys.executable, "-m", "oxwire", "inspect", str(path)]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode != 0
    assert done.stderr.startswith(b"oxwire: -: No space left on device\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("hidden", ["", "rich rich_argparse"])
def test_at_a_terminal(tmp_path, hidden):
    # With rich where it is installed, and as if it were not.
    pty = pytest.importorskip("pty")
    (tmp_path / "a.mp").write_bytes(SAMPLE + b"\xd9\x41" + b"x" * 65 + b"\xcc\x01")
    code = f"import sys; sys.modules.update(dict.fromkeys({hidden.split()})); from oxwire._cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "inspect", str(tmp_path / "a.mp")]
    parent, child = pty.openpty()
    with subprocess.Popen(
        command, stdin=child, stdout=child, stderr=child, env={**os.environ, "TERM": "xterm"}
    ) as process:
        os.close(child)
        out = b""
        # Linux says that nobody is at the other end with an error.
        try:
            while part := os.read(parent, 4096):
                out += part
        except OSError:
            pass
        os.close(parent)
    assert process.returncode == 0, out
    plain = re.sub(r"\x1b\[[0-9;]*m", "", out.decode()).replace("\r\n", "\n")
    assert plain.startswith(SHOWN)
    assert "(a fixint would do)" in plain
    if hidden:
        assert b"\x1b" not in out
