"""Writing JSON: each option of `encode`, alone and beside others."""

import itertools
import json
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import canonical_scalars, float_digits, nested, same, scalars, text, values

from oxwire import DecodeError, EncodeError, Raw, Struct, msgpack
from oxwire.json import Encoder, decode, encode, format

# indent, newline.

no_floats = values(leaves=st.one_of(st.none(), st.booleans(), st.integers(), text))
TREE = {"a": [], "b": {}, "c": [1, [2, {"d": None}], "x"], "é": {"f": {"g": [[]]}}, "h": (True, [{}])}


@pytest.mark.parametrize("indent", [0, 1, 2, 3, 4, 5, 6, 7, 8, "", " ", "\t", "\t\t", "  \t"])
def test_indent(indent):
    assert encode(TREE, indent=indent) == json.dumps(TREE, indent=indent, ensure_ascii=False).encode()
    for scalar in (1, "x", [], {}, None, [1], {"a": 1}):
        assert encode(scalar, indent=indent) == json.dumps(scalar, indent=indent, ensure_ascii=False).encode()


@given(no_floats)
def test_indent_agrees_with_the_standard_library(value):
    for indent in (2, "\t"):
        assert encode(value, indent=indent) == json.dumps(value, indent=indent, ensure_ascii=False).encode()


def test_no_indent_is_compact():
    assert (
        encode(TREE, indent=None)
        == encode(TREE)
        == json.dumps(TREE, separators=(",", ":"), ensure_ascii=False).encode()
    )


def test_indent_at_every_depth():
    for depth in (10, 100, 250):
        value = nested(depth, "mixed")
        assert encode(value, indent=8) == json.dumps(value, indent=8).encode()
    # Deeper than the standard library goes on every version.
    value = nested(999, "mixed")
    assert encode(value, indent=8) == format(encode(value), indent=8)


class Keyed(Struct):
    """Keys that are kept with the class."""

    plain: object
    wörd: object


# How each is to look, for the keywords that ask for it.
STYLES = [
    ({}, {"separators": (",", ":"), "ensure_ascii": False}),
    ({"indent": 2}, {"indent": 2, "ensure_ascii": False}),
    ({"indent": "\t"}, {"indent": "\t", "ensure_ascii": False}),
    ({"ensure_ascii": True}, {"separators": (",", ":")}),
    ({"indent": 0, "ensure_ascii": True}, {"indent": 0}),
    ({"sort": True}, {"separators": (",", ":"), "ensure_ascii": False, "sort_keys": True}),
    ({"sort": True, "indent": 4}, {"indent": 4, "ensure_ascii": False, "sort_keys": True}),
    ({"canonical": True}, {"separators": (",", ":"), "ensure_ascii": False, "sort_keys": True}),
]


@pytest.mark.parametrize("reused", [False, True])
@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(range(len(STYLES)), 2)))
def test_keys_written_in_one_style_stay_in_it(first, second, reused):
    # The keys are the same objects each time, and new ones in each test; with every sort of value behind them.
    keys = [f"{first}{second}{k}" for k in ("", "plain", 'quo"te', "wörd", "漢字", "x" * 50)]
    leaves = ["text", "é", 'a"b', 7, -(2**40), 1.5, True, None, [], {}, [1], (2,), {"a": 1}]
    value = [dict.fromkeys(keys, leaf) for leaf in leaves] + [dict.fromkeys(keys, {keys[1]: leaves})]
    made = [Keyed("text", value), Keyed(value, 1)]
    as_dicts = [{"plain": "text", "wörd": value}, {"plain": value, "wörd": 1}]
    encoders = [Encoder(**options).encode for options, _ in STYLES]
    for at in (first, second, first, second, second, first, first):
        options, wanted = STYLES[at]
        call = encoders[at] if reused else lambda v, options=options: encode(v, **options)
        assert call(value) == json.dumps(value, **wanted).encode()
        assert call(made) == json.dumps(as_dicts, **wanted).encode()
        # The other format has its own.
        assert msgpack.decode(msgpack.encode(value)) == decode(encode(value))


