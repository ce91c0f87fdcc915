"""Reading JSON: numbers at their limits, and each option of `decode`."""

import random
import struct
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import nested, same

from oxwire import DecodeError, Raw
from oxwire.json import decode

# Integers.


def test_integers_of_every_length(any_int_digits):
    for length in [*range(1, 70), 100, 200, 999, 1000, 4299, 4300, 4301, 10_000]:
        for digit in "19":
            digits = digit * length
            assert decode(digits) == int(digits)
            assert decode("-" + digits) == -int(digits)
            assert decode(f"[{digits},1]") == [int(digits), 1]
            assert decode("1" + "0" * length) == 10**length


def test_a_long_integer_does_not_depend_on_the_interpreter_s_own_limit():
    # That limit is 4,300 digits unless somebody changes it.
    assert decode("1" + "0" * 5000) == 10**5000
    assert decode("-1" + "0" * 5000) == -(10**5000)


def test_max_int_digits():
    assert decode("7" * 20, max_int_digits=20) == 77777777777777777777
    assert decode("-" + "7" * 20, max_int_digits=20) == -77777777777777777777
    with pytest.raises(DecodeError):
        decode("7" * 21, max_int_digits=20)
    with pytest.raises(DecodeError) as caught:
        decode("[1," + "7" * 40 + "]", max_int_digits=39)
    assert 3 <= caught.value.offset <= 43
    assert decode("1" + "0" * 99_999) == 10**99_999
    with pytest.raises(DecodeError):
        decode("1" + "0" * 100_000)
    assert decode("1" + "0" * 100_000, max_int_digits=None) == 10**100_000
    # Only integers have a cost that grows faster than their text.
    assert decode("0." + "1" * 100_001) == float("0." + "1" * 30)


def test_int_bits_53():
    top = 2**53 - 1
    assert decode(f"[{top},{-top}]", int_bits=53) == [top, -top]
    for number in (top + 1, -top - 1, 2**63, 2**64, -(2**63), 10**30):
        with pytest.raises(DecodeError) as caught:
            decode(f"[0,{number}]", int_bits=53)
        assert caught.value.offset in (3, 3 + len(str(number)))
    # A float is a float, however large.
    assert decode("9007199254740992.0", int_bits=53) == 2.0**53


def test_int_bits_64():
    assert decode(f"[{2**64 - 1},{-(2**63)}]", int_bits=64) == [2**64 - 1, -(2**63)]
    for number in (2**64, -(2**63) - 1, 10**30, -(10**30)):
        with pytest.raises(DecodeError):
            decode(str(number), int_bits=64)


# Floats.


def check_float(spelling):
    expected = float(spelling)
    if expected in (float("inf"), float("-inf")):
        with pytest.raises(DecodeError):
            decode(spelling)
    else:
        assert same(decode(spelling), expected), spelling


@pytest.mark.parametrize(
    "spelling",
    [
        # Halves between neighbours, a little below and a little above.
        "9007199254740993.0",
        "9007199254740992.9999999999999999999999",
        "9007199254740993.0000000000000000000001",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "2.4703282292062327208e-324",
        "2.4703282292062328e-324",
        "4.9406564584124654e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "123456789012345678901234567890.0",
        "1" + "0" * 400 + "e-400",
        "0." + "0" * 400 + "1e401",
        "0." + "0" * 300 + "123456789",
        "1" * 800 + ".0e-600",
        "3." + "14159265358979323846" * 50,
        "6.62607015e-34",
        "8.98846567431158e307",
        "1e23",
        "8.5e22",
        "1e22",
        "1e-22",
        "0.1",
        "0.3",
        "100000000000000016777215.0",
        "100000000000000016777216.0",
    ],
)
def test_float_rounding(spelling):
    check_float(spelling)
    check_float("-" + spelling)


def test_random_floats_are_rounded_as_the_interpreter_rounds_them():
    random.seed(20)
    for _ in range(4000):
        value = struct.unpack("<d", random.randbytes(8))[0]
        if value - value == 0:
            assert same(decode(repr(value)), float(repr(value)))
            assert same(decode(f"{value:.25e}"), value)
    for _ in range(4000):
        digits = str(random.getrandbits(random.randrange(1, 90)))
        point = random.randrange(0, len(digits))
        whole, fraction = digits[:point] or "0", digits[point:]
        check_float(f"{whole}.{fraction}e{random.randrange(-330, 330)}")


