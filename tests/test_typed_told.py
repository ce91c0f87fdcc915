"""Values that are read by a call of their own: what comes before reading, a message for whatever is wrong, tuples with a star. They are read as
the call around them says."""

from typing import Annotated, Literal, TypedDict, Unpack

import pytest

from oxwire import Codec, Convert, Meta, Struct, ValidationError, convert, json, msgpack


class Camel(Struct, rename="camel"):
    my_a: int


class Two(Struct):
    a: int
    b: str


class Plain(TypedDict):
    a: int


class Own:
    def __init__(self, value):
        self.value = value


def before(t):
    return Annotated[t, Convert(lambda value: value, before=True)]


def worded(t):
    return Annotated[t, Meta(message="so not")]


def starred(t):
    return tuple[Unpack[tuple[t, ...]], int]


def hook(t, value):
    return t(value)


@pytest.mark.parametrize("around", [before, worded])
def test_options_of_the_call(around):
    t, data = list[around(Camel)], b'[{"myA":1,"zz":2}]'
    assert json.decode(data, type=t) == [Camel(1)]
    with pytest.raises(ValidationError):
        json.decode(data, type=t, extra="forbid")
    with pytest.raises(TypeError, match="has no place"):
        json.Decoder(t, extra="keep")
    assert json.decode(b'[{"my_a":1}]', type=t, by_name=True) == [Camel(1)]
    assert json.decode(b'[{"myA":"1"}]', type=t, strict=False) == [Camel(1)]
    assert json.decode(b'[{"a":1,"z":2}]', type=list[around(Plain)], extra="keep") == [{"a": 1, "z": 2}]
    assert json.decode(b'{"a":1,"z":2}', type=around(Plain)) == {"a": 1}
    assert json.decode(b"1", type=around(Own), dec_hook=hook).value == 1
    some = type("Some", (), {"my_a": 4})()
    assert convert(some, around(Camel), from_attributes=True) == Camel(4)
    with pytest.raises(ValidationError):
        convert(some, around(Camel))


@pytest.mark.parametrize("around", [before, worded])
def test_what_the_format_says_of_bytes_and_keys(around):
    t = around(dict[int, bytes])
    assert json.decode(b'{"1":"aaaa"}', type=t) == {1: b"i\xa6\x9a"}
    assert msgpack.decode(msgpack.encode({1: b"x"}), type=t) == {1: b"x"}
    for wrong in {1: "aaaa"}, {"1": b"x"}:
        with pytest.raises(ValidationError):
            msgpack.decode(msgpack.encode(wrong), type=t)
    with pytest.raises(ValidationError):
        convert({"1": b"x"}, t)
    assert convert({"1": b"x"}, t, str_keys=True) == {1: b"x"}


def test_tuples_with_a_star():
    assert json.decode(b'["5",7]', type=starred(int), strict=False) == (5, 7)
    assert json.decode(b'[{"1":2},7]', type=starred(dict[int, int])) == ({1: 2}, 7)
    assert json.decode(b'[{"my_a":1},7]', type=starred(Camel), by_name=True) == (Camel(1), 7)
    assert json.decode(b"[1,7]", type=starred(Own), dec_hook=hook)[0].value == 1
    with pytest.raises(ValidationError, match="unknown field `z`"):
        json.decode(b'[{"myA":1,"z":1},7]', type=starred(Camel), extra="forbid")
    with pytest.raises(ValidationError, match="Expected `int`, got `str`"):
        json.decode(b'[{"x":2},7]', type=starred(dict[int, int]))
    for read in convert, lambda o, t: json.decode(json.encode(o), type=t):
        with pytest.raises(ValidationError) as caught:
            read([1, 2], tuple[int, Unpack[tuple[str, ...]]])
        assert caught.value.path == "$[1]"
        assert str(caught.value) == "Expected `str`, got `int` - at `$[1]`"


def test_codecs_over_what_is_not_told_apart():
    codecs = {bytes: Codec(Literal["a"] | Camel, decode=lambda value: repr(value).encode())}
    assert json.decode(b'{"my_a":1}', type=bytes, codecs=codecs, by_name=True) == b"Camel(my_a=1)"
    with pytest.raises(ValidationError, match="Invalid enum value"):
        json.decode(b'"b"', type=bytes, codecs=codecs)


def test_all_that_is_wrong():
    def told(read, *args, **options):
        with pytest.raises(ValidationError) as caught:
            read(*args, errors="all", **options)
        return [(e["path"], e["loc"], e["code"], e["input"], e["offset"]) for e in caught.value.errors()]

    data = b'[{"a":"1","b":2},{"b":3}]'
    assert told(json.decode, data, type=list[before(Two)]) == [
        ("$[0].a", (0, "a"), "type", '"1"', 6),
        ("$[0].b", (0, "b"), "type", "2", 14),
        ("$[1].b", (1, "b"), "type", "3", 22),
        ("$[1]", (1,), "missing", '{"b":3}', 17),
    ]
    first = [("$.a", ("a",), "type", "'1'", None), ("$.b", ("b",), "type", "2", None)]
    assert told(convert, {"a": "1", "b": 2}, before(Two)) == first
    assert told(convert, {"x": {"a": "1", "b": 2}}, dict[str, before(Two)]) == [
        (path.replace("$", "$[...]"), ("x", *loc), *more) for path, loc, *more in first
    ]
    assert told(convert, [0, {"a": "1", "b": 2}], tuple[int, Unpack[tuple[Two, ...]]]) == [
        (path.replace("$", "$[1]"), (1, *loc), *more) for path, loc, *more in first
    ]
