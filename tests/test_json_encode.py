"""Writing JSON: spelling of scalars, text of every script, containers, and layout."""

import json
import math
import random
import struct
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import EDGES, float_text, nested, same, text, values

from oxwire import EncodeError
from oxwire.json import decode, encode

SPELLINGS = [
    (None, b"null"),
    (True, b"true"),
    (False, b"false"),
    (0, b"0"),
    (-1, b"-1"),
    (9, b"9"),
    (10, b"10"),
    (-99, b"-99"),
    (2**30 - 1, b"1073741823"),
    (2**30, b"1073741824"),
    (-(2**30), b"-1073741824"),
    (2**31, b"2147483648"),
    (2**32, b"4294967296"),
    (2**60, b"1152921504606846976"),
    (2**63 - 1, b"9223372036854775807"),
    (2**63, b"9223372036854775808"),
    (-(2**63), b"-9223372036854775808"),
    (-(2**63) - 1, b"-9223372036854775809"),
    (2**64 - 1, b"18446744073709551615"),
    (2**64, b"18446744073709551616"),
    (-(2**64), b"-18446744073709551616"),
    (10**40, b"1" + b"0" * 40),
    (0.0, b"0.0"),
    (-0.0, b"-0.0"),
    (1.0, b"1.0"),
    (-1.5, b"-1.5"),
    (0.1, b"0.1"),
    (0.1 + 0.2, b"0.30000000000000004"),
    (100.0, b"100.0"),
    (123456789.125, b"123456789.125"),
    (1e15, b"1000000000000000.0"),
    (123456789012345.6, b"123456789012345.6"),
    (9007199254740993.0, b"9007199254740992.0"),
    (1e16, b"1e+16"),
    (1.5e16, b"1.5e+16"),
    (1e22, b"1e+22"),
    (1.2e30, b"1.2e+30"),
    (1e100, b"1e+100"),
    (0.001, b"0.001"),
    (0.0001, b"0.0001"),
    (0.00001, b"0.00001"),
    (0.000012345, b"0.000012345"),
    (0.000001, b"1e-6"),
    (1.5e-6, b"1.5e-6"),
    (1e-7, b"1e-7"),
    (-1e-10, b"-1e-10"),
    (5e-324, b"5e-324"),
    (2.2250738585072014e-308, b"2.2250738585072014e-308"),
    (1.7976931348623157e308, b"1.7976931348623157e+308"),
    ("", b'""'),
    ("plain", b'"plain"'),
    ('"', b'"\\""'),
    ("\\", b'"\\\\"'),
    ("/", b'"/"'),
    ("\b\f\n\r\t", b'"\\b\\f\\n\\r\\t"'),
    ("\0\x01\x0b\x1f", b'"\\u0000\\u0001\\u000b\\u001f"'),
    ("\x7f", b'"\x7f"'),
    ("é€😀", '"é€😀"'.encode()),
    ("\u2028\u2029\ufeff\uffff\U0010ffff", '"\u2028\u2029\ufeff\uffff\U0010ffff"'.encode()),
    ([], b"[]"),
    ({}, b"{}"),
    ((), b"[]"),
    ([[]], b"[[]]"),
    ([{}], b"[{}]"),
    ({"": {}}, b'{"":{}}'),
    ([1, 2.0, None, True, "x"], b'[1,2.0,null,true,"x"]'),
    ({"a": 1, "b": [2, {"c": 3}]}, b'{"a":1,"b":[2,{"c":3}]}'),
    ((1, (2, ())), b"[1,[2,[]]]"),
    ({"z": 1, "a": 2, "m": 3}, b'{"z":1,"a":2,"m":3}'),
    ({'"\\\n': 1, "é": 2}, '{"\\"\\\\\\n":1,"é":2}'.encode()),
]


@pytest.mark.parametrize(("value", "expected"), SPELLINGS)
def test_spelling(value, expected):
    assert encode(value) == expected
    assert encode([value, value]) == b"[" + expected + b"," + expected + b"]"
    assert encode({"k": value}) == b'{"k":' + expected + b"}"
    assert type(encode(value)) is bytes


def test_arguments():
    with pytest.raises(TypeError):
        encode()
    with pytest.raises(TypeError):
        encode(1, 2)
    with pytest.raises(TypeError):
        encode(obj=1)
    with pytest.raises(TypeError, match="no_such_option"):
        encode(1, no_such_option=1)


# Numbers.


def test_every_small_integer_and_every_length():
    whole = list(range(-70_000, 70_000, 7)) + [
        s * (10**n + d) for n in range(64) for d in (-1, 0, 1) for s in (1, -1)
    ]
    assert encode(whole) == json.dumps(whole, separators=(",", ":")).encode()
    powers = [s * 2**n + d for n in range(300) for d in (-1, 0, 1) for s in (1, -1)]
    assert encode(powers) == json.dumps(powers, separators=(",", ":")).encode()


