"""`python -m oxwire convert` from and to MessagePack: what comes out, what is refused, what --lossy makes of that.

Each kind of loss is a test of its own: by default an error that names the place, and with its word the spelling
that the help promises. Where many documents are tried, the command runs in this process.
"""

import binascii
import contextlib
import gzip
import io
import json
import os
import re
import struct
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import DOCUMENTS, same, text, values
from test_cli import LINE, VALUE, convert, failure, run
from test_cli_inspect import rows

import oxwire.json
from oxwire import _convert, msgpack
from oxwire._cli import main

TO = ["--to=msgpack"]
FROM = ["--from=msgpack"]


def pack(value, **options):
    return msgpack.encode(value, **options)


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """A folder for `here`, which the examples of a property share."""
    global FOLDER
    FOLDER = str(tmp_path_factory.mktemp("convert"))


def here(data, *options):
    """Exit code, output and standard error of a conversion in this process, from a file to a file."""
    there, back = os.path.join(FOLDER, "in"), os.path.join(FOLDER, "out")
    with open(there, "wb") as file:
        file.write(data)
    with open(back, "wb"):
        pass
    with contextlib.redirect_stderr(io.StringIO()) as said:
        code = main(["convert", there, back, *options])
    with open(back, "rb") as file:
        return code, file.read(), said.getvalue().replace(there, "IN")


def out_of(data, *options):
    """The JSON that MessagePack becomes, without the line feed at its end."""
    code, text, said = here(data, *FROM, "--to=json", *options)
    assert (code, said) == (0, "")
    assert text.endswith(b"\n")
    return text[:-1]


def packed_of(document, *options):
    """The MessagePack that JSON becomes."""
    code, data, said = here(document, "--from=json", *TO, *options)
    assert (code, said) == (0, "")
    return data


def refused(data, *options):
    """The line that says why MessagePack (or, with TO, JSON) is not converted."""
    formats = (
        []
        if set(FROM) & set(options)
        else ["--from=json"]
        if set(TO) <= set(options)
        else [*FROM, "--to=json"]
    )
    code, out, message = here(data, *formats, *options)
    assert (code, out) == (1, b"")
    assert message.startswith("oxwire: IN: ")
    assert message.count("\n") == 1
    return message[len("oxwire: IN: ") : -1]


# There and back


def test_bytes_that_are_known():
    document = b'{"compact":true,"schema":0,"x":[1.0,-1,"\xc3\xa9",null]}'
    expected = b"\x83\xa7compact\xc3\xa6schema\x00\xa1x\x94\xcb\x3f\xf0\0\0\0\0\0\0\xff\xa2\xc3\xa9\xc0"
    assert packed_of(document) == expected
    assert out_of(expected) == document


COMPACT = [
    json.dumps(VALUE, ensure_ascii=False, separators=(",", ":")).encode(),
    b"[0,127,128,-32,-33,65535,65536,4294967296,18446744073709551615,-9223372036854775808]",
    b"[0.0,-0.0,1.5,0.1,1e-6,1e+16,1.7976931348623157e+308,5e-324,-65.61361699999998]",
    '["","é","😀","\\u0000\\n\\"\\\\"]'.encode(),
    b'{"b":{"a":[[],{},[[]]]},"a":null}',
    b"null",
    b'"text"',
]


@pytest.mark.parametrize("document", COMPACT)
def test_compact_documents_come_back_byte_for_byte(tmp_path, document):
    (tmp_path / "a.json").write_bytes(document + b"\n")
    convert(tmp_path / "a.json", tmp_path / "b.msgpack")
    convert(tmp_path / "b.msgpack", tmp_path / "c.json")
    assert (tmp_path / "c.json").read_bytes() == document + b"\n"
    assert (tmp_path / "b.msgpack").read_bytes() == pack(json.loads(document))


@given(values())
def test_any_document_comes_back(value):
    document = oxwire.json.encode(value)
    assert out_of(packed_of(document, "--big-ints=ext"), "--big-ints=ext") == document