@pytest.mark.parametrize("indent", [-1, 9, 100, "x", "  -", "\n", "\xa0", 1.5, b" ", [], 2**70])
def test_invalid_indent(indent):
    with pytest.raises((TypeError, ValueError, OverflowError)) as caught:
        encode([1], indent=indent)
    assert not isinstance(caught.value, EncodeError)
    assert "indent" in str(caught.value)


def test_newline():
    assert encode([1], newline=True) == b"[1]\n"
    assert encode(1, newline=True) == b"1\n"
    assert encode({}, newline=True, indent=2) == b"{}\n"
    assert encode([1], newline=True, indent=2) == b"[\n  1\n]\n"
    assert encode([1], newline=False) == b"[1]"


# ensure_ascii.


@given(text)
def test_ensure_ascii(word):
    result = encode(word, ensure_ascii=True)
    assert result.isascii()
    assert json.loads(result) == word
    # The standard library escapes U+007F as well, which is ASCII.
    if "\x7f" not in word:
        assert result == json.dumps(word).encode()
    assert json.loads(encode({word: [word]}, ensure_ascii=True)) == {word: [word]}


def test_ensure_ascii_around_block_sizes():
    for length in range(131):
        for special in ("é", "€", "😀", "\x80"):
            word = "a" * length + special + "b" * (length % 40)
            assert encode(word, ensure_ascii=True) == json.dumps(word).encode()
    assert encode("é€😀", ensure_ascii=True) == rb'"\u00e9\u20ac\ud83d\ude00"'
    assert encode("é", ensure_ascii=False) == '"é"'.encode()


# order, sort.


@given(values())
def test_sorted_keys(value):
    result = encode(value, order="sorted")
    assert result == encode(value, sort=True)
    # Code point order is the order of the UTF-8 bytes.
    assert decode(result) == value
    assert encode(in_order(value)) == result


def in_order(value):
    """The same value with the keys of every dict in order."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return list(map(in_order, value))
    return value


def test_sorted_spelling():
    assert (
        encode({"b": {"z": 1, "y": 2}, "a": [{"d": 1, "c": 2}]}, order="sorted")
        == b'{"a":[{"c":2,"d":1}],"b":{"y":2,"z":1}}'
    )
    assert encode({"b": 1, "a": 2}, order=None) == b'{"b":1,"a":2}'
    assert encode({"b": 1, "a": 2}, sort=False) == b'{"b":1,"a":2}'
    # Sorted as they are spelled.
    assert encode({10: 0, 9: 0, 1: 0, None: 0, "0": 0}, sort=True) == b'{"0":0,"1":0,"10":0,"9":0,"null":0}'
    keys = ["\ufb33", "\U0001f600", "a", "", "\r", "A", "aa", "é", "\x7f", "€"]
    assert list(decode(encode(dict.fromkeys(keys, 1), sort=True))) == sorted(keys)
    many = {f"{n * 7919 % 10007}": n for n in range(5000)}
    assert list(decode(encode(many, sort=True))) == sorted(many)
    assert list(many) == [f"{n * 7919 % 10007}" for n in range(5000)]
    shared = {f"{'prefix' * 20}{n}": n for n in (3, 1, 2, 10)}
    assert list(decode(encode(shared, sort=True))) == sorted(shared)


# canonical.


def ecmascript(value):
    """A float as ECMAScript's Number.prototype.toString spells it."""
    digits, point = float_digits(value)
    if digits == "0":
        return "0"
    sign = "-" if value < 0 else ""
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    mantissa = digits[0] + ("." + digits[1:] if digits[1:] else "")
    return f"{sign}{mantissa}e{'+' if point > 0 else '-'}{abs(point - 1)}"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, b"0"),
        (-0.0, b"0"),
        (1.0, b"1"),
        (-1.0, b"-1"),
        (0.5, b"0.5"),
        (1e5, b"100000"),
        (1e15, b"1000000000000000"),
        (1e16, b"10000000000000000"),
        (2.0**53, b"9007199254740992"),
        (1e20, b"100000000000000000000"),
        (123456789012345680000.0, b"123456789012345680000"),
        (1e21, b"1e+21"),
        (1.5e21, b"1.5e+21"),
        (999999999999999900000.0, b"999999999999999900000"),
        (1e-5, b"0.00001"),
        (1e-6, b"0.000001"),
        (1.23e-6, b"0.00000123"),
        (1e-7, b"1e-7"),
        (1.23e-7, b"1.23e-7"),
        (5e-324, b"5e-324"),
        (-5e-324, b"-5e-324"),
        (1.7976931348623157e308, b"1.7976931348623157e+308"),
        (0.1 + 0.2, b"0.30000000000000004"),
        (1 / 3, b"0.3333333333333333"),
        (2**53 - 1, b"9007199254740991"),
        (-(2**53) + 1, b"-9007199254740991"),
        (0, b"0"),
        ('\b\t\n\f\r"\\/\x01\x1f\x7f', b'"\\b\\t\\n\\f\\r\\"\\\\/\\u0001\\u001f\x7f"'),
        ("€é😀\u2028", '"€é😀\u2028"'.encode()),
        ({"b": [1.0, {"d": 2, "c": None}], "a": True}, b'{"a":true,"b":[1,{"c":null,"d":2}]}'),
    ],
)
def test_canonical_spelling(value, expected):
    assert encode(value, canonical=True) == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_canonical_floats(value):
    assert encode(value, canonical=True) == ecmascript(value).encode()


