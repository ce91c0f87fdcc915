"""The face of msgspec: its names, options, results and texts, written down."""

import datetime as dt
import decimal
import enum
import fractions
import pathlib
import uuid
from dataclasses import dataclass
from typing import Any

import pytest

import oxwire
import oxwire.compat.msgspec as msgspec
from oxwire.compat.msgspec import json, msgpack

D = decimal.Decimal
ONE = uuid.UUID(int=1)


class Point(msgspec.Struct):
    x: int
    y: list[int] = []


class Cat(msgspec.Struct, tag=True):
    name: str


class Dog(msgspec.Struct, tag=True):
    name: str


class Node(msgspec.Struct):
    next: "Node | None" = None


def fails(cls, text, call, *args, **options):
    """A call raises exactly this class with exactly this text."""
    with pytest.raises(cls) as caught:
        call(*args, **options)
    assert (type(caught.value), str(caught.value)) == (cls, text)
    return caught.value


# Names.


def test_every_name_is_there():
    names = (
        "NODEFAULT UNSET DecodeError EncodeError Meta MsgspecError Raw Struct StructMeta UnsetType ValidationError "
        "convert defstruct field inspect json msgpack structs to_builtins toml yaml __version__"
    )
    assert {*names.split()} <= {*dir(msgspec)}
    for name in names.split():
        assert getattr(msgspec, name) is not None
    assert msgspec.__version__ == "0.22.0"
    assert {*json.__all__} == {*"Decoder Encoder decode encode format schema schema_components".split()}
    assert {*msgpack.__all__} == {*"Decoder Encoder Ext decode encode".split()}
    with pytest.raises(AttributeError):
        msgspec.nothing  # noqa: B018


def test_classes_are_those_of_oxwire():
    assert msgspec.MsgspecError is oxwire.Error
    assert msgspec.Struct is oxwire.Struct
    assert issubclass(msgspec.ValidationError, msgspec.DecodeError)
    assert issubclass(msgspec.DecodeError, ValueError)
    assert issubclass(msgspec.EncodeError, msgspec.MsgspecError)
    assert msgspec.yaml.__name__ == "oxwire.compat.msgspec.yaml"
    assert msgspec.structs.asdict(Point(1)) == {"x": 1, "y": []}
    assert msgspec.inspect.type_info(int) == msgspec.inspect.IntType()


def test_codecs_say_what_they_were_given():
    def hook(*_):
        return None

    e = json.Encoder(enc_hook=hook, decimal_format="number", uuid_format="hex", order="sorted")
    assert (e.enc_hook, e.decimal_format, e.uuid_format, e.order) == (hook, "number", "hex", "sorted")
    d = json.Decoder(int, strict=False, dec_hook=hook, float_hook=hook)
    assert (d.type, d.strict, d.dec_hook, d.float_hook) == (int, False, hook, hook)
    d = msgpack.Decoder(ext_hook=hook)
    assert (d.type, d.strict, d.dec_hook, d.ext_hook) == (Any, True, None, hook)
    assert repr(json.Decoder()) == "msgspec.json.Decoder(typing.Any)"
    assert repr(json.Decoder(list[int])) == "msgspec.json.Decoder(list[int])"
    assert repr(msgpack.Decoder(int)) == "msgspec.msgpack.Decoder(<class 'int'>)"
    assert json.Decoder[int].__args__ == (int,)
    assert not hasattr(msgpack.Encoder(), "encode_lines")
    assert json.Encoder.__name__ == "Encoder"
    assert json.decode.__module__ == "oxwire.compat.msgspec.json"


def test_options_that_are_none():
    fails(
        ValueError,
        "`decimal_format` must be 'string', 'number', or a callable, got 'x'",
        json.Encoder,
        decimal_format="x",
    )
    fails(
        ValueError,
        "`uuid_format` must be 'canonical' or 'hex', got 'bytes'",
        json.Encoder,
        uuid_format="bytes",
    )
    words = "`order` must be one of `{None, 'deterministic', 'sorted'}`, got 'x'"
    fails(ValueError, words, msgpack.Encoder, order="x")
    for call, name in (
        (json.Encoder, "enc_hook"),
        (json.Decoder, "dec_hook"),
        (json.Decoder, "float_hook"),
        (msgpack.Decoder, "ext_hook"),
    ):
        fails(TypeError, f"{name} must be callable", call, **{name: 1})


# Writing.