@given(st.lists(values(), max_size=5))
def test_any_lines_come_back(items):
    lines = oxwire.json.encode_lines(items)
    code, packed, _ = here(lines, "--from=ndjson", *TO, "--big-ints=ext")
    assert code == 0
    assert same(list(msgpack.iter_messages(io.BytesIO(packed), big_int_ext=True)), items)
    assert here(packed, *FROM, "--to=ndjson", "--big-ints=ext") == (0, lines, "")


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if b"1234567890123456789" not in d])
def test_what_is_spelled_otherwise_means_the_same(document):
    packed = packed_of(document)
    assert same(msgpack.decode(packed), oxwire.json.decode(document))


# Formats


@pytest.mark.parametrize("ending", [".msgpack", ".mpk", ".mp", ".MP", ".msgpack.gz", ".mp.gz"])
def test_endings(tmp_path, ending):
    name = tmp_path / f"a{ending}"
    (tmp_path / "a.json").write_bytes(b'{"a":[1,2]}')
    convert(tmp_path / "a.json", name)
    data = name.read_bytes()
    assert (gzip.decompress(data) if ending.endswith("gz") else data) == b"\x81\xa1a\x92\x01\x02"
    assert convert(name, "-") == b'{"a":[1,2]}\n'
    assert b"key 0" in run("inspect", name).stdout


def test_messages_are_lines():
    lines = b'{"a":1}\n\n [2, 3] \n"x"\nnull\n'
    packed = convert("-", "-", "--from=ndjson", *TO, stdin=lines)
    assert packed == b"\x81\xa1a\x01\x92\x02\x03\xa1x\xc0"
    assert convert("-", "-", *FROM, "--to=ndjson", stdin=packed) == b'{"a":1}\n[2,3]\n"x"\nnull\n'
    assert convert("-", "-", "--from=ndjson", *TO, stdin=b"\n") == b""
    assert convert("-", "-", *FROM, "--to=ndjson", stdin=b"") == b""
    # One array is one message and one line, so that what went in comes out.
    assert convert("-", "-", *TO, stdin=b"[1,2]") == b"\x92\x01\x02"
    assert convert("-", "-", *FROM, "--to=ndjson", stdin=b"\x92\x01\x02") == b"[1,2]\n"


def test_json_is_one_message():
    message = refused(b"\x01\x02")
    assert message.endswith("(byte 1)")
    assert "--to ndjson" in message
    assert refused(b"").endswith("(byte 0)")


def test_layout():
    packed = pack({"b": [1, "é"], "a": 2.0})
    assert out_of(packed, "--indent=1") == '{\n "b": [\n  1,\n  "é"\n ],\n "a": 2.0\n}'.encode()
    assert out_of(packed, "--sort", "--ensure-ascii") == b'{"a":2.0,"b":[1,"\\u00e9"]}'
    assert convert("-", "-", *FROM, "--canonical", stdin=packed) == '{"a":2,"b":[1,"é"]}'.encode()
    assert (
        convert("-", "-", *FROM, "--to=ndjson", "--sort", stdin=packed * 2)
        == '{"a":2.0,"b":[1,"é"]}\n'.encode() * 2
    )
    # Its reader would round it.
    assert "(at $)" in refused(pack(2**53), "--canonical")


def test_layout_of_messages():
    document = b'{"bb":1.5,"a":0.1,"c":-0.0}'
    assert convert("-", "-", *TO, "--sort", stdin=document) == pack({"a": 0.1, "bb": 1.5, "c": -0.0})
    assert convert("-", "-", *TO, "--canonical", stdin=document) == pack(
        {"bb": 1.5, "a": 0.1, "c": -0.0}, canonical=True
    )
    assert out_of(convert("-", "-", *TO, "--canonical", stdin=b'{"b":1.5,"a":0.1}')) == b'{"a":0.1,"b":1.5}'


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ([*TO, "--indent=2"], "MessagePack has no layout"),
        ([*TO, "--ensure-ascii"], "MessagePack has no layout"),
        (["--lossy=bytes"], "between JSON and MessagePack"),
        (["--big-ints=ext", "--to=ndjson"], "between JSON and MessagePack"),
        ([*FROM, *TO, "--lossy=all"], "between JSON and MessagePack"),
        ([*FROM, "--lossy=everything"], "'all', or with commas between them bytes, "),
        ([*FROM, "--lossy="], "'all', or"),
        ([*FROM, "--lossy=all,bytes"], "'all', or"),
        ([*FROM, "--lossy", "-", "-"], "'all', or"),
        ([*FROM, "--big-ints=text"], "invalid choice"),
        ([*FROM, "--canonical", "--sort"], "--canonical"),
    ],
)
def test_usage(options, part):
    arguments = [] if "-" in options else ["-", "-"]
    assert part in failure(*arguments, *options, code=2)