@given(st.dictionaries(text, st.integers(-5, 5), max_size=12))
def test_canonical_key_order(value):
    keys = list(decode(encode(value, canonical=True)))
    assert keys == sorted(value, key=lambda key: key.encode("utf-16-be"))


def test_canonical_key_order_is_not_code_point_order():
    value = {"\ufb33": 1, "\U0001f600": 2, "\r": 3, "1": 4, "€": 5, "ö": 6, "\x80": 7, "": 8}
    keys = list(decode(encode(value, canonical=True)))
    assert keys == ["", "\r", "1", "\x80", "ö", "€", "\U0001f600", "\ufb33"]
    assert list(decode(encode(value, sort=True)))[-2:] == ["\ufb33", "\U0001f600"]


@pytest.mark.parametrize("value", [2**53, -(2**53), 2**63, 10**30, float("nan"), float("inf"), -float("inf")])
def test_canonical_refusals(value):
    with pytest.raises(EncodeError) as caught:
        encode({"a": [value]}, canonical=True)
    assert caught.value.path == "$.a[0]"


@given(values(leaves=canonical_scalars))
def test_canonical_is_a_fixed_point(value):
    result = encode(value, canonical=True)
    again = decode(result)
    assert encode(again, canonical=True) == result
    assert b"\n" not in result


# nan.


def test_nan():
    nan, inf = float("nan"), float("inf")
    for value in (nan, inf, -inf):
        with pytest.raises(EncodeError) as caught:
            encode({"x": [1, value]})
        assert caught.value.path == "$.x[1]"
        with pytest.raises(EncodeError):
            encode(value, nan="error")
    assert encode([nan, inf, -inf, 1.0], nan="null") == b"[null,null,null,1.0]"
    assert encode([nan, inf, -inf, 1.0], nan="literal") == b"[NaN,Infinity,-Infinity,1.0]"
    assert encode(-nan, nan="literal") == b"NaN"
    assert repr(decode(encode([nan, inf, -inf], nan="literal"), nan="literal")) == "[nan, inf, -inf]"


# int_bits.


