"""What is said about wrong values, and where it is found: messages, attributes, causes, streams.

What may surprise: the messages of single types are in `test_typed_decode` and `test_typed_records`.
"""

import copy
import pickle
import traceback
from io import BytesIO
from typing import Annotated, Any

import pytest
from reading import SOURCES, No, outcome, read

from oxwire import DecodeError, Error, Meta, Struct, ValidationError, convert, json, msgpack


class Inner(Struct):
    value: int
    table: dict[str, list[int]] = {}


class Outer(Struct, rename="kebab"):
    the_inner: list[Inner]


class Row(Struct, array_like=True):
    a: int
    b: "Row | None" = None


class Deep(Struct):
    n: "Deep | int"


def caught(function, *args, **options):
    with pytest.raises(ValidationError) as error:
        function(*args, **options)
    return error.value


def test_what_it_is():
    assert ValidationError.__mro__[1:3] == (DecodeError, Error)
    assert issubclass(ValidationError, ValueError)
    error = caught(json.decode, b"[1,null]", type=list[int])
    assert (str(error), error.msg, error.path) == (
        "Expected `int`, got `null` - at `$[1]`",
        "Expected `int`, got `null`",
        "$[1]",
    )
    assert (error.offset, error.line, error.column) == (None, None, None)
    assert error.__cause__ is None
    root = caught(json.decode, b'"x"', type=int)
    assert (str(root), root.path) == ("Expected `int`, got `str`", "$")
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(again) is ValidationError
        assert str(again) == str(error)


PATHS = [
    (Outer, b'{"the-inner":[{"value":1},{"value":"x"}]}', "$.the-inner[1].value"),
    (Outer, b'{"the-inner":[{"value":1,"table":{"k":[1,"x"]}}]}', "$.the-inner[0].table[...][1]"),
    (Outer, b'{"the-inner":[{"value":1,"table":{"k":[1],"l":["x"]}}]}', "$.the-inner[0].table[...][0]"),
    (Row, b'[1,[2,["x"]]]', "$[1][1][0]"),
    (list[dict[str, tuple[int, dict[str, int]]]], b'[{"a":[1,{"b":"x"}]}]', "$[0][...][1][...]"),
    (dict[str, dict[str, int]], b'{"a":{"b":1},"c":{"d":"x"}}', "$[...][...]"),
    (tuple[int, int], b'[1,"x"]', "$[1]"),
    (set[int], b'[1,"x"]', "$[1]"),
]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("t", "document", "path"), PATHS)
def test_paths(source, t, document, path):
    error = caught(read, source, t, document)
    assert error.path == path
    assert str(error) == f"Expected `int`, got `str` - at `{path}`"


def test_paths_of_keys():
    t = list[dict[Annotated[str, Meta(max_length=1)], int]]
    for error in (
        caught(json.decode, b'[{"ab":1}]', type=t),
        caught(msgpack.decode, msgpack.encode([{"ab": 1}]), type=t),
        caught(convert, [{"ab": 1}], t),
    ):
        assert str(error) == "Expected `str` of length <= 1 - at `key` in `$[0]`"


def test_long_paths_are_shown_by_their_ends():
    document = b'{"n":' * 500 + b'"x"' + b"}" * 500
    error = caught(json.decode, document, type=Deep)
    assert error.path == "$" + ".n" * 500
    assert len(str(error)) < 300
    assert " ... " in str(error)


def test_causes():
    class Picky(Struct):
        a: int

        def __post_init__(self):
            raise ValueError("picky")

    error = caught(json.decode, b'[{"a":1}]', type=list[Picky])
    assert type(error.__cause__) is ValueError
    assert error.__cause__.__traceback__ is not None
    assert "__post_init__" in "".join(traceback.format_exception(error))

    def hook(t, value):
        try:
            raise KeyError("first")
        except KeyError:
            raise TypeError("second") from None

    error = caught(json.decode, b'{"a":[1]}', type=dict[str, list[type(Struct)]], dec_hook=hook)
    assert str(error) == "second - at `$[...][0]`"
    assert type(error.__cause__) is TypeError


