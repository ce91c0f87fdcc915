"""`oxwire.Codec`: types that are added, and what is built in read and written in another way."""

import enum
import gc
import pathlib
import pickle
import uuid
import weakref
from datetime import UTC, datetime
from typing import Annotated

import pytest
from samples import STRANGE, Strange

from oxwire import (
    Codec,
    EncodeError,
    Meta,
    Struct,
    ValidationError,
    convert,
    inspect,
    json,
    msgpack,
    to_builtins,
)

typing_extensions = pytest.importorskip("typing_extensions", reason="needs typing_extensions")


class Point(Struct):
    x: int = 0


class Money:
    def __init__(self, cents):
        self.cents = cents

    def __eq__(self, other):
        return type(other) is Money and self.cents == other.cents

    def __len__(self):
        return self.cents


class Sub(Money):
    pass


class Wrapped:
    def __init__(self, point):
        self.point = point


class Order(Struct):
    price: Money
    when: datetime
    place: Wrapped | None = None
    prices: list[Money] = []


class Colour(enum.Enum):
    RED = "r"


def cents(money):
    return money.cents


CODECS = {
    Money: Codec(Annotated[int, Meta(ge=0)], decode=Money, encode=cents, schema={"title": "Cents"}),
    datetime: Codec(
        int, decode=lambda v: datetime.fromtimestamp(v, UTC), encode=lambda o: int(o.timestamp())
    ),
    Wrapped: Codec(Point, decode=Wrapped, encode=lambda o: o.point),
}
ORDER = Order(Money(3), datetime(2020, 1, 1, tzinfo=UTC), Wrapped(Point(5)), [Money(1), Sub(2)])
PLAIN = {"price": 3, "when": 1577836800, "place": {"x": 5}, "prices": [1, 2]}


def test_codecs():
    assert json.decode(json.Encoder(codecs=CODECS).encode(ORDER)) == PLAIN
    assert msgpack.decode(msgpack.encode(ORDER, codecs=CODECS)) == PLAIN
    assert to_builtins(ORDER, codecs=CODECS) == PLAIN
    for made in (
        json.Decoder(Order, codecs=CODECS).decode(json.encode(PLAIN)),
        msgpack.decode(msgpack.encode(PLAIN), type=Order, codecs=CODECS),
        convert(PLAIN, Order, codecs=CODECS),
        convert(ORDER.__struct_fields__ and to_builtins(ORDER, codecs=CODECS), Order, codecs=CODECS),
    ):
        assert (made.price, made.when, made.place.point) == (Money(3), ORDER.when, Point(5))
        assert made.prices == [Money(1), Money(2)]
    assert convert({"price": ORDER.price, "when": ORDER.when}, Order, codecs=CODECS).price is ORDER.price
    properties = json.schema(Order, codecs=CODECS)["$defs"]["Order"]["properties"]
    assert properties["price"] == {"type": "integer", "minimum": 0, "title": "Cents"}
    assert properties["when"] == {"type": "integer"}
    assert json.schema_components([Money], codecs=CODECS)[0][0]["title"] == "Cents"
    assert inspect.type_info(Money, codecs=CODECS).cls is Money


def test_what_codecs_refuse():
    read = json.Decoder(Order, codecs=CODECS).decode
    for text, words in (
        (b'{"price":-1,"when":1}', "Expected `int` >= 0 - at `$.price`"),
        (b'{"price":1,"when":"x"}', "Expected `int`, got `str` - at `$.when`"),
        (b'{"price":1,"when":1,"place":{"x":"a"}}', "Expected `int`, got `str` - at `$.place.x`"),
        (b'{"price":1,"when":1,"place":5}', "Expected `object | null`, got `int` - at `$.place`"),
    ):
        with pytest.raises(ValidationError) as caught:
            read(text)
        assert str(caught.value) == words

    def refuses(value):
        raise ValueError(f"no {value}")

    with pytest.raises(ValidationError, match=r"no 5 - at `\$\[0\]`") as caught:
        json.decode(b"[5]", type=list[Money], codecs={Money: Codec(int, decode=refuses)})
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(
        EncodeError, match=r"Cannot encode an object of type `test_codecs.Money` - at `\$\[0\]`"
    ):
        json.encode([Money(1)], codecs={datetime: CODECS[datetime]})
    for wrong in ({int: Codec(int, encode=str)}, {list[int]: Codec(int, encode=str)}, {Money: 5}, 5):
        with pytest.raises((TypeError, ValueError)):
            json.Encoder(codecs=wrong)
    with pytest.raises(TypeError, match="`decode` must be callable"):
        Codec(int, decode=5)
    with pytest.raises(TypeError, match="stands on the wire as another"):
        json.Decoder(Money | int, codecs=CODECS)