def test_help_names_every_loss():
    shown = " ".join(run("convert", "--help").stdout.decode().split())
    for name, how in _convert.LOSSES.items():
        assert f"{name} {how}" in shown
    assert ".msgpack" in shown
    assert "MessagePack" in run("inspect", "--help").stdout.decode()


# MessagePack to JSON: what JSON cannot say

TIME = msgpack.Timestamp(1_700_000_000, 5)
LOST = [
    (b"a\xff", "bytes", b'"Yf8="'),
    (b"", "bytes", b'""'),
    (TIME, "timestamps", b'"2023-11-14T22:13:20.000000005Z"'),
    (msgpack.Timestamp(0), "timestamps", b'"1970-01-01T00:00:00Z"'),
    (msgpack.Timestamp(-62135596800), "timestamps", b'"0001-01-01T00:00:00Z"'),
    (msgpack.Timestamp(253402300799, 999999999), "timestamps", b'"9999-12-31T23:59:59.999999999Z"'),
    (msgpack.Ext(5, b"\x01\x02"), "ext", b'{"ext":5,"data":"AQI="}'),
    (msgpack.Ext(-128, b""), "ext", b'{"ext":-128,"data":""}'),
    (float("nan"), "nan", b"null"),
    (float("inf"), "nan", b"null"),
    (float("-inf"), "nan", b"null"),
    ({1: 2}, "keys", b'{"1":2}'),
    ({None: 1, False: 2, -1.5: 3}, "keys", b'{"null":1,"false":2,"-1.5":3}'),
    ({("a", (1, None)): 1}, "keys", b'{"[\\"a\\",[1,null]]":1}'),
    ({b"\xff": 1}, "keys,bytes", b'{"/w==":1}'),
    ({TIME: 1}, "keys,timestamps", b'{"2023-11-14T22:13:20.000000005Z":1}'),
    ({msgpack.Ext(1, b"a"): 1}, "keys,ext", b'{"{\\"ext\\":1,\\"data\\":\\"YQ==\\"}":1}'),
    ({float("inf"): 1}, "keys,nan", b'{"null":1}'),
    ({(b"a",): {2: b""}}, "keys,bytes", b'{"[\\"YQ==\\"]":{"2":""}}'),
]


@pytest.mark.parametrize(("value", "words", "spelled"), LOST)
def test_losses(value, words, spelled):
    # Inside something, with more behind it that must not be the place that is told.
    data = pack({"a": [0, value, 1], "b": [value]})
    place = r"\[.+\]" if "keys" in words else ""
    message = refused(data)
    assert re.search(rf" \(at \$\.a\[1\]{place}\)$", message), message
    assert f"--lossy {words.split(',')[0]} " in message
    # Each word is needed.
    for word in words.split(","):
        others = ",".join({*_convert.LOSSES, "digits"} - {word})
        assert f"--lossy {word}" in refused(data, f"--lossy={others}")
    expected = b'{"a":[0,%b,1],"b":[%b]}' % (spelled, spelled)
    assert out_of(data, f"--lossy={words}") == expected
    assert out_of(data, *(f"--lossy={word}" for word in words.split(","))) == expected
    assert out_of(data, "--lossy=all") == expected
    line = convert("-", "-", *FROM, "--to=ndjson", f"--lossy={words}", stdin=pack(1) + data)
    assert line == b"1\n" + expected + b"\n"


def test_the_number_of_the_message_is_told():
    data = pack({"a": 1}) + pack([]) + pack([[b""]])
    done = run("convert", "-", "-", *FROM, "--to=ndjson", stdin=data, code=1)
    # Those before it went out.
    assert done.stdout == b'{"a":1}\n[]\n'
    assert done.stderr.decode() == (
        "oxwire: -: bytes have no JSON; --lossy bytes writes base64 text (message 3, at $[0][0])\n"
    )


def test_the_first_loss_is_told():
    assert refused(pack({"z": {"y": [b"", float("nan")]}, "a": b""})).endswith("(at $.z.y[0])")
    assert refused(pack([[[1, 2], {"k": float("nan")}], b""])).endswith("(at $[1])")
    assert refused(pack([{"a": 1, 2: b""}, b""])).endswith("(at $[0][2])")


