"""What is asked of values beyond their types, where one look or a table decides it: it is as `re` and Python's own comparisons say.

What may surprise: tables are made of patterns for text of ASCII only, and only of some; that the others are asked of `re`
as ever is seen here by the same comparison.
"""

import gc
import math
import random
import re
import sys
from typing import Annotated, Any

import pytest

from oxwire import Convert, Meta, Struct, Validate, ValidationError, convert, json, msgpack
from oxwire._patterns import table

WITH_TABLES = [
    *(
        "",
        "a|",
        "a||b",
        "a$",
        "^a",
        "^a$",
        r"\Aa\Z",
        r"a$\n",
        r"$\n",
        "^$",
        r"\n$",
        r"a\Z",
        "^^^a",
        r"$^",
        r"^\n$",
    ),
    *(r"\Z\n", r"$\Z", r"\n$\n$", r"a$\n$", r"$\n\Z", r"(?:\n|$)x?", r"x(?:$|a)\n?$", "(a$|b)", "(?:a$){2}"),
    *(
        "(?:^a){2}",
        "(^|,)a",
        "(^a|b)c",
        "(?:^|a)(?:$|b)",
        "^[a-h]+$",
        "[^a-c]",
        r"[^\n]",
        "a.b",
        "(?s)a.b",
        r"\D",
    ),
    *(r"[^@\s]+@[^@\s]+\.[a-z]{2,}", r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", r"\d{3}-\d{4}", r"\w+\s\w+"),
    *(
        "(?i)Abc[x-z]",
        "(?i)[^k]x",
        "(?i)k",
        "(?i)\u017f",
        "(?i)[\u0130-\u0131]",
        "(?x) a b c # d\n e",
        r"(?a)\s\w",
    ),
    *(
        r"\s",
        r"\S+",
        r"[\W]",
        r"[^\W\d_]",
        "\u00e9|a",
        "[\u00e9-\u00fc]?a",
        "a*?b",
        "a+?$",
        "(?:a|ab)(?:c|bcd)(?:d*)$",
    ),
    *(
        r"^(\+|00)\d{8,15}$",
        "^#(?:[0-9a-fA-F]{3}){1,2}$",
        "(ab|cd)*e",
        "a{2,4}?b",
        "a{0}b",
        "(?P<n>a)b",
        "(?:)",
    ),
    *(
        "[]a]",
        r"\x00",
        r"[\x00-\x1f]",
        "(?u)\\d",
        ".*foo.{3}bar",
        r"^(?:[01]?\d|2[0-3]):[0-5]\d$",
        "(?:a|b?)c",
    ),
    *("(?:a?b?)?c", "(?:(?:a?)?)?b", "(?:ab){2,3}(?:c|$)", "a{3}", "x*", "(?:x+x+)+y"),
]
WITHOUT = [
    *(
        "(a*)*",
        r"\bfoo\b",
        r"a\B",
        "(?m)^a$",
        "a{1000}",
        "(a{30}){30}",
        r"(a)\1",
        "(?=a)b",
        "(?!a)b",
        "(?<!a)b",
        "(?<=a)b",
    ),
    *(
        "(?>a+)b",
        "a++b",
        "(?i:a)b",
        "a.{9}b",
        "(?:a?){3}b",
        "(a)?(?(1)b|c)",
        "(?:|a)+b",
        "(?-i:a)b",
        "(a?b?c?){40}x",
    ),
]


def texts(pattern, count):
    """Texts of what the pattern is written with, and of what it is not; the same each time."""
    seeded = random.Random(pattern)
    own = [c for c in pattern if c.isascii()] or ["a"]
    for _ in range(count):
        letters = seeded.choice(
            ["ab01\n xyzABkK@.-,_#$:\x00\x1f", own, "ab\n", [*own, "\n"], "foobar\u00e9\u212a\u017f"]
        )
        yield "".join(seeded.choices(letters, k=seeded.randint(0, seeded.choice((3, 8, 20)))))


@pytest.mark.parametrize("pattern", WITH_TABLES + WITHOUT)
def test_patterns_are_found_where_re_finds_them(pattern):
    assert (table(pattern) is None) == (pattern in WITHOUT)
    decoder = json.Decoder(Annotated[str, Meta(pattern=pattern)])
    compiled = re.compile(pattern)
    for text in texts(pattern, 60 if pattern in WITHOUT else 150):
        data = json.encode(text)
        if compiled.search(text):
            assert decoder.decode(data) == text
        else:
            with pytest.raises(ValidationError) as caught:
                decoder.decode(data)
            assert str(caught.value) == f"Expected `str` matching regex {pattern!r}"


def test_random_patterns_too():
    seeded = random.Random(11)

    def made(depth):
        parts = []
        for _ in range(seeded.randint(1, 3)):
            sort = seeded.randrange(12 if depth else 7)
            one = ("a", "b", "[ab]", "[^a]", ".", "^", "$", "", "", "", "", "")[sort]
            if sort > 6:
                one = f"(?:{made(depth - 1)}{seeded.choice(('', '|' + made(depth - 1)))})"
            if sort < 5 or sort > 6:
                one += seeded.choice(("", "", "", "?", "*", "+", "{2}", "{1,3}", "*?", "??"))
            parts.append(one)
        return "".join(parts)

    tables = 0
    for _ in range(400):
        pattern = made(2)
        try:
            search = re.compile(pattern).search
        except re.error:
            continue
        tables += table(pattern) is not None
        kind = Annotated[str, Meta(pattern=pattern)]
        for _ in range(12):
            text = "".join(seeded.choices("aabbc\n", k=seeded.randint(0, 7)))
            try:
                found = convert(text, kind) == text
            except ValidationError:
                found = False
            assert found == (search(text) is not None), (pattern, text)
    assert tables > 150


def test_a_table_takes_no_long_time_and_no_large_room():
    for pattern in (
        "(a?b?c?d?e?f?g?h?){40}$x",
        "(.*a.{8}b)|(.*c.{8}d)",
        "[ab]{0,150}c[ab]{0,150}d",
        "(" * 500 + "a" + ")" * 500,
    ):
        made = table(pattern)
        assert made is None or len(made) < 30_000
    every = "".join(f"[{chr(c)}-\x7f]?" for c in range(32, 91))
    made = table(every + "$!")
    assert made is None or len(made) < 30_000


def test_texts_that_are_more_than_their_characters():
    class Text(str):
        __slots__ = ()

    kind = Annotated[str, Meta(pattern="^a+$", max_length=3)]
    for text in (Text("aa"), "aa"):
        assert convert(text, kind) is text
    for text in (Text("ab"), "ab", "aaaa", "\u00e9", "a\u00e9"):
        with pytest.raises(ValidationError):
            convert(text, kind)
    assert convert("\u00e9", Annotated[str, Meta(pattern=r"^\w$")]) == "\u00e9"
    assert json.decode('"\u00e9\u00e9"', type=Annotated[str, Meta(max_length=2)]) == "\u00e9\u00e9"
    assert json.decode('"\U0001f600"', type=Annotated[str, Meta(max_length=1)]) == "\U0001f600"
    with pytest.raises(ValidationError):
        json.decode('"\U0001f600\u00e9"', type=Annotated[str, Meta(max_length=1)])


def says(kind, value):
    """Whether all ways of reading take a value, which agree."""
    found = set()
    for make in (
        lambda: json.decode(json.encode(value), type=kind),
        lambda: msgpack.decode(msgpack.encode(value), type=kind),
        lambda: convert(value, kind),
    ):
        try:
            made = make()
            assert made == value or made != made
            found.add("")
        except ValidationError as e:
            found.add(str(e))
    (one,) = found
    return one


NEAR = {sign * (2**bits + d) for bits in (0, 7, 30, 53, 60, 62, 63) for d in (-1, 0, 1) for sign in (1, -1)}
SIGNS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}
EDGES = sorted({n for n in NEAR if -(2**63) <= n < 2**63} | {2**63, 2**64 - 1})