def test_exact_halves_of_random_neighbours():
    random.seed(21)
    for _ in range(300):
        low = struct.unpack("<d", struct.pack("<Q", random.getrandbits(62) % 0x7FE0_0000_0000_0000))[0]
        bits = struct.unpack("<Q", struct.pack("<d", low))[0]
        high = struct.unpack("<d", struct.pack("<Q", bits + 1))[0]
        half = (Fraction(low) + Fraction(high)) / 2
        check_float(exact(half))
        check_float(exact(half) + "0001")


def exact(number):
    """A fraction whose denominator is a power of two, digit for digit."""
    twos = number.denominator.bit_length() - 1
    digits = str(Decimal(number.numerator * 5**twos)).rjust(twos + 1, "0")
    return f"{digits[:-twos]}.{digits[-twos:]}"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_come_back(value):
    assert same(decode(repr(value)), value)
    assert same(decode(f"[{value!r} ,1]"), [value, 1])


# nan.


@pytest.mark.parametrize("spelling", ["NaN", "Infinity", "-Infinity"])
def test_nan_words(spelling):
    for document in (spelling, f"[{spelling}]", f'{{"a":{spelling}}}'):
        with pytest.raises(DecodeError):
            decode(document)
        with pytest.raises(DecodeError):
            decode(document, nan="error")
    assert decode(f"[{spelling}]", nan="null") == [None]
    assert decode(f'{{"a": {spelling} }}', nan="null") == {"a": None}
    assert repr(decode(f"[{spelling}]", nan="literal")) == repr([float(spelling)])
    assert repr(decode(spelling.encode(), nan="literal")) == repr(float(spelling))


@pytest.mark.parametrize(
    "document",
    [
        "nan",
        "NAN",
        "Nan",
        "NaNs",
        "NaN1",
        "Na",
        "N",
        "-NaN",
        "+NaN",
        "inf",
        "Inf",
        "infinity",
        "Infinit",
        "-Infinit",
        "+Infinity",
    ]
    + ["Infinity1", "--Infinity", "- Infinity", "-infinity", "1e400", "-I", "[Na]", "[-Inf]"],
)
def test_what_is_no_nan_word(document):
    for nan in ("error", "null", "literal"):
        with pytest.raises(DecodeError):
            decode(document, nan=nan)


# duplicate_keys.


def test_the_last_of_equal_keys_wins():
    assert decode('{"a":1,"a":2}') == {"a": 2}
    assert decode('{"a":1,"b":2,"a":3}', duplicate_keys="last") == {"a": 3, "b": 2}
    assert decode('{"a":1,"\\u0061":2}') == {"a": 2}
    assert decode('{"a":{"x":1},"a":{"y":2}}') == {"a": {"y": 2}}


def test_equal_keys_refused():
    assert decode('{"a":1,"b":{"a":2},"c":[{"a":1},{"a":1}]}', duplicate_keys="error")
    for document, offset in [
        ('{"a":1,"a":2}', 7),
        ('{"a":1,"a":1}', 7),
        ('{"":0,"b":1,"":2}', 12),
        ('{"a":1,"\\u0061":2}', 7),
        ('{"é":1,"é":2}', 8),
        ('[{"x":[{"k":1,"l":2,"k":3}]}]', 20),
    ]:
        with pytest.raises(DecodeError) as caught:
            decode(document, duplicate_keys="error")
        assert offset <= caught.value.offset <= offset + 9
    many = ",".join(f'"{n}":0' for n in range(1000))
    assert len(decode(f"{{{many}}}", duplicate_keys="error")) == 1000
    with pytest.raises(DecodeError):
        decode(f'{{{many},"500":0}}', duplicate_keys="error")


# float_hook.


def test_float_hook_gets_the_text():
    seen = []

    def hook(spelling):
        seen.append(spelling)
        return ("f", spelling)

    document = '[1, -2, 1.0, -0.50, 1e5, 1E+05, 0.1e-2, 123456789012345678901234567890, {"a": 9.99}]'
    assert decode(document, float_hook=hook) == [
        1,
        -2,
        ("f", "1.0"),
        ("f", "-0.50"),
        ("f", "1e5"),
        ("f", "1E+05"),
        ("f", "0.1e-2"),
        123456789012345678901234567890,
        {"a": ("f", "9.99")},
    ]
    assert all(type(spelling) is str for spelling in seen)