@pytest.mark.parametrize(
    ("key", "step"),
    [
        ("a", ".a"),
        ("a b", '["a b"]'),
        ("é\n", '["é\\n"]'),
        ("", '[""]'),
        ("\x1b", '["\\u001b"]'),
        (b"\xff", r"[b'\xff']"),
        ((1, "a"), "[(1, 'a')]"),
    ],
)
def test_paths(key, step):
    data = pack({key: [b""]})
    if isinstance(key, str):
        assert refused(data).endswith(f"(at ${step}[0])")
    else:
        assert refused(data).endswith(f"(at ${step})")
    assert len(refused(pack({"k" * 10_000: b""}))) < 300
    assert len(refused(pack({b"k" * 10_000: b""}))) < 300


def test_moments_that_have_no_text():
    data = pack([msgpack.Timestamp(253402300800)])
    assert refused(data, "--lossy=timestamps").endswith("(at $[0])")
    assert refused(data, "--lossy=ext").endswith("(at $[0])")
    # Four bytes of nanoseconds and eight of seconds.
    body = binascii.b2a_base64(struct.pack(">Iq", 0, 253402300800), newline=False)
    assert out_of(data, "--lossy=timestamps,ext") == b'[{"ext":-1,"data":"%b"}]' % body
    assert refused(b"\xd5\xff\0\0", "--lossy=all").endswith("(byte 0)")


def test_float32_is_the_same_number():
    assert out_of(b"\x92\xca\x3d\xcc\xcc\xcd\xca\x3f\xc0\0\0") == b"[0.10000000149011612,1.5]"
    assert "nan has no JSON" in refused(b"\xca\x7f\xc0\0\0")


def test_keys_that_stand_twice():
    twice = b"\x82\xa1a\x01\xa1a\x02"
    assert refused(twice).endswith("(byte 4)")
    assert out_of(twice, "--lossy=duplicates") == b'{"a":2}'
    # They are two keys in MessagePack, and one in JSON.
    alike = b"\x83\x01\xa1a\xa11\xa1b\xa1c\x03"
    assert refused(alike, "--lossy=keys").endswith(
        'another key has the same text; --lossy duplicates keeps the last value (at $["1"])'
    )
    assert out_of(alike, "--lossy=keys,duplicates") == b'{"1":"b","c":3}'


def test_text_that_is_not_utf8():
    data = b"\x82\xa1k\xa3a\xffb\xa2\xffk\xa1v"
    assert refused(data).endswith("(byte 5)")
    assert out_of(data, "--lossy=utf8") == '{"k":"a\ufffdb","\ufffdk":"v"}'.encode()
    alike = b"\x82\xa1\xff\x01\xa1\xfe\x02"
    assert "another key" in refused(alike, "--lossy=utf8")
    assert out_of(alike, "--lossy=utf8,duplicates") == '{"\ufffd":2}'.encode()
    # A surrogate stands in the path, and must not end the message.
    assert refused(b"\x81\xa1\xff\xc4\x00", "--lossy=utf8").startswith("bytes have no JSON")


def test_a_map_as_a_key_is_always_refused():
    assert refused(b"\x81\x80\x01", "--lossy=all").endswith("(byte 1)")


def test_losses_may_nest_deeper_than_python_calls_itself():
    value = b"\x91" * 990 + b"\xc4\x01a"
    assert out_of(value, "--lossy=bytes") == b"[" * 990 + b'"YQ=="' + b"]" * 990
    assert refused(value).endswith(f"(at ${'[0]' * 990})")
    assert refused(b"\x91" * 1001 + b"\x01").endswith("(byte 1000)")


@given(values(keys=st.one_of(text, st.integers(0, 9), st.binary(max_size=3)), leaves=st.one_of(
    st.none(), st.floats(), text, st.binary(max_size=5), st.integers(-(2**63), 2**64 - 1),
    st.builds(msgpack.Ext, st.integers(0, 9), st.binary(max_size=3)),
    st.builds(msgpack.Timestamp, st.integers(-(2**36), 2**36), st.integers(0, 10**9 - 1)),
)))  # fmt: skip
def test_all_is_either_refused_or_said(value):
    code, document, _ = here(pack(value), *FROM, "--to=json")
    if code == 0:
        assert packed_of(document) == pack(value)
    oxwire.json.decode(out_of(pack(value), "--lossy=all"), duplicate_keys="error")