@dataclass
class Private:
    a: int
    _b: int = 2


class Color(enum.Enum):
    RED = "red"


ZONED = dt.datetime(2020, 1, 2, 3, 4, 5, 6, dt.UTC)


@pytest.mark.parametrize(
    ("value", "in_json", "in_msgpack"),
    [
        (float("nan"), b"null", b"\xcb\x7f\xf8" + bytes(6)),
        (ZONED, b'"2020-01-02T03:04:05.000006Z"', b"\xd7\xff\x00\x00\x5d\xc0\x5e\x0d\x5d\xa5"),
        (dt.time(1, 2, 3, tzinfo=dt.UTC), b'"01:02:03Z"', b"\xa901:02:03Z"),
        (D("NaN"), b'"NaN"', b"\xa3NaN"),
        (D("1.50"), b'"1.50"', b"\xa41.50"),
        ({1: 1, "1": 2}, b'{"1":1,"1":2}', b"\x82\x01\x01\xa11\x02"),
        (Private(1), b'{"a":1,"_b":2}', b"\x82\xa1a\x01\xa2_b\x02"),
        (Color.RED, b'"red"', b"\xa3red"),
        (Point(1, [2]), b'{"x":1,"y":[2]}', b"\x82\xa1x\x01\xa1y\x91\x02"),
        (Cat("a"), b'{"type":"Cat","name":"a"}', b"\x82\xa4type\xa3Cat\xa4name\xa1a"),
        (b"\x00\x01", b'"AAE="', b"\xc4\x02\x00\x01"),
    ],
)
def test_values(value, in_json, in_msgpack):
    assert json.encode(value) == json.Encoder().encode(value) == in_json
    assert msgpack.encode(value) == msgpack.Encoder().encode(value) == in_msgpack


class Text(str):
    __slots__ = ()


class Whole(int):
    pass


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (1j, "complex"),
        (range(2), "range"),
        (Text("a"), "Text"),
        (Whole(1), "Whole"),
        (pathlib.PurePosixPath("a"), "PurePosixPath"),
        (fractions.Fraction(1, 2), "Fraction"),
        (iter([1]), "list_iterator"),
        (object, "type"),
    ],
)
def test_what_goes_to_the_hook(value, name):
    text = f"Encoding objects of type {name} is unsupported"
    for call in (json.encode, msgpack.encode, msgspec.to_builtins, json.Encoder().encode):
        fails(TypeError, text, call, value)
        fails(TypeError, text, call, [{"a": value}])
    for module in (json, msgpack):
        written = module.encode([value], enc_hook=lambda o: ["hook", type(o).__name__])
        assert module.decode(written) == [["hook", name]]


def test_what_cannot_be_written():
    words = "can't serialize ints < -2**63 or > 2**64 - 1"
    fails(OverflowError, words, msgpack.encode, 2**64)
    fails(OverflowError, words, msgpack.encode, [-(2**63) - 1])
    assert json.encode(2**70) == b"1180591620717411303424"
    words = "Only dicts with str-like or number-like keys are supported"
    fails(TypeError, words, json.encode, {(1, 2): 1})
    fails(TypeError, words, msgspec.to_builtins, {(1, 2): 1}, str_keys=True)
    loop = []
    loop.append(loop)
    for module in (json, msgpack):
        fails(RecursionError, "maximum recursion depth exceeded", module.encode, loop)
        fails(RecursionError, "maximum recursion depth exceeded", module.encode, 1j, enc_hook=lambda o: o)
        with pytest.raises(ZeroDivisionError):
            module.encode(1j, enc_hook=lambda o: 1 / 0)
        with pytest.raises(NotImplementedError):
            module.Encoder(enc_hook=lambda o: (_ for _ in ()).throw(NotImplementedError)).encode([1j])
    assert isinstance(pytest.raises(ValueError, json.encode, "\ud800").value, msgspec.EncodeError)


def test_order():
    value = [{"b": 1, "a": {3, 1, 2}}, Dog("d"), frozenset("ba")]
    expected = b'[{"a":[1,2,3],"b":1},{"type":"Dog","name":"d"},["a","b"]]'
    assert json.encode(value, order="deterministic") == expected
    expected = b'[{"a":[1,2,3],"b":1},{"name":"d","type":"Dog"},["a","b"]]'
    assert json.encode(value, order="sorted") == json.Encoder(order="sorted").encode(value) == expected
    expected = b"\x82\xa1a\x93\x01\x02\x03\xa1b\x01"
    assert msgpack.encode(value[0], order="deterministic") == expected
    assert msgspec.to_builtins(value[0], order="sorted") == {"a": [1, 2, 3], "b": 1}
    with pytest.raises(TypeError):
        json.encode({1, "a"}, order="sorted")