def test_messages_that_cannot_be_had():
    class Mute(ValueError):
        def __str__(self):
            raise LookupError("mute")

    class Odd(Struct):
        def __post_init__(self):
            raise Mute

    with pytest.raises(LookupError, match="mute"):
        json.decode(b"{}", type=Odd)

    class Surrogates(Struct):
        def __post_init__(self):
            raise ValueError("\ud800")

    with pytest.raises((ValidationError, UnicodeError)):
        json.decode(b"{}", type=Surrogates)


def test_odd_names():
    t = type(Struct)("Odd", (Struct,), {"__annotations__": {"a": int}}, rename={"a": "\ud800é`"})
    error = outcome(convert, {}, t)
    assert isinstance(error, No)
    assert error.startswith("Object missing required field `")


def test_streams_go_on_behind_a_wrong_value():
    for format, join in ((json, b"\n".join), (msgpack, b"".join)):
        data = join([format.encode(one) for one in (1, "x", [2], 3)]) + (b"\n" if format is json else b"")
        for step in (1, 2, len(data)):
            stream = format.StreamDecoder(type=int)
            got = []
            for at in range(0, len(data), step):
                stream.feed(data[at : at + step])
                while True:
                    try:
                        got.append(next(stream))
                    except StopIteration:
                        break
                    except ValidationError as error:
                        got.append(str(error))
            assert got == [1, "Expected `int`, got `str`", "Expected `int`, got `array`", 3], (format, step)


def test_streams_of_raising_classes():
    class Picky(Struct):
        a: Any

        def __post_init__(self):
            if self.a == 2:
                raise ValueError("picky")
            if self.a == 3:
                raise KeyError("odd")

    for format, join in ((json, b"\n".join), (msgpack, b"".join)):
        stream = format.StreamDecoder(type=Picky)
        stream.feed(join([format.encode({"a": n}) for n in range(1, 5)]) + (b"\n" if format is json else b""))
        assert next(stream).a == 1
        with pytest.raises(ValidationError, match="picky"):
            next(stream)
        with pytest.raises(KeyError, match="odd"):
            next(stream)
        assert next(stream).a == 4


def test_lines():
    data = b'{"value":1}\n\n{"value":[]}\n'
    items = b'[{"value":1},{"value":[]}]'
    for way in (
        lambda: json.decode_lines(data, type=Inner),
        lambda: json.Decoder(Inner).decode_lines(data),
        lambda: list(json.iter_lines(BytesIO(data), type=Inner)),
        lambda: list(json.iter_items(BytesIO(items), type=Inner)),
    ):
        error = caught(way)
        assert error.msg == "Expected `int`, got `array`"
        assert error.path == "$[1].value"
        assert str(error) == "Expected `int`, got `array` - at `$[1].value`"
    for t, right, wrong, path in (
        (int, b"1", b'"a"', "$[1]"),
        (list[int], b"[]", b"[1,null]", "$[1][1]"),
        (dict[int, int], b"{}", b'{"$":1}', "key` in `$[1]"),
        (dict[str, dict[int, int]], b"{}", b'{"$":{"$":1}}', "key` in `$[1][...]"),
    ):
        assert caught(json.decode_lines, b"\n".join([b" ", right, b"", wrong]), type=t).path == path
    # A stream of documents has no whole.
    stream = json.StreamDecoder(type=int)
    stream.feed(b'1 "a" ')
    assert next(stream) == 1
    assert caught(next, stream).path == "$"
    assert json.decode_lines(b'{"value":1}\n{"value":2}', type=Inner) == [Inner(1), Inner(2)]


def test_a_type_is_given_once():
    for cls in (json.Decoder, msgpack.Decoder):
        with pytest.raises(TypeError, match="one type"):
            cls(int, type=str)
        with pytest.raises(TypeError):
            cls(int, str)
    for options in ({"object_hook": dict}, {"raw": True}):
        with pytest.raises(TypeError, match="exclude each other"):
            msgpack.Decoder(list[int], **options)