@pytest.mark.parametrize("name", ["ge", "gt", "le", "lt"])
def test_bounds_of_integers_are_exact(name):
    holds = {"ge": int.__ge__, "gt": int.__gt__, "le": int.__le__, "lt": int.__lt__}[name]
    for bound in (*EDGES, 2**64, -(2**70)):
        kind = Annotated[int, Meta(**{name: bound})]
        for value in EDGES:
            assert (says(kind, value) == "") == holds(value, bound), (bound, value)


@pytest.mark.parametrize("name", ["ge", "gt", "le", "lt"])
def test_bounds_of_floats_are_exact(name):
    holds = {"ge": float.__ge__, "gt": float.__gt__, "le": float.__le__, "lt": float.__lt__}[name]
    some = [
        0.0,
        -0.0,
        5e-324,
        1.5,
        -1.5,
        2.0**53,
        sys.float_info.max,
        -sys.float_info.max,
        sys.float_info.min,
    ]
    some += [math.nextafter(v, way) for v in some for way in (math.inf, -math.inf)]
    # A type that is equal to one before is that one: so of the two zeros one is asked for.
    for bound in {v for v in some if math.isfinite(v)}:
        kind = Annotated[float, Meta(**{name: bound})]
        for value in filter(math.isfinite, some):
            assert (says(kind, value) == "") == holds(value, bound), (bound, value)
        for value in (math.nan, math.inf, -math.inf):
            try:
                found = msgpack.decode(msgpack.encode(value), type=kind) is not None
            except ValidationError as e:
                found = False
                assert str(e) == f"Expected `float` {SIGNS[name]} {bound!r}"
            assert found == holds(value, bound)