def test_codecs_of_any_value_and_of_values():
    seen = json.decode('[{"a":1},2]', type=list[Money], codecs={Money: Codec(decode=Money)})
    assert [one.cents for one in seen] == [{"a": 1}, 2]
    by_colour = {Money: Codec(Colour, decode=Money)}
    assert json.decode('"r"', type=Money, codecs=by_colour) == Money(Colour.RED)
    with pytest.raises(ValidationError, match="Invalid enum value 'x'"):
        json.decode('"x"', type=Money, codecs=by_colour)


def test_codecs_override_what_is_built_in():
    hexadecimal = {bytes: Codec(str, decode=bytes.fromhex, encode=bytes.hex)}
    assert json.encode(b"\1\2", codecs=hexadecimal) == b'"0102"'
    assert json.decode(b'"0102"', type=bytes, codecs=hexadecimal) == b"\1\2"
    upper = {pathlib.Path: Codec(pathlib.Path, decode=lambda p: p.with_suffix(".x"))}
    assert json.decode('"a.b"', type=pathlib.Path, codecs=upper) == pathlib.Path("a.x")
    assert json.schema(uuid.UUID, codecs={uuid.UUID: Codec(schema={"format": "id"})}) == {
        "type": "string",
        "format": "id",
    }
    assert json.decode('"00000000-0000-0000-0000-000000000001"', type=uuid.UUID, codecs=upper).int == 1


def test_codecs_go_before_hooks():
    assert json.encode([Money(1), STRANGE], codecs=CODECS, enc_hook=lambda o: "hook") == b'[1,"hook"]'
    hook = {"dec_hook": lambda t, o: t(9)}
    assert json.decode("1", type=Money, codecs=CODECS, **hook) == Money(1)
    # What is built in goes before a hook, too.
    assert json.decode('"a"', type=pathlib.Path, **hook) == pathlib.Path("a")
    assert json.encode(pathlib.Path("a"), enc_hook=lambda o: 1) == b'"a"'
    assert json.decode("1", type=Strange, **hook) == Strange(9)


def test_coders_with_codecs_are_pickled():
    codecs = {Money: Codec(int, decode=Money, encode=cents)}
    assert pickle.loads(pickle.dumps(json.Encoder(codecs=codecs))).encode(Money(2)) == b"2"
    assert pickle.loads(pickle.dumps(json.Decoder(Money, codecs=codecs))).decode("2") == Money(2)
    assert repr(Codec(int, encode=str)) == "oxwire.Codec(<class 'int'>, encode=<class 'str'>)"


def test_constraints_of_what_a_codec_makes():
    long = Annotated[Money, Meta(min_length=2)]
    assert json.decode("2", type=long, codecs=CODECS) == Money(2)
    with pytest.raises(ValidationError, match="Expected `Money` of length >= 2"):
        json.decode("1", type=long, codecs=CODECS)
    with pytest.raises(ValidationError, match="Expected `Money` of length >= 2"):
        json.decode("1", type=long, dec_hook=lambda t, o: t(o))
    with pytest.raises(TypeError, match="Can only set `min_length`"):
        json.Decoder(Annotated[Wrapped, Meta(min_length=2)], codecs=CODECS)


def test_what_a_codec_holds_is_collected():
    class Own:
        def __init__(self, value):
            self.value = value

    codecs = {Own: Codec(int, decode=Own, encode=lambda o: o.value)}
    Own.decoder, Own.encoder = json.Decoder(Own, codecs=codecs), json.Encoder(codecs=codecs)
    assert Own.encoder.encode(Own.decoder.decode(b"5")) == b"5"
    gone = weakref.ref(Own)
    del Own, codecs
    gc.collect()
    assert gone() is None