def test_decimals():
    assert json.Encoder(decimal_format="number").encode([D("1.50")]) == b"[1.50]"
    assert msgpack.Encoder(decimal_format="number").encode(D("1.5")) == b"\xcb\x3f\xf8" + bytes(6)
    for module in (json, msgpack):
        made = module.Encoder(decimal_format=lambda d: {"d": [str(d), 1j]}, enc_hook=str).encode([D(1)])
        assert module.decode(made) == [{"d": ["1", "1j"]}]
        for bad in (lambda d: d, lambda d: [d]):
            words = "callable returned a value containing a Decimal"
            fails(TypeError, words, module.Encoder(decimal_format=bad).encode, [D(1)])


def test_uuids():
    assert json.Encoder(uuid_format="hex").encode([ONE]) == b'["00000000000000000000000000000001"]'
    assert msgpack.Encoder(uuid_format="bytes").encode(ONE) == b"\xc4\x10" + ONE.bytes
    assert msgpack.Encoder(uuid_format="bytes").encode({ONE: 1}) == b"\x81\xc4\x10" + ONE.bytes + b"\x01"
    assert msgpack.decode(b"\xc4\x10" + ONE.bytes, type=uuid.UUID) == ONE


def test_options_together():
    e = json.Encoder(decimal_format=float, uuid_format="hex", order="sorted", enc_hook=str)
    assert e.encode({"b": [D("1.5"), ONE], "a": {2, 1}, "c": 1j}) == (
        b'{"a":[1,2],"b":[1.5,"00000000000000000000000000000001"],"c":"1j"}'
    )


def test_encode_into_and_lines():
    buffer = bytearray(b"abc")
    assert json.Encoder().encode_into([1], buffer) is None
    assert buffer == b"[1]"
    json.Encoder().encode_into([2], buffer, -1)
    assert buffer == b"[1][2]"
    msgpack.Encoder().encode_into(1, buffer, 1)
    assert buffer == b"[\x01"
    assert json.Encoder().encode_lines(iter([1, {"a": 2}])) == b'1\n{"a":2}\n'
    words = "Encoding objects of type complex is unsupported"
    fails(TypeError, words, json.Encoder().encode_lines, [1, 1j])


# Reading.


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "Input data was truncated"),
        (b"[1,", "Input data was truncated"),
        (b'{"a"', "Input data was truncated"),
        (b"[1,]", "JSON is malformed: trailing comma in array (byte 3)"),
        (b'{"a":1,}', "JSON is malformed: trailing comma in object (byte 7)"),
        (b"[1 2]", "JSON is malformed: expected ',' or ']' (byte 3)"),
        (b'{"a":1 "b"', "JSON is malformed: expected ',' or '}' (byte 7)"),
        (b'{"a" 1}', "JSON is malformed: expected ':' (byte 5)"),
        (b"{1:2}", "JSON is malformed: object keys must be strings (byte 1)"),
        (b"x", "JSON is malformed: invalid character (byte 0)"),
        (b"1.x", "JSON is malformed: invalid number (byte 2)"),
        (b"1 1", "JSON is malformed: trailing characters (byte 2)"),
        (b'"\xff"', "JSON is malformed: the text is not valid UTF-8 (byte 1)"),
    ],
)
def test_malformed_json(data, words):
    e = fails(msgspec.DecodeError, words, json.decode, data)
    assert e.__context__ is None
    fails(msgspec.DecodeError, words, json.Decoder().decode, data)
    assert e.line == 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "Input data was truncated"),
        (b"\x92\x01", "Input data was truncated"),
        (b"\xdd\xff\xff\xff\xff", "Input data was truncated"),
        (b"\x01\x01", "MessagePack data is malformed: trailing characters (byte 1)"),
        (b"\x91\xc1", "MessagePack data is malformed: invalid opcode '\\xc1' (byte 1)"),
        (b"\x81\x80\x01", "MessagePack data is malformed: map keys must be hashable (byte 1)"),
    ],
)
def test_malformed_msgpack(data, words):
    fails(msgspec.DecodeError, words, msgpack.decode, data)
    fails(msgspec.DecodeError, words, msgpack.Decoder(Any).decode, data)