def test_bounds_of_integers_for_floats_and_for_those_of_floats():
    assert says(Annotated[float, Meta(gt=1)], 1.0) == "Expected `float` > 1.0"
    assert says(Annotated[int, Meta(gt=1.5, lt=3.5)], 2) == ""
    assert says(Annotated[int, Meta(gt=1.5, lt=3.5)], 1) == "Expected `int` >= 2"
    assert says(Annotated[int, Meta(gt=1.5, lt=3.5)], 4) == "Expected `int` <= 3"


@pytest.mark.parametrize("step", [1, 2, 7, 2**31, 2**62, 2**70])
def test_multiples(step):
    for value in (0, *EDGES):
        assert (says(Annotated[int, Meta(multiple_of=step)], value) == "") == (value % step == 0)
    kind = Annotated[int, Meta(multiple_of=7, ge=-14, le=21)]
    assert [n for n in range(-30, 30) if not says(kind, n)] == [-14, -7, 0, 7, 14, 21]


def test_lengths_of_containers():
    for kind, values in (
        (list[int], [[], [1], [1, 2], [1, 2, 3]]),
        (dict[str, int], [{}, {"a": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}]),
    ):
        bounded = Annotated[kind, Meta(min_length=1, max_length=2)]
        assert [not says(bounded, value) for value in values] == [False, True, True, False]
    assert json.decode(b"[1,1,2]", type=Annotated[set[int], Meta(max_length=2)]) == {1, 2}
    with pytest.raises(ValidationError, match="of length <= 2"):
        json.decode(b"[1,3,2]", type=Annotated[tuple[int, ...], Meta(max_length=2)])


def test_bounds_of_several_types_and_with_functions():
    kind = Annotated[int, Meta(ge=0, le=9)] | Annotated[str, Meta(min_length=2, pattern="^a")] | None
    for value in (0, 9, "ab", None):
        assert says(kind, value) == ""
    assert says(kind, 10) == "Expected `int` <= 9"
    assert says(kind, "a") == "Expected `str` of length >= 2"
    assert says(kind, "ba") == "Expected `str` matching regex '^a'"
    seen: list[Any] = []
    kind = Annotated[int, Meta(ge=0, le=9), Validate(lambda v: seen.append(v)), Convert(lambda v: v)]
    assert says(kind, 4) == ""
    assert seen == [4, 4, 4]
    assert says(kind, 11) == "Expected `int` <= 9"
    assert len(seen) == 3


def faulty(error):
    def fn(v):
        raise error(f"not {v}")

    return fn


@pytest.mark.parametrize("made", [Validate, Convert])
@pytest.mark.parametrize("error", [ValueError, TypeError, AssertionError])
@pytest.mark.parametrize("message", [None, "better"])
def test_what_functions_raise_before_a_value_is_read(made, error, message):
    kind = list[Annotated[int, made(faulty(error), before=True, message=message)]]
    with pytest.raises(ValidationError) as caught:
        json.decode(b"[5]", type=kind)
    assert str(caught.value) == f"{message or 'not 5'} - at `$[0]`"
    cause = caught.value.__cause__
    assert isinstance(cause.__cause__ if message else cause, error)
    with pytest.raises(ValidationError) as caught:
        json.Decoder(kind, errors="all").decode(b"[5]")
    (told,) = caught.value.errors()
    assert (told["code"], told["path"]) == ("custom", "$[0]")


