"""What typed reading leaves to others: Raw, types of users, and ways of reading that share the types."""

import collections
import datetime as dt
import pickle
import sys
from collections import abc
from decimal import Decimal
from typing import Any, Union
from uuid import UUID, SafeUUID

import pytest
from reading import SOURCES, No, check, outcome, read
from typed import Booleans, Custom, Nothing

from oxwire import DecodeError, Raw, ValidationError, convert, json, msgpack

each_source = pytest.mark.parametrize("source", SOURCES)
U = UUID("12345678-1234-5678-1234-567812345678")


def expected(word, got, at=""):
    return No(f"Expected `{word}`, got `{got}`{at}")


def at(path):
    return f" - at `{path}`"


def test_raw():
    assert [bytes(one) for one in json.decode(b'[ 1, {"a": [2]} ,null]', type=list[Raw])] == [
        b"1",
        b'{"a": [2]}',
        b"null",
    ]
    assert bytes(json.decode(b" [1] ", type=Raw)) == b"[1]"
    data = msgpack.encode({"a": [1, "x"]})
    assert bytes(msgpack.decode(data, type=dict[str, Raw])["a"]) == data[3:]
    raw = Raw(b"1")
    assert convert(raw, Raw) is raw
    assert outcome(convert, 1, Raw) == expected("raw", "int")
    for bad in (b'["\xff"]', b'["\\ud800"]', b"[01]", b"[1,]"):
        with pytest.raises(DecodeError):
            json.decode(b"[" + bad + b"]", type=list[Raw])


def hook(t, value):
    if t is Custom:
        if isinstance(value, str):
            raise {"value": ValueError("no good"), "key": KeyError("out")}.get(value, TypeError("not it"))
        if value is False:
            return "something else"
        made = Custom()
        made.value = value
        return made
    if t == collections.deque[int]:
        return collections.deque(value)
    raise NotImplementedError


@each_source
def test_custom_types(source):
    for document, value in (
        (b"1", 1),
        (b'[1,{"a":2}]', [1, {"a": 2}]),
        (b'{"x":[]}', {"x": []}),
        (b"null", None),
    ):
        assert read(source, Custom, document, dec_hook=hook).value == value
        assert read(source, list[Custom], b"[" + document + b"]", dec_hook=hook)[0].value == value
    assert read(source, list[Custom | None], b"[null]", dec_hook=hook) == [None]
    assert read(source, collections.deque[int], b"[1,2]", dec_hook=hook) == collections.deque([1, 2])
    assert read(source, dict[str, Custom], b'{"a":5}', dec_hook=hook)["a"].value == 5
    for document, wanted in (
        (b'["value"]', No("no good - at `$[0]`")),
        (b'["type"]', No("not it - at `$[0]`")),
        (b"[false]", expected("Custom", "str", at("$[0]"))),
    ):
        check(source, list[Custom], document, wanted, dec_hook=hook)
    with pytest.raises(ValidationError) as caught:
        read(source, list[Custom], b'["value"]', dec_hook=hook)
    assert type(caught.value.__cause__) is ValueError
    assert (caught.value.msg, caught.value.path) == ("no good", "$[0]")
    with pytest.raises(KeyError):
        read(source, list[Custom], b'["key"]', dec_hook=hook)
    # Without a hook there is none to be made.
    check(source, Custom, b"1", expected("Custom", "int"))
    check(source, Custom | None, b"{}", expected("Custom", "object"))


def test_types_that_cannot_be_are_refused_when_a_decoder_is_made():
    for t in (
        Nothing,
        Booleans,
        Union[list, set],
        tuple[*tuple[int, ...], *tuple[str, ...]],
        5,
        abc.Iterator[int],
    ):
        for make in (json.Decoder, msgpack.Decoder):
            with pytest.raises(TypeError):
                make(t)
        with pytest.raises(TypeError):
            convert(1, t)


def test_lines_streams_and_prefixes():
    assert json.decode_lines(b"1\n2\n", type=int) == [1, 2]
    with pytest.raises(ValidationError, match="Expected `int`, got `str`"):
        json.decode_lines(b'1\n"x"\n', type=int)
    data = msgpack.encode([1]) + msgpack.encode(["x"])
    value, end = msgpack.decode_prefix(data, type=list[int])
    assert (value, end) == ([1], 2)
    with pytest.raises(ValidationError, match=r"Expected `int`, got `str` - at `\$\[0\]`"):
        msgpack.decode_prefix(data[2:], type=list[int])


def test_malformed_input_is_not_a_wrong_value():
    for data in (b"[1,2", b"[1 2]", b'["\xff"]', b"[1]x", b'{"a":1,}', b"", b'["\\ud800"]'):
        for t in (Any, Raw, dict[str, int] | list[str | int]):
            with pytest.raises(DecodeError) as caught:
                json.decode(data, type=t)
            assert not isinstance(caught.value, ValidationError)