def test_limits_are_errors_of_validation():
    fails(msgspec.ValidationError, "Number out of range", json.decode, b"1e999")
    fails(msgspec.ValidationError, "Integer value out of range", json.decode, b"1" * 5000)
    fails(msgspec.ValidationError, "Invalid MessagePack timestamp", msgpack.decode, b"\xd5\xff\x00\x00")


def test_depth():
    n = 9000
    deep = json.decode(b"[" * n + b"]" * n)
    assert len(json.encode(deep)) == 2 * n
    assert json.encode(json.decode(b'{"next":' * n + b"{}" + b"}" * n, type=Node)).count(b"next") == n + 1
    words = "maximum recursion depth exceeded"
    fails(RecursionError, words, json.decode, b"[" * 20000)
    fails(RecursionError, words, msgpack.decode, b"\x91" * 20000)


@pytest.mark.parametrize(
    ("data", "type", "words"),
    [
        (b"{}", Point, "Object missing required field `x`"),
        (b'{"x":"a"}', Point, "Expected `int`, got `str` - at `$.x`"),
        (b'{"x":1,"y":[1,null]}', Point, "Expected `int`, got `null` - at `$.y[1]`"),
        (b"[]", Point, "Expected `object`, got `array`"),
        (b'{"type":"Cow"}', Cat | Dog, "Invalid value 'Cow' - at `$.type`"),
        (b"{}", Cat | Dog, "Object missing required field `type`"),
        (b'{"a":1}', dict[str, str], "Expected `str`, got `int` - at `$[...]`"),
    ],
)
def test_wrong_values(data, type, words):
    fails(msgspec.ValidationError, words, json.decode, data, type=type)
    fails(msgspec.ValidationError, words, json.Decoder(type).decode, data)
    fails(msgspec.ValidationError, words, msgspec.convert, json.decode(data), type)


def test_typed():
    assert json.decode(b'{"x":1}', type=Point) == Point(1)
    assert json.decode('["1"]', type=list[int], strict=False) == [1]
    assert msgpack.decode(msgpack.encode("1"), type=int, strict=False) == 1
    assert msgpack.decode(b"\xd1\x00\x01", type=int) == 1
    assert json.Decoder(Cat | Dog).decode(b'{"type":"Dog","name":"x"}') == Dog("x")
    assert msgspec.convert({"x": "1"}, Point, strict=False) == Point(1)
    assert json.decode(bytearray(b"[1]")) == json.decode(memoryview(b"[1]")) == [1]
    assert bytes(json.decode(b"[1, 2 ]", type=list[msgspec.Raw])[1]) == b"2"


def test_readers_are_kept_for_some_types_only():
    for i in range(600):
        made = msgspec.defstruct(f"S{i}", [("x", int)])
        assert json.decode(b'{"x":1}', type=made) == made(1)
        assert msgpack.decode(b"\x81\xa1x\x01", type=made) == made(1)
    fails(msgspec.ValidationError, "Expected `int`, got `str`", json.decode, b'"a"', type=int)
    with pytest.raises(TypeError):
        json.decode(b"1", type=[])


def test_hooks():
    assert json.decode(b'"1"', type=complex, dec_hook=lambda t, o: t(o)) == 1
    words = "invalid literal for int() with base 10: 'x'"
    e = fails(msgspec.ValidationError, words, json.decode, b"1", type=complex, dec_hook=lambda t, o: int("x"))
    assert isinstance(e.__cause__, ValueError)
    with pytest.raises(ZeroDivisionError):
        json.decode(b"1", type=complex, dec_hook=lambda t, o: 1 / 0)
    assert json.Decoder(float_hook=str).decode(b"[1.50,1]") == ["1.50", 1]
    seen = []
    msgpack.decode(b"\xd4\x05a", ext_hook=lambda code, data: seen.append((code, type(data), bytes(data))))
    assert seen == [(5, memoryview, b"a")]
    # One that reads itself: its fault is made ours once.
    words = "Input data was truncated"
    fails(
        msgspec.ValidationError,
        words,
        json.decode,
        b"1",
        type=complex,
        dec_hook=lambda t, o: json.decode(b"["),
    )