def test_functions_before_a_value_that_refuse():
    def positive(v):
        return v > 0

    kind = list[Annotated[int, Validate(positive, before=True)]]
    assert json.decode(b"[1,2]", type=kind) == [1, 2]
    with pytest.raises(ValidationError, match=r"`positive` refuses the value - at `\$\[1\]`") as caught:
        json.decode(b"[1,-2]", type=kind)
    assert isinstance(caught.value.__cause__, ValueError)
    assert caught.value.errors()[0]["code"] == "custom"


class Named(Struct):
    name: Annotated[str, Meta(min_length=1, pattern="^[a-z]+$"), Convert(str.strip, before=True)]
    n: Annotated[int, Meta(ge=3), Convert(int, before=True)] = 3


def test_what_comes_before_is_held_to_the_bounds():
    assert json.decode(b'[{"name":" ab ","n":"5"}]', type=list[Named]) == [Named("ab", 5)]
    assert convert({"name": "x"}, Named) == Named("x")
    for data, words in (
        ({"name": "  "}, "Expected `str` matching regex '^[a-z]+$' - at `$[0].name`"),
        ({"name": "A"}, "Expected `str` matching regex '^[a-z]+$' - at `$[0].name`"),
        ({"name": "a", "n": "2"}, "Expected `int` >= 3 - at `$[0].n`"),
        ({"name": "a", "n": "x"}, "invalid literal for int() with base 10: 'x' - at `$[0].n`"),
    ):
        assert says(list[Named], [data]) == words
        with pytest.raises(ValidationError) as caught:
            json.decode(json.encode([data]), type=list[Named])
        assert caught.value.errors()[0]["code"] == "custom"


def test_what_comes_before_may_give_anything():
    class Whole(int):
        pass

    def some(kind, gives):
        return json.decode(b"[1]", type=list[Annotated[kind, Convert(lambda v: gives, before=True)]])[0]

    assert type(some(int, Whole(4))) is int
    assert some(float, 4) == 4.0
    assert type(some(float, 4)) is float
    assert some(list[int], (1, 2)) == [1, 2]
    assert some(dict[str, int], {"a": 1}) == {"a": 1}
    assert some(Any, some) is some
    assert some(int | str | None, None) is None
    assert some(bool, True) is True
    for kind, gives in ((int, True), (int, "1"), (bool, 1), (str, None), (str, b"a"), (int, 1.5)):
        with pytest.raises(ValidationError, match=r"\$\[0\]"):
            some(kind, gives)


def test_several_before_and_after_stand_in_order():
    kind = Annotated[
        str,
        Convert(lambda v: v + "1", before=True),
        Convert(lambda v: v + "2", before=True),
        Convert(lambda v: v + "3"),
        Validate(lambda v: v.endswith("123")),
    ]
    assert json.decode(b'["0"]', type=list[kind]) == ["0123"]
    kind = Annotated[int, Meta(message="a number"), Convert(int)]
    assert says(list[kind], [1]) == ""
    assert says(list[kind], ["x"]) == "a number - at `$[0]`"
    with pytest.raises(TypeError, match="whole of a union"):
        json.Decoder(Annotated[int | Annotated[str, Convert(str, before=True)], Convert(str, before=True)])


def test_functions_before_may_do_anything():
    box: list[Any] = []

    def again(v):
        box.append(json.decode(b'["1"]', type=list[inner]))
        gc.collect()
        return v

    inner = Annotated[int, Convert(int, before=True)]
    assert json.decode(b"[1,2]", type=list[Annotated[int, Convert(again, before=True)]]) == [1, 2]
    assert box == [[1], [1]]
    source = [1, 2, 3]

    def shrinks(v):
        source.clear()
        return v

    assert convert(source, list[Annotated[int, Convert(shrinks, before=True)]])[:1] == [1]


def test_what_is_held_is_let_go():
    text = "".join(["x"] * 40)
    before = sys.getrefcount(text)
    kind = list[Annotated[str, Meta(max_length=50, pattern="^x"), Convert(lambda v: text, before=True)]]
    for _ in range(50):
        convert(["a"], kind)
    assert sys.getrefcount(text) == before
