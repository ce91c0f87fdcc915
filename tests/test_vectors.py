"""The vectors of vectors/msgpack against oxwire.msgpack: what is written, what is read, what is refused and where.

A test is a file of vectors and a question; it lists every case that answers wrongly. What may surprise: values are
compared by `vectors.exact`, which knows 1 from True and one NaN from another.
"""

import struct
import sys
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

import vectors
from oxwire import DecodeError, EncodeError
from oxwire.msgpack import Ext, StreamDecoder, Timestamp, decode, decode_prefix, encode
from vectors import Map, Typed, exact

pytestmark = pytest.mark.usefixtures("deep")
FILES = sorted(path.stem for path in vectors.FOLDER.glob("*.json"))
SHORT = 48
# What the words of the vectors are here.
WRITING = {
    None: {},
    "float32": {"float32": True},
    "old-spec": {"old_spec": True},
    "big-int": {"big_int_ext": True},
    "typed": {"ndarray_ext": True},
}
READING = {
    None: {},
    "always": {},
    "old-spec": {"old_spec": True},
    "big-int": {"big_int_ext": True},
    "typed": {"ndarray_ext": True},
    "strict": {"strict": True},
    "unique": {"duplicate_keys": "error"},
}
WORDS = {
    "eof": "unexpected end of input",
    "marker": "begins no value",
    "utf8": "not valid UTF-8",
    "trailing": "expected the end of the input",
    "duplicate-key": "stands twice",
    "key": "cannot be a key",
    "timestamp": "a timestamp has",
    "body": "what its code says",
    "depth": "nest deeper",
    "non-minimal": "shorter form",
}


@cache
def cases():
    """The cases of each file."""
    found = {name: [] for name in FILES}
    for case in vectors.cases():
        found[case.file].append(case)
    return found


@pytest.fixture(params=FILES)
def file(request):
    """The cases of one file. Those of typed arrays need numpy."""
    if request.param == "typed":
        pytest.importorskip("numpy")
    return cases()[request.param]


def ours(v, *, key=False):
    """The object that stands for a value of the vectors."""
    if isinstance(v, list):
        items = [ours(item, key=key) for item in v]
        return tuple(items) if key else items
    if isinstance(v, Map):
        return {ours(k, key=True): ours(of) for k, of in v.entries}
    if isinstance(v, vectors.Ext):
        return Ext(v.code, v.body)
    if isinstance(v, vectors.Timestamp):
        return Timestamp(v.seconds, v.nanoseconds)
    if isinstance(v, Typed):
        import numpy as np

        return np.frombuffer(v.items, v.type).reshape(v.dims)
    return v


def theirs(obj, *, key=False):
    """The value of the vectors that an object is."""
    if type(obj) is (tuple if key else list):
        return [theirs(item, key=key) for item in obj]
    if type(obj) is dict:
        return Map(tuple((theirs(k, key=True), theirs(of)) for k, of in obj.items()))
    if type(obj) is Ext:
        return vectors.Ext(obj.code, obj.data)
    if type(obj) is Timestamp:
        return vectors.Timestamp(obj.seconds, obj.nanoseconds)
    if type(obj).__name__ == "ndarray":
        assert not obj.flags.writeable
        return Typed(obj.dtype.str, obj.shape, obj.tobytes())
    assert obj is None or type(obj) in (bool, int, float, str, bytes), type(obj)
    return obj


def value_of(data, mode, **options):
    """What a message is read as, comparable."""
    return exact(theirs(decode(data, timestamp="timestamp", **READING[mode], **options)))


def attempt(function, *args, **options):
    """What comes of a call, as something to compare and to print."""
    try:
        return function(*args, **options)
    except (DecodeError, EncodeError) as error:
        return error


def test_the_vectors_agree_with_themselves(capsys):
    assert vectors.main() == 0, capsys.readouterr().out
    assert sum(map(len, cases().values())) >= 400