# JSON to MessagePack: what MessagePack cannot say

BIG = (2**64, -(2**63) - 1, 2**200, -(10**300))


@pytest.mark.parametrize("number", BIG)
def test_integers_beyond_64_bits(number):
    document = b'{"a":[0,%d],"b":%d}' % (number, number)
    message = refused(document, *TO)
    assert "--big-ints ext" in message
    assert message.endswith("(at $.a[1])")
    assert refused(document, *TO, "--lossy=all") == message
    packed = packed_of(document, "--big-ints=ext")
    assert packed == pack({"a": [0, number], "b": number}, big_int_ext=38)
    assert out_of(packed, "--big-ints=ext") == document
    message = refused(packed)
    assert "--big-ints ext" in message
    assert message.endswith("(at $.a[1])")
    assert b'"ext":38' in out_of(packed, "--lossy=ext")


def test_the_number_of_the_document_is_told(tmp_path):
    out = tmp_path / "out.mp"
    message = failure("-", out, "--from=ndjson", stdin=b'1\n\n{"a":18446744073709551616}\n')
    assert message.endswith("(document 2, at $.a)\n")
    message = failure("-", out, "--from=ndjson", stdin=b"1\n2\n0.12345678901234567890123\n")
    assert message.endswith("(document 3, at $)\n")
    assert not out.exists()


def test_keys_that_stand_twice_in_json():
    assert refused(b'{"a":1,"a":2}', *TO).endswith("(line 1, column 8)")
    assert convert("-", "-", *TO, "--lossy=duplicates", stdin=b'{"a":1,"a":2}') == b"\x81\xa1a\x02"


EXACT = """0.1 1.10 0.10000000000000000000000000 1e2 1E+2 0.0 -0.0 0.000e5 0e99999999999999999999 1.5e-7 5e-324
4.9406564584124654e-324 2.2250738585072014e-308 1.7976931348623157e308 -65.613616999999977 43.420273000000009
0.1000000000000000055511151231257827021181583404541015625 9007199254740992.0 9007199254740994.0 123456789012345.6
1e23 9.999999999999999e22 0.30000000000000004 100000000000000000000.0 0.0000001 10000000000000000000000000.0e-25"""
INEXACT = """3.14159265358979323846 9007199254740993.0 0.12345678901234567890 1e-400 -1e-324 0.1234567890123456789e-300
1.0000000000000000000001 2.00000000000000005 123456789.123456789012 1.2345678901234567e-315
0.10000000000000000555111512312578270211815834045410156249 12345678901234567.5"""


@pytest.mark.parametrize("number", EXACT.split())
def test_numbers_that_are_floats(number):
    packed = packed_of(f'{{"a":[{number}]}}'.encode())
    assert packed == b"\x81\xa1a\x91\xcb" + struct.pack(">d", float(number))


@pytest.mark.parametrize("number", INEXACT.split())
def test_numbers_that_are_no_floats(number):
    document = f'{{"a":[0.5,{number},1.25]}}'.encode()
    message = refused(document, *TO)
    assert message == f"a float cannot hold {number[:40] + '...' * (len(number) > 49)}; " + (
        "--lossy digits takes the nearest that it can (at $.a[1])"
    )
    packed = packed_of(document, "--lossy=digits")
    assert packed == pack({"a": [0.5, float(number), 1.25]})


def test_numbers_beyond_every_float():
    assert refused(b"[1e400]", *TO) == "a float cannot hold 1e400 (at $[0])"
    assert "(line 1, column 2)" in refused(b"[1e400]", *TO, "--lossy=all")
    assert len(refused(b"[0." + b"1" * 100_000 + b"]", *TO)) < 200


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(17, 40))
def test_what_printed_a_float_is_read_as_that_float(value, digits):
    for spelled in (repr(value), f"{value:.{digits}g}", f"{value:.{digits}e}", f"{value:.16e}"):
        assert _convert._float(spelled) == value


@given(st.integers(-400, 400), st.integers(0, 10**15 - 1))
def test_fifteen_digits_are_always_a_float(exponent, digits):
    spelled = f"{digits}e{exponent}"
    if 1e-300 < abs(float(spelled)) < 1e300:
        assert _convert._float(spelled) == float(spelled)