def test_float_hook_decimal():
    result = decode("[0.1, 1.10, 1e400, 3.141592653589793238462643383279]", float_hook=Decimal)
    assert [str(number) for number in result] == ["0.1", "1.10", "1E+400", "3.141592653589793238462643383279"]
    assert decode("1.5", float_hook=None) == 1.5
    assert decode("1.5", float_hook=float) == 1.5
    with pytest.raises(DecodeError):
        decode("1.", float_hook=Decimal)
    with pytest.raises(DecodeError):
        decode("01.5", float_hook=Decimal)


@pytest.mark.parametrize(
    "error", [ValueError("no"), KeyboardInterrupt(), SystemExit(3), GeneratorExit(), DecodeError]
)
def test_float_hook_exceptions_come_out_unchanged(error):
    def hook(spelling):
        raise error

    with pytest.raises(BaseException) as caught:  # noqa: PT011 - KeyboardInterrupt among them
        decode('[{"a":[1.5]}]', float_hook=hook)
    if isinstance(error, type):
        assert type(caught.value) is error
    else:
        assert caught.value is error
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None


# max_depth.


@pytest.mark.parametrize("kind", ["[]", "{}"])
def test_max_depth(kind):
    def document(depth):
        if kind == "[]":
            return b"[" * depth + b"]" * depth
        return b'{"k":' * (depth - 1) + b"{}" + b"}" * (depth - 1)

    def value(depth):
        return nested(depth - 1, "list" if kind == "[]" else "dict", [] if kind == "[]" else {})

    assert repr(decode(document(100))) == repr(value(100))
    assert decode(document(1000))
    with pytest.raises(DecodeError) as caught:
        decode(document(1001))
    assert caught.value.offset == document(1001).rindex(kind[0].encode())
    for depth in (1, 2, 7, 64):
        assert decode(document(depth), max_depth=depth) == value(depth)
        with pytest.raises(DecodeError):
            decode(document(depth + 1), max_depth=depth)
    # It is depth that counts, not the number of containers.
    assert len(decode(b"[" + b"[],{}," * 5000 + b"0]", max_depth=2)) == 10_001
    with pytest.raises(DecodeError):
        decode(b"[" * 1_000_000)
    with pytest.raises(DecodeError):
        decode(b'{"a":' * 1_000_000)


# raw.


def test_raw():
    for document in (b"1", b'"\\u0041"', b"[1, 2.50 ,{}]", b'{"b":1,"a":1e5,"a":null}'):
        result = decode(document, raw=True)
        assert type(result) is Raw
        assert bytes(result) == document
        assert bytes(decode(b" \n" + document + b"\t ", raw=True)).strip() == document
        assert bytes(decode(document.decode(), raw=True)) == document
    assert bytes(decode('"é€😀"', raw=True)) == '"é€😀"'.encode()
    assert decode(b"1", raw=False) == 1


def test_raw_is_checked():
    for document in (
        b"",
        b"[1,]",
        b"1 2",
        b'"\xff"',
        b'"\\x"',
        b"nan",
        b"[" * 1001 + b"]" * 1001,
        b'"\\ud800"',
        b"01",
    ):
        with pytest.raises(DecodeError):
            decode(document, raw=True)


def test_raw_keeps_what_was_there():
    data = bytearray(b"[1,2]")
    result = decode(data, raw=True)
    data[1:2] = b"9"
    assert bytes(result) == b"[1,2]"


# Values that no option takes.


@pytest.mark.parametrize(
    "options",
    [
        {"nan": "nonsense"},
        {"nan": None},
        {"nan": 1},
        {"duplicate_keys": "first"},
        {"duplicate_keys": True},
        {"int_bits": 32},
        {"int_bits": "53"},
        {"max_depth": -1},
        {"max_depth": "9"},
        {"max_depth": 1.5},
        {"max_depth": None},
        {"max_int_digits": -1},
        {"max_int_digits": "9"},
        {"float_hook": 1},
        {"float_hook": "Decimal"},
    ],
)
def test_invalid_option_values(options):
    with pytest.raises((TypeError, ValueError)) as caught:
        decode(b"[1.5]", **options)
    assert not isinstance(caught.value, DecodeError)
    (name,) = options
    assert name in str(caught.value)


def test_options_do_not_leak_into_the_next_call():
    assert decode(b"[NaN]", nan="null") == [None]
    with pytest.raises(DecodeError):
        decode(b"[NaN]")
    assert decode(b"1.5", float_hook=str) == "1.5"
    assert decode(b"1.5") == 1.5
    assert decode(b'{"a":1,"a":2}') == {"a": 2}