def test_ext():
    assert msgpack.encode(msgpack.Ext(5, b"ab")) == b"\xd5\x05ab"
    assert msgpack.decode(b"\xc7\x02\x05ab") == msgpack.Ext(5, b"ab")
    fails(TypeError, "Encoding objects of type Ext is unsupported", json.encode, msgpack.Ext(5, b""))


def test_lines():
    assert json.Decoder().decode_lines(b"1\r\n\n[2]") == [1, [2]]
    words = "Expected `int`, got `str` - at `$[1][0]`"
    for data in (b'[1]\n\n["a"]\n', '[1]\n\n["a"]\n'):
        fails(msgspec.ValidationError, words, json.Decoder(list[int]).decode_lines, data)
    words = "Expected `int`, got `str` - at `key` in `$[1]`"
    fails(msgspec.ValidationError, words, json.Decoder(dict[int, int]).decode_lines, b'{"1":1}\n{"x":1}')
    words = "Number out of range - at `$[1]`"
    fails(msgspec.ValidationError, words, json.Decoder(float).decode_lines, b"1\n1e400")
    words = "JSON is malformed: invalid character (byte 3)"
    fails(msgspec.DecodeError, words, json.Decoder(int).decode_lines, b"1\n\na")


def test_format():
    text = '[1,{"a":[]},{}]'
    assert json.format(text) == '[\n  1,\n  {\n    "a": []\n  },\n  {}\n]'
    assert json.format(text.encode(), indent=0) == b'[1, {"a": []}, {}]'
    assert json.format(json.format(text), indent=-1) == text
    assert json.format("[1]", indent=12) == "[\n            1\n]"
    words = "JSON is malformed: trailing comma in array (byte 3)"
    fails(msgspec.DecodeError, words, json.format, "[1,]")
    words = "'str' object cannot be interpreted as an integer"
    fails(TypeError, words, json.format, "[]", indent="x")


def test_schema():
    expected = {
        "title": "Point",
        "type": "object",
        "properties": {
            "x": {"type": "integer"},
            "y": {"type": "array", "items": {"type": "integer"}, "default": []},
        },
        "required": ["x"],
    }
    assert json.schema(Point) == {"$ref": "#/$defs/Point", "$defs": {"Point": expected}}
    assert json.schema_components([Point])[1] == {"Point": expected}


def test_yaml_and_toml():
    pytest.importorskip("yaml")
    assert msgspec.yaml.decode(b"x: 1", type=Point) == Point(1)
    assert msgspec.yaml.encode(Point(1, [2])) == b"x: 1\ny:\n- 2\n"
    words = "Expected `int`, got `str` - at `$.x`"
    fails(msgspec.ValidationError, words, msgspec.yaml.decode, b"x: a", type=Point)
    words = "Encoding objects of type complex is unsupported"
    fails(TypeError, words, msgspec.yaml.encode, [1j])
    assert msgspec.toml.decode("x = 1", type=Point) == Point(1)
    assert msgspec.yaml.encode([dt.time(1, tzinfo=dt.UTC), ZONED.date()]) == b"- 01:00:00Z\n- 2020-01-02\n"
    assert msgspec.yaml.encode({"k": {2, 1}}, order="deterministic", enc_hook=str) == b"k:\n- 1\n- 2\n"


def test_private_fields():
    attrs = pytest.importorskip("attrs")

    @dataclass
    class Data:
        _a: int = 1

    made = attrs.make_class("Made", {"_a": attrs.field(default=1), "b": attrs.field(default=2)})
    assert json.encode([Data(), made()]) == b'[{"_a":1},{"b":2}]'
    assert msgpack.encode([Data(), made()]) == b"\x92\x81\xa2_a\x01\x81\xa1b\x02"
    assert msgspec.to_builtins([Data(), made()]) == [{"_a": 1}, {"b": 2}]


def test_to_builtins():
    assert msgspec.to_builtins([ZONED, D("NaN"), Point(1)]) == [
        "2020-01-02T03:04:05.000006Z",
        "NaN",
        {"x": 1, "y": []},
    ]
    assert msgspec.to_builtins({1: b"a"}, str_keys=True, builtin_types=[bytes]) == {"1": b"a"}
    loop = []
    loop.append(loop)
    fails(RecursionError, "maximum recursion depth exceeded", msgspec.to_builtins, loop)
    with pytest.raises(msgspec.EncodeError):
        msgspec.to_builtins({1: 1, "1": 2}, str_keys=True)