def test_int_bits():
    top = 2**53 - 1
    assert encode([top, -top], int_bits=53) == f"[{top},{-top}]".encode()
    assert encode([2**64 - 1, -(2**63)], int_bits=64) == b"[18446744073709551615,-9223372036854775808]"
    for bits, values_ in (
        (53, (top + 1, -top - 1, 2**63, 10**40)),
        (64, (2**64, -(2**63) - 1, 10**40, -(10**40))),
    ):
        for value in values_:
            with pytest.raises(EncodeError) as caught:
                encode({"a": [0, value]}, int_bits=bits)
            assert caught.value.path == "$.a[1]"
    assert encode(10**40, int_bits=None) == b"1" + b"0" * 40
    assert encode(2.0**60, int_bits=53) == b"1.152921504606847e+18"


# decimal_format.


@pytest.mark.parametrize(
    "spelling", ["0", "-0", "1.10", "-1.5", "100", "0.00000001", "123456789012345678901234567890.123456789"]
)
def test_decimal_format(spelling):
    value = Decimal(spelling)
    assert encode(value) == encode(value, decimal_format="string") == f'"{value}"'.encode()
    assert encode([value], decimal_format="number") == f"[{value}]".encode()


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_decimals_lose_nothing(value):
    assert Decimal(decode(encode(value))).as_tuple() == value.as_tuple()
    number = decode(encode([value], decimal_format="number"), float_hook=Decimal)[0]
    assert Decimal(number) == value


def test_decimal_exponents_are_valid_numbers():
    for spelling in ("1E+3", "1E-30", "-5E+400", "1.50E+7", "0E-20", "0E+3"):
        value = Decimal(spelling)
        result = encode(value, decimal_format="number")
        assert Decimal(result.decode()) == value
        assert decode(result, float_hook=Decimal) == value


@pytest.mark.parametrize("spelling", ["NaN", "-NaN", "sNaN", "NaN123", "Infinity", "-Infinity"])
def test_decimals_without_a_number(spelling):
    value = Decimal(spelling)
    for decimal_format in ("string", "number"):
        with pytest.raises(EncodeError) as caught:
            encode([value], decimal_format=decimal_format)
        assert caught.value.path == "$[0]"
        assert encode([value], decimal_format=decimal_format, nan="null") == b"[null]"
    if spelling in ("NaN", "Infinity", "-Infinity"):
        assert encode([value], decimal_format="number", nan="literal") == f"[{spelling}]".encode()


# Moments.

NAIVE = datetime(2024, 2, 29, 13, 5, 7, 120)
UTC = datetime(2024, 2, 29, 13, 5, 7, 120, timezone.utc)
EAST = datetime(2024, 2, 29, 13, 5, 7, 120, timezone(timedelta(hours=5, minutes=30)))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            {},
            [
                "2024-02-29T13:05:07.000120",
                "2024-02-29T13:05:07.000120+00:00",
                "2024-02-29T13:05:07.000120+05:30",
            ],
        ),
        (
            {"utc_z": True},
            ["2024-02-29T13:05:07.000120", "2024-02-29T13:05:07.000120Z", "2024-02-29T13:05:07.000120+05:30"],
        ),
        (
            {"naive_utc": True},
            [
                "2024-02-29T13:05:07.000120+00:00",
                "2024-02-29T13:05:07.000120+00:00",
                "2024-02-29T13:05:07.000120+05:30",
            ],
        ),
        (
            {"naive_utc": True, "utc_z": True, "omit_microseconds": True},
            ["2024-02-29T13:05:07Z", "2024-02-29T13:05:07Z", "2024-02-29T13:05:07+05:30"],
        ),
        (
            {"omit_microseconds": True},
            ["2024-02-29T13:05:07", "2024-02-29T13:05:07+00:00", "2024-02-29T13:05:07+05:30"],
        ),
    ],
)
def test_moment_options(options, expected):
    moments = [NAIVE, UTC, EAST]
    assert decode(encode(moments, **options)) == expected
    assert decode(encode([moment.timetz() for moment in moments], **options)) == [
        word.split("T")[1] for word in expected
    ]
    for moment, word in zip(moments, expected, strict=True):
        assert encode({moment: 1}, **options) == f'{{"{word}":1}}'.encode()
    assert encode(date(2024, 2, 29), **options) == b'"2024-02-29"'