def test_values_are_written(file):
    wrong = []
    for case in file:
        if case.why is not None or case.way == "read":
            continue
        value = ours(case.value)
        got = attempt(encode, value, **WRITING[case.mode])
        if got != case.data:
            wrong.append((case.name, got, case.data))
        if case.mode not in ("float32", "old-spec"):
            wanted = case.data if case.canonical is None else case.canonical
            got = attempt(encode, value, canonical=True, **WRITING[case.mode])
            if got != wanted:
                wrong.append(("canonical", case.name, got, wanted))
    assert not wrong


def test_values_without_a_form(file):
    wrong = []
    for case in file:
        if case.data is None:
            # No dict has a dict as a key: that a map cannot be one is for other languages.
            got = None if case.why == "key" else attempt(encode, ours(case.value), **WRITING[case.mode])
            if got is not None and not isinstance(got, EncodeError):
                wrong.append((case.name, got))
    assert not wrong


def test_bytes_are_read(file):
    wrong = []
    for case in file:
        if case.why is not None or case.way == "write":
            continue
        wanted = exact(case.value)
        for form in (case.data, *case.also, *case.also_strict):
            got = attempt(value_of, form, case.mode)
            if got != wanted:
                wrong.append((case.name, form[:50], got))
            if case.mode == "old-spec":
                continue
            got = attempt(value_of, form, case.mode, strict=True)
            if form not in case.also:
                if got != wanted:
                    wrong.append(("strict", case.name, form[:50], got))
            elif not isinstance(got, DecodeError):
                wrong.append(("taken by strict", case.name, form[:50], got))
        if case.canonical is not None:
            again = attempt(value_of, case.canonical, case.mode, strict=True)
            if isinstance(again, DecodeError):
                wrong.append(("canonical", case.name, again))
    assert not wrong


def test_bytes_are_read_with_more_behind_them(file):
    wrong = []
    for case in file:
        if case.why is not None or case.way == "write":
            continue
        options = {"timestamp": "timestamp", **READING[case.mode]}
        for form in (case.data, *case.also, *case.also_strict):
            value, end = decode_prefix(form + b"\xc1", **options)
            if end != len(form) or exact(theirs(value)) != exact(case.value):
                wrong.append((case.name, form[:50], end))
            if bytes(decode(form, raw=True, **options)) != form:
                wrong.append(("raw", case.name, form[:50]))
    assert not wrong


def is_refusal(error, why, offset):
    """Whether this is the error that should come."""
    return (
        type(error) is DecodeError and WORDS[why] in error.msg and (offset is None or error.offset == offset)
    )


def test_bytes_are_refused(file):
    wrong = []
    for case in file:
        if case.why is None or case.data is None:
            continue
        options = {"timestamp": "timestamp", **READING[case.mode]}
        got = attempt(decode, case.data, **options)
        # An empty input is an input that ends too early; it may be said in other words.
        if not (is_refusal(got, case.why, case.offset) or (not case.data and type(got) is DecodeError)):
            wrong.append(
                (case.name, case.data[:50], getattr(got, "offset", None), got, case.why, case.offset)
            )
        if case.mode == "always":
            if not isinstance(attempt(decode, case.data, strict=True), DecodeError):
                wrong.append(("taken by strict", case.name))
            if case.why != "trailing" and not isinstance(attempt(decode_prefix, case.data), DecodeError):
                wrong.append(("taken as a prefix", case.name))
            if not isinstance(attempt(decode, case.data, raw=True), DecodeError):
                wrong.append(("taken raw", case.name))
        elif isinstance(attempt(decode, case.data, timestamp="timestamp"), DecodeError):
            wrong.append(("refused in every mode", case.name))
    assert not wrong


def test_every_cut_is_refused(file):
    wrong = []
    for case in file:
        if case.why is not None or case.way == "write":
            continue
        for form in (case.data, *case.also, *case.also_strict):
            # The first and the last places of the long ones.
            for n in sorted({*range(1, min(len(form), SHORT)), len(form) - 1} - {0}):
                got = attempt(decode, form[:n], timestamp="timestamp", **READING[case.mode])
                if not is_refusal(got, "eof", n):
                    wrong.append((case.name, form[:n][:50], n, getattr(got, "offset", None), got))
    assert not wrong


