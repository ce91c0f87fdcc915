"""Values that stand for members are found as they are read: of enumerations and literals, whatever they are and however many."""

import enum
import random
from typing import Literal

import pytest

import oxwire
import oxwire.json
import oxwire.msgpack

TEXTS = (
    "",
    "a",
    "ab",
    "abc",
    "abcd",
    "abcdefg",
    "abcdefgh",
    "abcdefghi",
    "a" * 16,
    "a" * 17,
    "b" + "a" * 16,
    "a" * 70,
    'q"uo\\te\n',
    "é",
    "漢字",
    "🙂",
)
INTS = (0, 1, -1, 255, 2**31, -(2**31), 2**63 - 1, -(2**63), 2**63, 2**64 - 1)


def each_way(type, value):
    """What a value is read as by each format, and made into."""
    return (
        oxwire.json.decode(oxwire.json.encode(value), type=type),
        oxwire.msgpack.decode(oxwire.msgpack.encode(value), type=type),
        oxwire.convert(value, type),
    )


def test_texts_and_integers_stand_for_members():
    Text = enum.Enum("Text", {f"m{i}": text for i, text in enumerate(TEXTS)})
    Number = enum.Enum("Number", {f"m{i}": n for i, n in enumerate(INTS)})
    for kind in Text, Number:
        for member in kind:
            assert all(made is member for made in each_way(kind, member.value))
            assert all(made == [member] * 3 for made in each_way(list[kind], [member.value] * 3))
    assert all(made == "漢字" for made in each_way(Literal["漢字", "x", 7], "漢字"))
    assert all(made == 7 for made in each_way(Literal["漢字", "x", 7], 7))
    assert all(made == {Text.m1: Number.m2} for made in each_way(dict[Text, Number], {"a": -1}))


@pytest.mark.parametrize(
    "value", ["b", "A", "abcdefgi", "a" * 18, "", 3, 2**63, -1, 1.0, True, None, b"a", [], {}]
)
def test_what_stands_for_none_is_refused(value):
    class Text(enum.Enum):
        A = "a"
        B = "abcdefgh"
        C = "a" * 17

    class Number(enum.IntEnum):
        ONE = 1
        TWO = 2

    for kind in Text, Number, Literal["a", "abcdefgh"], Literal[1, 2]:
        for way in (
            lambda: oxwire.msgpack.decode(oxwire.msgpack.encode(value), type=kind),
            lambda: oxwire.convert(value, kind),
        ):
            with pytest.raises(oxwire.ValidationError):
                way()
        if not isinstance(value, bytes):
            with pytest.raises(oxwire.ValidationError):
                oxwire.json.decode(oxwire.json.encode(value), type=kind)


def test_words_are_those_of_any_value():
    class Text(enum.Enum):
        A = "a"

    for source, words in {
        '["x"]': "Invalid enum value 'x' - at `$[0]`",
        "[1]": "Expected `str`, got `int` - at `$[0]`",
        '["\\u00e9"]': "Invalid enum value 'é' - at `$[0]`",
        "[null]": "Expected `str`, got `null` - at `$[0]`",
    }.items():
        with pytest.raises(oxwire.ValidationError) as caught:
            oxwire.json.decode(source, type=list[Text])
        assert str(caught.value) == words
    with pytest.raises(oxwire.DecodeError):
        oxwire.json.decode('["a]', type=list[Text])
    with pytest.raises(oxwire.DecodeError):
        oxwire.json.decode(b'["\xff"]', type=list[Text])


def test_members_that_come_later():
    class Kind(enum.Enum):
        KNOWN = "known"

        @classmethod
        def _missing_(cls, value):
            return cls.KNOWN if value == "other" else None

    decoder = oxwire.json.Decoder(list[Kind])
    assert decoder.decode('["known", "other", "known"]') == [Kind.KNOWN] * 3
    with pytest.raises(oxwire.ValidationError):
        decoder.decode('["known", "nobody"]')


def test_values_beside_members():
    both = Literal["a", "b"] | str
    assert each_way(list[both], ["a", "c", "é"]) == (["a", "c", "é"],) * 3
    number = Literal[1, 2] | None | Literal["x"]
    assert each_way(list[number], [1, None, "x", 2]) == ([1, None, "x", 2],) * 3
    assert oxwire.json.decode("[1, 1.5]", type=list[Literal[1] | float]) == [1, 1.5]


def test_many_members():
    random.seed(7)
    texts = list({"".join(random.choices("abcXYZ019_-", k=random.randrange(24))) for _ in range(3000)})
    Text = enum.Enum("Text", {f"m{i}": text for i, text in enumerate(texts)})
    Number = enum.Enum("Number", {f"m{i}": i << 20 for i in range(3000)})
    for kind in Text, Number:
        values = [member.value for member in kind]
        assert all(made == list(kind) for made in each_way(list[kind], values))
        with pytest.raises(oxwire.ValidationError):
            oxwire.convert("nobody" if kind is Text else 1, kind)


def test_bytes_in_every_way():
    data = [bytes(range(n)) for n in range(70)] + [b"\xff" * 1000]
    for kind in bytes, bytearray, memoryview:
        assert oxwire.json.decode(oxwire.json.encode(data), type=list[kind]) == data
        assert oxwire.msgpack.decode(oxwire.msgpack.encode(data), type=list[kind]) == data
        assert {type(v) for v in oxwire.json.decode(oxwire.json.encode(data), type=list[kind])} == {kind}
        assert {type(v) for v in oxwire.convert(data, list[kind])} == {kind}
        assert oxwire.convert([bytearray(v) for v in data], list[kind]) == data
    given = bytearray(b"abc")
    made = oxwire.convert(given, bytearray)
    assert made == given
    assert made is not given
    for wrong in "YQ", "YQ=", "Y===", "YQ==YQ==", "a b=", "Zm9vé", "=", "====":
        with pytest.raises(oxwire.ValidationError, match="Invalid base64 encoded string"):
            oxwire.json.decode(oxwire.json.encode(wrong), type=bytes)