def test_integers_of_thousands_of_digits(any_int_digits):
    for length in (999, 4299, 4300, 4301, 10_000):
        assert encode(10**length) == b"1" + b"0" * length
        assert encode([-(10**length)]) == b"[-1" + b"0" * length + b"]"
    random.seed(3)
    number = random.getrandbits(50_000)
    assert encode(number) == str(number).encode()


def test_a_long_integer_does_not_depend_on_the_interpreter_s_own_limit():
    assert encode(10**5000) == b"1" + b"0" * 5000


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_spelled_shortest(value):
    spelling = encode(value)
    assert spelling == float_text(value).encode()
    assert same(float(spelling), value)


def test_random_floats_are_spelled_shortest():
    random.seed(4)
    numbers = [struct.unpack("<d", random.randbytes(8))[0] for _ in range(3000)]
    numbers += [round(random.uniform(-200, 200), random.randrange(1, 12)) for _ in range(3000)]
    numbers += [float(f"1e{n}") for n in range(-323, 309)]
    numbers += [math.ldexp(1.0, n) for n in range(-1074, 1024)]
    numbers = [number for number in numbers if math.isfinite(number)]
    assert encode(numbers) == ("[" + ",".join(map(float_text, numbers)) + "]").encode()


# Text.


def quoted(word):
    """A string as JSON, with the fewest escapes."""
    return json.dumps(word, ensure_ascii=False).encode()


def test_every_control_character():
    for point in range(0x20):
        character = chr(point)
        assert encode(character) == quoted(character)
        assert encode({character: character}) == b"{" + quoted(character) + b":" + quoted(character) + b"}"
    every = "".join(map(chr, range(0x80)))
    assert encode(every) == quoted(every)


def test_every_code_point():
    for start in range(0, 0x110000, 0x1000):
        if 0xD000 <= start < 0xE000:
            continue
        word = "".join(map(chr, range(start, start + 0x1000)))
        assert encode(word) == quoted(word)
    assert encode("".join(map(chr, range(0xD000, 0xD800)))) == quoted(
        "".join(map(chr, range(0xD000, 0xD800)))
    )


SPECIALS = [
    '"',
    "\\",
    "\n",
    "\0",
    "\x1f",
    "\x7f",
    "\x80",
    "é",
    "ÿ",
    "Ā",
    "߿",
    "ࠀ",
    "€",
    "￿",
    "😀",
    "\U0010ffff",
]


@pytest.mark.parametrize("special", SPECIALS)
def test_one_special_character_at_every_place(special):
    for length in range(131):
        step = 1 if length < 70 else 13
        for at in range(0, length + 1, step):
            word = "a" * at + special + "b" * (length - at)
            assert encode(word) == quoted(word)
    for length in EDGES:
        word = "a" * length + special
        assert encode({word: [word]}) == b"{" + quoted(word) + b":[" + quoted(word) + b"]}"