# passthrough.


class Colour(Enum):
    """An enumeration."""

    RED = "r"


def test_passthrough_of_classes():
    def hook(value):
        return f"<{type(value).__name__}>"

    one = UUID(int=1)
    assert encode([NAIVE, one, date(2000, 1, 1)], passthrough={datetime}, enc_hook=hook) == (
        f'["<datetime>","{one}","2000-01-01"]'.encode()
    )
    # A subclass of date is not date.
    assert decode(encode([NAIVE, date(2000, 1, 1)], passthrough=[date], enc_hook=hook))[1] == "<date>"
    every = [NAIVE, NAIVE.date(), NAIVE.time(), one, Decimal(1), timedelta(1), b"x", {2}]
    types = tuple(type(value) for value in every)
    assert decode(encode(every, passthrough=types, enc_hook=hook)) == [f"<{kind.__name__}>" for kind in types]
    assert encode([one], passthrough=(kind for kind in (UUID,)), enc_hook=hook) == b'["<UUID>"]'
    with pytest.raises(EncodeError) as caught:
        encode({"a": [one]}, passthrough={UUID})
    assert caught.value.path == "$.a[0]"
    for core in (str, int, float, bool, type(None), list, dict, tuple):
        with pytest.raises(ValueError, match="cannot pass through"):
            encode([one], passthrough=[core])
    assert encode([one], passthrough=()) == f'["{one}"]'.encode()


def test_passthrough_of_kinds():
    class Text(str):
        """A subclass."""

        __slots__ = ()

    class Many(list):
        """A subclass."""

        __slots__ = ()

    def hook(value):
        return {"hook": type(value).__name__}

    assert encode(Colour.RED, passthrough={"enum"}, enc_hook=hook) == b'{"hook":"Colour"}'
    assert encode([Text("x"), Many([1]), "x", [1]], passthrough={"subclass"}, enc_hook=hook) == (
        b'[{"hook":"Text"},{"hook":"Many"},"x",[1]]'
    )
    assert (
        encode([Text("x"), Colour.RED], passthrough={"enum", UUID}, enc_hook=hook)
        == b'["x",{"hook":"Colour"}]'
    )
    assert encode(Colour.RED) == b'"r"'


@pytest.mark.parametrize(
    "options",
    [
        {"order": "reverse"},
        {"order": 1},
        {"nan": "maybe"},
        {"nan": None},
        {"int_bits": 32},
        {"int_bits": "64"},
        {"decimal_format": "float"},
        {"decimal_format": None},
        {"max_depth": -1},
        {"max_depth": "1"},
        {"max_depth": None},
        {"max_depth": 1.5},
        {"passthrough": {"no such kind"}},
        {"passthrough": [1]},
        {"passthrough": 1},
        {"enc_hook": 1},
        {"enc_hook": "str"},
    ],
)
def test_invalid_option_values(options):
    with pytest.raises((TypeError, ValueError)) as caught:
        encode([object()], **options)
    assert not isinstance(caught.value, EncodeError)
    (name,) = options
    assert name in str(caught.value)


# Raw beside the options.


def test_raw_is_written_as_it_stands():
    assert (
        encode(Raw(b'{"b":1.50,"a":"\\u0041"}'), order="sorted", ensure_ascii=True)
        == b'{"b":1.50,"a":"\\u0041"}'
    )
    assert decode(encode([Raw(b'{"b":[1,2]}')], indent=4)) == [{"b": [1, 2]}]


@given(
    st.lists(scalars, max_size=5),
    st.sampled_from([None, 0, 2, "\t"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_layout_never_changes_the_value(value, indent, newline, ensure_ascii, sort):
    document = {"k": value, "é": {"x": value}}
    result = encode(document, indent=indent, newline=newline, ensure_ascii=ensure_ascii, sort=sort)
    assert decode(result) == document
    assert same(decode(result)["k"], value)
    assert result.endswith(b"\n") is newline
    with pytest.raises(DecodeError):
        decode(result.rstrip()[:-1])