def test_names_of_what_was_given():
    class Other:
        pass

    for value, name in (
        (Other(), "Other"),
        (b"x", "bytes"),
        ({1}, "set"),
        (dt.timedelta(1), "duration"),
        (U, "uuid"),
        (Decimal(1), "decimal"),
        ((1,), "array"),
        (range(3), "range"),
    ):
        assert outcome(convert, [value], list[int]) == expected("int", name, at("$[0]"))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="aliases are a statement from 3.12 on")
def test_aliases():
    names = {"__name__": __name__}
    exec(
        "type Json = None | bool | int | str | list[Json] | dict[str, Json]\ntype Pairs[T] = list[tuple[T, T]]",
        names,
    )
    for source in SOURCES:
        check(source, names["Json"], b'{"a":[1,null,{"b":"c"}]}', {"a": [1, None, {"b": "c"}]})
        check(
            source,
            names["Json"],
            b'{"a":[1.5]}',
            expected("bool | int | str | object | array | null", "float", at("$[...][0]")),
        )
        check(source, names["Pairs"][int], b"[[1,2]]", [(1, 2)])


@each_source
def test_uuids_are_as_their_class_makes_them(source):
    """They are made without asking the class to look at arguments."""
    for number in (0, 1, 2**30, 2**64, 2**127, 2**128 - 1, U.int):
        wanted = UUID(int=number)
        made = read(source, UUID, json.encode(wanted))
        assert made == wanted
        assert type(made) is UUID
        assert made.int == number
        assert (hash(made), str(made), made.bytes) == (hash(wanted), str(wanted), wanted.bytes)
        assert made.is_safe is SafeUUID.unknown
        assert pickle.loads(pickle.dumps(made)) == wanted
        assert type(made.int) is int


NOON = dt.datetime(2020, 1, 2, 12, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('"2020-01-02T12:00:00Z"', NOON),
        ('"\\u0032020-01-02T12:00:00\\u005a"', NOON),
        ('"2020-01-02T12:00:00.0000001Z"', NOON),
        ('"2020-01-02T11:59:59.9999995Z"', NOON),
        ('"2020-01-02T12:00:00é"', "Invalid RFC3339 encoded datetime - at `$[1]`"),
        ('"2020-01-02T12:00:0:Z"', "Invalid RFC3339 encoded datetime - at `$[1]`"),
        ('"2020-01-02T12:00:0\\u00b5Z"', "Invalid RFC3339 encoded datetime - at `$[1]`"),
        ('"9999-12-31T23:59:59.9999999Z"', "Invalid RFC3339 encoded datetime - at `$[1]`"),
        ('"2020-01-02T12:00:00Z', "unexpected end of input"),
    ],
)
def test_moments_are_read_where_they_lie(text, wanted):
    """What is none is read again, as text, and what follows is where it was."""
    data = f'["{NOON.isoformat()}",{text}'
    if not isinstance(wanted, str):
        assert json.decode(f"{data},{text}]", type=list[dt.datetime]) == [NOON, wanted, wanted]
        return
    with pytest.raises(DecodeError) as caught:
        json.decode(data + "]" * text.endswith('"'), type=list[dt.datetime])
    assert wanted in str(caught.value)


def test_moments_that_are_no_text_to_convert_in_laxer_ways():
    seconds = json.decode('["5",7]', type=list[dt.timedelta], strict=False)
    assert seconds == [dt.timedelta(seconds=5), dt.timedelta(seconds=7)]
    with pytest.raises(DecodeError, match="UTF-8"):
        json.decode(b'["2020-01-02T12:00:00\xff"]', type=list[dt.datetime])
    with pytest.raises(DecodeError, match="UTF-8"):
        msgpack.decode(b"\x91\xa32\xff0", type=list[dt.datetime])


@pytest.mark.parametrize(
    ("text", "days"),
    [("P999999999DT86399S", 999_999_999), ("-P999999999D", -999_999_999), ("P142857142W", 999_999_994)],
)
def test_the_longest_spans(text, days):
    assert json.decode(f'"{text}"', type=dt.timedelta).days == days


@pytest.mark.parametrize(
    "text",
    [
        "P999999999DT86400S",
        "P1000000000D",
        "-P999999999DT1S",
        "P18446744073709551615D",
        "P999999999DT23H59M59.9999999S",
    ],
)
def test_spans_that_are_too_long(text):
    with pytest.raises(ValidationError, match=r"^Duration is out of range$"):
        json.decode(f'"{text}"', type=dt.timedelta)


def test_what_is_one_of_a_type_already_stays():
    class Later(dt.datetime):
        pass

    later = Later(2020, 1, 2)
    assert convert([later], list[dt.datetime])[0] is later
    for t in dt.date, dt.time, dt.timedelta:
        with pytest.raises(ValidationError, match=r"got `Later`|got `datetime`"):
            convert(later, t)
    number = Decimal("1.10")
    assert convert(number, float | Decimal) is number
    assert convert(b"x", bytes) == b"x"
    assert convert(U, UUID) is U
    assert msgpack.decode(msgpack.encode([b"", b"x"]), type=list[bytes]) == [b"", b"x"]
    assert msgpack.decode(msgpack.encode([NOON] * 2), type=list[dt.datetime | str]) == [NOON] * 2