@pytest.mark.parametrize("fill", ["é", "中", "😀"])
def test_specials_in_wide_text(fill):
    for special in SPECIALS:
        for length in EDGES:
            for at in {0, length // 2, length}:
                word = fill * at + special + fill * (length - at)
                assert encode(word) == quoted(word)


def test_text_of_escapes_only():
    # Six bytes out for each byte in: the output grows faster than anything that was reserved by length.
    for length in (*EDGES, 1000, 100_000):
        assert encode("\0" * length) == b'"' + b"\\u0000" * length + b'"'
        assert encode('"' * length) == b'"' + b'\\"' * length + b'"'


def test_escapes_anywhere():
    # From none to nothing else, side by side and far apart, in text of every length around blocks and parts.
    dice = random.Random(7)
    for length in [*range(140), 511, 512, 513, 530, 1030, 5000]:
        for share in (0.01, 0.05, 0.2, 0.5, 0.9):
            for others in ("ab/", "a\x7f\x80é中😀"):
                word = "".join(
                    dice.choice('"\\\n\t\0\x1f') if dice.random() < share else dice.choice(others)
                    for _ in range(length)
                )
                text = quoted(word)
                assert encode(word) == text
                assert encode([word, word]) == b"[" + text + b"," + text + b"]"
                assert encode({word: 1}) == b"{" + text + b":1}"
                assert encode(word, ensure_ascii=True) == json.dumps(word).replace("\\u007f", "\x7f").encode()
                assert decode(text) == word
                assert decode(b"[" + text + b"]") == [word]


def test_long_text_between_short_values():
    # However lengths and numbers alternate, what was reserved for one must not be spent on another.
    random.seed(5)
    for _ in range(60):
        value = []
        for _ in range(random.randrange(1, 40)):
            value.append(
                random.choice(
                    [
                        0,
                        1.5,
                        True,
                        None,
                        2**63,
                        -1e-300,
                        "x" * random.randrange(0, 5000),
                        "\n" * 700,
                        "é" * 900,
                    ]
                )
            )
        value = random.choice([value, {str(n): item for n, item in enumerate(value)}, [value] * 3])
        assert encode(value) == json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


@pytest.mark.parametrize("points", [(0xD800,), (0xDBFF,), (0xDC00,), (0xDFFF,), (0xDE00, 0xD83D)])
def test_lone_surrogates_are_refused(points):
    surrogate = "".join(map(chr, points))
    for word in (
        surrogate,
        "a" + surrogate,
        surrogate + "b",
        "é" * 40 + surrogate,
        surrogate + "😀" * 40,
        "x" * 100 + surrogate,
    ):
        with pytest.raises(EncodeError) as caught:
            encode(word)
        assert caught.value.path == "$"
        with pytest.raises(EncodeError) as caught:
            encode({"list": [0, word]})
        assert caught.value.path == "$.list[1]"
        with pytest.raises(EncodeError) as caught:
            encode({"map": {word: 1}})
        assert caught.value.path.startswith("$.map")
        with pytest.raises(EncodeError):
            encode(word, ensure_ascii=True)


def test_a_surrogate_pair_in_text_is_two_lone_surrogates():
    with pytest.raises(EncodeError):
        encode("\ud83d" + "\ude00")


@given(text)
def test_text_agrees_with_the_standard_library(word):
    assert encode(word) == quoted(word)
    assert encode({word: word}) == b"{" + quoted(word) + b":" + quoted(word) + b"}"


def test_text_with_a_cached_utf8_form():
    for word in ("é" * 50, "€uro" * 20, "😀" * 30):
        before = encode(word)
        # Looking up an attribute by a name leaves the name's UTF-8 form cached on it.
        assert getattr(sys, word, None) is None
        assert encode(word) == before == quoted(word)


# Containers.


def test_size_of_the_output_does_not_matter():
    for count in (0, 1, 2, 7, 8, 9, 63, 64, 65, 1000, 50_000):
        assert encode([0] * count) == b"[" + b",".join([b"0"] * count) + b"]"
        assert encode(["ab"] * count) == b"[" + b",".join([b'"ab"'] * count) + b"]"
        assert encode([True, None] * count) == b"[" + b",".join([b"true", b"null"] * count) + b"]"
    big = {f"key {n}": n for n in range(20_000)}
    assert encode(big) == json.dumps(big, separators=(",", ":")).encode()
    assert decode(encode(big)) == big


def test_dicts_that_were_changed_a_lot():
    value = {str(n): n for n in range(100)}
    for n in range(0, 100, 2):
        del value[str(n)]
    value["new"] = 1
    value["1"] = "again"
    assert encode(value) == json.dumps(value, separators=(",", ":")).encode()
    value.clear()
    assert encode(value) == b"{}"
    split = type("Plain", (), {})()
    split.b, split.a = 1, 2
    assert encode(vars(split)) == b'{"b":1,"a":2}'


def test_the_same_object_many_times_is_no_circle():
    leaf = {"a": [1]}
    assert encode([leaf, leaf, {"x": leaf}]) == b'[{"a":[1]},{"a":[1]},{"x":{"a":[1]}}]'


@pytest.mark.parametrize("kind", ["list", "tuple", "dict", "mixed"])
def test_max_depth(kind):
    opening = {"list": b"[", "tuple": b"[", "dict": b"{"}
    assert encode(nested(1000, kind))
    with pytest.raises(EncodeError, match="(?i)depth|deep|nest"):
        encode(nested(1001, kind))
    for depth in (1, 2, 9, 100):
        assert encode(nested(depth, kind), max_depth=depth).count(opening.get(kind, b"[")) >= depth // 2
        with pytest.raises(EncodeError) as caught:
            encode(nested(depth + 1, kind), max_depth=depth)
        assert caught.value.path.startswith("$")
    # What is decoded can be encoded, at the default of both.
    if kind == "list":
        assert encode(decode(b"[" * 1000 + b"]" * 1000)) == b"[" * 1000 + b"]" * 1000


def test_circles_are_refused():
    ring = []
    ring.append(ring)
    loop = {"a": {}}
    loop["a"]["b"] = loop
    for circle in (ring, loop, [ring], {"x": (loop,)}):
        with pytest.raises(EncodeError):
            encode(circle)
        with pytest.raises(EncodeError):
            encode(circle, indent=2)
        with pytest.raises(EncodeError):
            encode(circle, order="sorted")
        with pytest.raises(EncodeError):
            encode(circle, canonical=True)


@given(values())
def test_agrees_with_the_standard_library(value):
    assert same(json.loads(encode(value)), value)


def test_memory_of_the_result_is_its_own():
    value = encode("x" * 1000)
    assert sys.getsizeof(value) == sys.getsizeof(b"x" * len(value))
    assert sys.getsizeof(encode([1] * 1000)) == sys.getsizeof(b"x" * 2001)