# MessagePack to MessagePack


def test_messages_are_copied_as_they_are_spelled(tmp_path):
    # A longer form, float 32, a key that stands twice, an ext, a moment.
    data = b"\xcd\x00\x01\xca\x3f\xc0\0\0\x82\x01\x01\x01\x02\xd4\x05a\xd6\xff\0\0\0\x01"
    (tmp_path / "a.mp.gz").write_bytes(gzip.compress(data))
    convert(tmp_path / "a.mp.gz", tmp_path / "a.msgpack")
    assert (tmp_path / "a.msgpack").read_bytes() == data


def test_messages_laid_out_anew():
    data = b"\x83\xa1b\xcd\x00\x01\xa1a\xa1\xff\x01\xd7\xff" + struct.pack(">Q", 5) + b"\xd4\x05a"
    value, end = msgpack.decode_prefix(data, str_errors="surrogateescape")
    assert end == len(data) - 3
    for option in ("sort", "canonical"):
        expected = pack(value, str_errors="surrogateescape", **{option: True})
        assert convert("-", "-", *FROM, *TO, f"--{option}", stdin=data) == expected + b"\xd4\x05a"
        assert not any(row.note.endswith("would do") for row in rows(expected))
    assert refused(b"\x82\xa1a\x01\xa1a\x02", *TO, *FROM, "--sort").endswith("(byte 4)")


# Files


@pytest.mark.parametrize("target", ["json", "ndjson", "msgpack"])
@pytest.mark.parametrize(
    ("data", "place"), [(b"\x92\x01", 2), (b"\xc1", 0), (b"\xa2a\xff", 2), (b"\x81\xa1a\xd9", 4)]
)
def test_malformed_input_names_the_byte(tmp_path, data, place, target):
    out = tmp_path / "out"
    out.write_bytes(b"old")
    message = failure("-", out, *FROM, f"--to={target}", stdin=data)
    assert message.endswith(f" (byte {place})\n")
    assert out.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out"]


def test_the_byte_of_an_error_is_counted_from_the_start_of_the_file():
    data = pack("x" * 1000) * 100 + b"\xc1"
    assert failure("-", os.devnull, *FROM, "--to=ndjson", stdin=data).endswith(f"(byte {len(data) - 1})\n")


def test_in_place_with_another_format(tmp_path):
    path = tmp_path / "a.data"
    path.write_bytes(b"[1,2]")
    convert(path, path, "--from=json", *TO)
    assert path.read_bytes() == b"\x92\x01\x02"
    convert(path, path, *FROM, "--to=json")
    assert path.read_bytes() == b"[1,2]\n"
    # What cannot be said leaves it as it was.
    path.write_bytes(b"\xc4\x00")
    failure(path, path, *FROM, "--to=json")
    assert path.read_bytes() == b"\xc4\x00"
    assert os.listdir(tmp_path) == ["a.data"]


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads the peak memory from /proc")
@pytest.mark.parametrize(
    ("source", "target"), [("a.jsonl.gz", "b.mp"), ("a.mp.gz", "b.jsonl"), ("a.mp.gz", "b.mp")]
)
def test_memory_does_not_grow_with_the_file(tmp_path, source, target):
    code = (
        "import sys; from oxwire._cli import main; code = main(sys.argv[1:]);"
        "print(*[l.split()[1] for l in open('/proc/self/status') if l.startswith('VmHWM')]); sys.exit(code)"
    )
    peaks = []
    for count in (1000, 150_000):
        line = LINE if "jsonl" in source else pack(json.loads(LINE))
        (tmp_path / source).write_bytes(gzip.compress(line * count, 1))
        command = [sys.executable, "-c", code, "convert", str(tmp_path / source), str(tmp_path / target)]
        peaks.append(int(subprocess.run(command, capture_output=True, check=True).stdout))
    assert peaks[1] - peaks[0] < 4000, f"peak in KiB for the small and the large file: {peaks}"


def test_a_closed_pipe_is_quiet(tmp_path):
    path = tmp_path / "a.mp"
    path.write_bytes(pack(json.loads(LINE)) * 20_000)
    command = [sys.executable, "-m", "oxwire", "convert", str(path), "-", "--to=ndjson"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
