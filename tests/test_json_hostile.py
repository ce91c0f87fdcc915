"""Objects that lie about themselves or run code where none is expected: a value or an error, never a crash."""

import gc
import mmap
import sys
import tempfile
from datetime import date, datetime
from decimal import Decimal

import pytest
from hostile import check_keys_that_die
from samples import run_python

from oxwire import DecodeError, EncodeError, Raw
from oxwire.compat import orjson
from oxwire.json import StreamDecoder, decode, decode_lines, encode, format


def test_finalizers_of_keys_that_were_written_before():
    check_keys_that_die(encode, decode)


def test_datetimes_with_fields_out_of_range():
    # What was pickled is believed: only the month is checked.
    state = b"\xff\xff\x0c\xff\xff\xff\xff\xff\xff\xff"
    for when in (datetime(state), date(state[:4])):
        assert decode(encode([when, {when: when}]))[0].startswith("+65535-12-")
        assert orjson.dumps(when, option=orjson.OPT_UTC_Z | orjson.OPT_NAIVE_UTC)


@pytest.mark.parametrize(
    "text",
    [
        '1, "x": 2',
        "1\n",
        " 1",
        '1"',
        "--1",
        "01",
        "1.",
        ".5",
        "1e",
        "1e+",
        "1x",
        "1.5.5",
        "\u0661",
        "9" * 50 + "]",
    ],
)
def test_decimals_that_spell_themselves(text):
    class Odd(Decimal):
        """Has a spelling of its own."""

        def __str__(self):
            return text

    with pytest.raises(EncodeError):
        encode([Odd(1)], decimal_format="number")


@pytest.mark.parametrize(
    "number", ["0", "-0", "0.00", "-1.50", "1E+400", "1E-7", "0E+1", "12345678901234567890.5", "1E+999999"]
)
def test_decimals_as_numbers(number):
    assert encode([Decimal(number)], decimal_format="number") == f"[{Decimal(number)}]".encode()


def test_metaclasses_that_answer_with_code():
    class Other:
        """What every instance becomes."""

    class Meta(type):
        """Gives the object that is asked about another class, and its own class another name."""

        seen = None

        def __getattribute__(cls, name):
            if name in ("__module__", "__qualname__") and Meta.seen is not None:
                Meta.seen.__class__ = Other
                type.__setattr__(cls, "__name__", "renamed" * 20)
                gc.collect()
            return super().__getattribute__(name)

    for name in ("range", "map", "UUID", "ndarray", "Anything") * 20:
        made = Meta(name, (Other,), {})()
        Meta.seen = made
        with pytest.raises(EncodeError):
            encode([made])
        Meta.seen = None


@pytest.mark.skipif(sys.platform != "linux", reason="other systems make no file of that size")
def test_buffers_larger_than_memory():
    with tempfile.TemporaryFile() as file:
        try:
            file.truncate(1 << 43)
            huge = mmap.mmap(file.fileno(), 1 << 43, prot=mmap.PROT_READ)
        except (OSError, ValueError, OverflowError):
            pytest.skip("no file of that size can be mapped here")
        try:
            view = memoryview(huge)
            for call in (decode, decode_lines, format, encode, Raw, orjson.loads, StreamDecoder().feed):
                with pytest.raises(MemoryError):
                    call(view)
            view.release()
        finally:
            huge.close()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes offer buffers from 3.12 on")
def test_buffers_that_raise():
    class Raises(bytearray):
        """Cannot be read."""

        def __buffer__(self, flags):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encode(Raises(b"x"))
    with pytest.raises(KeyboardInterrupt):
        decode(Raises(b"1"))


@pytest.mark.parametrize(
    "text", ['[1,\n"\u00e9\ud800"]', "\ud800", '["\u00e9"' + ",\n" * 3 + "\udfff", "\U0001f600\udc00"]
)
def test_the_place_of_a_surrogate_in_a_str(text):
    before = text[: next(n for n, c in enumerate(text) if "\ud800" <= c <= "\udfff")]
    with pytest.raises(DecodeError) as caught:
        decode(text)
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    assert (caught.value.offset, caught.value.line, caught.value.column) == (
        len(before.encode()),
        line,
        column,
    )


def test_raw_documents_are_checked_for_duplicate_keys():
    twice = b'{"a":[{"b":1.5,"\\u0062":2}]}'
    assert decode(twice, raw=True) == Raw(twice)
    calls = []
    for options in ({}, {"float_hook": calls.append}):
        with pytest.raises(DecodeError) as caught:
            decode(twice, raw=True, duplicate_keys="error", **options)
        assert caught.value.offset == twice.index(b'"\\u')
        with pytest.raises(DecodeError):
            decode_lines(twice, raw=True, duplicate_keys="error", **options)
    assert calls == []
    once = b' {"a":[{"b":1.5},{"b":2}]} '
    assert decode(once, raw=True, duplicate_keys="error") == Raw(once.strip())


def test_import_while_datetime_has_stand_ins():
    # As libraries that freeze time for tests put there.
    code = """
import datetime
real = datetime.datetime, datetime.date, datetime.time, datetime.timedelta
class Stand(datetime.datetime): pass
class Day(datetime.date): pass
class Slots:
    __slots__ = ("a", "b", "c", "d")
datetime.datetime, datetime.date, datetime.time = Stand, Day, Slots
import oxwire.json as j
value = [real[0](2000, 1, 2), Stand(2000, 1, 2), real[1](2000, 1, 2), Day(2000, 1, 2), real[2](3), real[3](1)]
print(j.encode(value).decode())
"""
    when, day = "2000-01-02T00:00:00", "2000-01-02"
    assert decode(run_python(code)) == [when, when, day, day, "03:00:00", "P1D"]
    code = """
import sys
sys.modules["_datetime"] = None
import datetime
import oxwire.json as j
value = [datetime.datetime(2000, 1, 2), datetime.date(2000, 1, 2), datetime.time(3), datetime.timedelta(1)]
print(j.encode(value).decode())
"""
    assert decode(run_python(code)) == [when, day, "03:00:00", "P1D"]