def streamed(parts, **options):
    """The messages that come of chunks."""
    stream = StreamDecoder(timestamp="timestamp", **options)
    messages = []
    for part in parts:
        stream.feed(part)
        messages += [exact(theirs(message)) for message in stream]
    stream.close()
    return messages


def test_bytes_are_read_in_pieces(file):
    wrong = []
    for case in file:
        if case.why is not None or case.way == "write":
            continue
        for form in (case.data, *case.also, *case.also_strict):
            if len(form) > SHORT:
                continue
            splits = [[form[:n], form[n:]] for n in range(len(form) + 1)]
            splits += [[bytes([byte]) for byte in form], [form + form]]
            for parts in splits:
                got = attempt(streamed, parts, **READING[case.mode])
                if got != [exact(case.value)] * (len(b"".join(parts)) // len(form)):
                    wrong.append((case.name, parts, got))
    assert not wrong


def test_bytes_are_refused_in_pieces(file):
    wrong = []
    for case in file:
        # What follows a message in a stream is the next; and the end of nothing is no fault.
        if case.why is None or not case.data or case.why == "trailing":
            continue
        data = case.data
        splits = [[data]]
        if len(data) <= SHORT:
            splits += [[data[:n], data[n:]] for n in range(1, len(data))]
            splits += [[bytes([byte]) for byte in data]]
        for parts in splits:
            got = attempt(streamed, parts, **READING[case.mode])
            # A stream looks at complete messages only, and so may find that one is cut before what else is wrong.
            if not (is_refusal(got, case.why, case.offset) or is_refusal(got, "eof", len(data))):
                wrong.append((case.name, parts[:3], getattr(got, "offset", None), got, case.why, case.offset))
    assert not wrong


def test_timestamps_alone():
    for case in cases()["timestamp"]:
        if isinstance(case.value, vectors.Timestamp):
            moment = ours(case.value)
            body = vectors.timestamp_body(case.value)
            assert case.data.endswith(body)
            assert moment.to_bytes() == body, case.name
            assert Timestamp.from_bytes(body) == moment, case.name


def test_timestamps_as_datetimes_are_exact_or_refused():
    from datetime import UTC, datetime, timedelta

    for case in cases()["timestamp"]:
        if not isinstance(case.value, vectors.Timestamp):
            continue
        seconds, nanoseconds = case.value.seconds, case.value.nanoseconds
        fits = -62135596800 <= seconds < 253402300800 and nanoseconds % 1000 == 0
        got = attempt(decode, case.data)
        if fits:
            wanted = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(
                seconds=seconds, microseconds=nanoseconds // 1000
            )
            assert got == wanted, case.name
            assert encode(got) == case.data, case.name
        else:
            assert type(got) is DecodeError, case.name
        assert decode(case.data, timestamp="ns") == seconds * 10**9 + nanoseconds, case.name


def test_text_that_is_not_utf8_as_bytes_and_as_surrogates():
    for case in cases()["refused-utf8"]:
        as_bytes = decode(case.data, str_errors="raw")
        escaped = decode(case.data, str_errors="surrogateescape")
        assert encode(escaped, str_errors="surrogateescape") == case.data, case.name
        if case.data[0] in range(0xA0, 0xC0):
            assert as_bytes == case.data[1:], case.name
            assert escaped == case.data[1:].decode(errors="surrogateescape"), case.name


def test_bits_of_floats_are_kept():
    for bits in (0, 1 << 63, 1, 0x7FF0000000000001, 0x7FF8000000000000, 0xFFF8000000000001, (1 << 64) - 1):
        data = b"\xcb" + bits.to_bytes(8, "big")
        assert struct.pack(">d", decode(data)) == data[1:]
