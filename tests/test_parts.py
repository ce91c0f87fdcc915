"""`include` and `exclude` of encoders: parts of what is written, by the names that stand in the output."""

import pickle
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

import pytest

from oxwire import EncodeError, Struct, computed, field, json, msgpack


class Item(Struct):
    id: int
    price: Decimal = Decimal("1.50")


class Order(Struct, rename="camel"):
    user_name: str
    secret: str = "s"
    items: list[Item] = field(default_factory=lambda: [Item(1), Item(2)])

    @computed
    def total(self) -> int:
        return len(self.items)


@dataclass
class Plain:
    a: object
    b: object = None


ORDER = Order("ann")


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"include": {"userName"}}, {"userName"}),
        ({"include": ["userName", "total"]}, {"userName", "total"}),
        ({"exclude": {"secret", "items"}}, {"userName", "total"}),
        ({"exclude": {"secret": None, "total": True}}, {"userName", "items"}),
        ({"include": {"secret", "total"}, "exclude": ("total",)}, {"secret"}),
        ({"include": set()}, set()),
        ({"include": {"nobody"}}, set()),
        ({"include": {"user_name"}, "by_name": True}, {"user_name"}),
        ({"include": None, "exclude": frozenset()}, {"userName", "secret", "items", "total"}),
    ],
)
@pytest.mark.parametrize("format", [json, msgpack])
def test_names(format, options, names):
    assert format.decode(format.encode(ORDER, **options)).keys() == names
    assert format.decode(format.Encoder(**options).encode([ORDER]))[0].keys() == names


def test_names_inside_of_others():
    assert json.encode(ORDER, include={"items": {"id"}}) == b'{"items":[{"id":1},{"id":2}]}'
    assert json.encode([ORDER], exclude={"items": {"price"}, "secret": None}) == (
        b'[{"userName":"ann","items":[{"id":1},{"id":2}],"total":2}]'
    )
    assert (
        json.encode({"a": (Plain(1, {"x": 1, "y": 2}),)}, include={"a": {"b": ["y"]}})
        == b'{"a":[{"b":{"y":2}}]}'
    )
    assert json.encode([1, "a", None], include={"a"}) == b'[1,"a",null]'


def test_values_are_written_as_ever():
    value = Plain([datetime(2026, 1, 2), UUID(int=1), b"\0", 1.5, 2**60], 1)
    for format in (json, msgpack):
        if format is json:
            value.a[2] = Decimal("1.0")
        whole = format.decode(format.encode(value, naive_utc=True))
        part = format.decode(format.encode(value, naive_utc=True, exclude={"b"}))
        assert part == {"a": whole["a"]}
        assert [*map(type, part["a"])] == [*map(type, whole["a"])]
    assert json.encode(Plain(Decimal("1.0")), include={"a"}, decimal_format="number") == b'{"a":1.0}'


def test_other_options_count_too():
    assert json.encode(Plain(object()), include={"a"}, enc_hook=lambda o: 5) == b'{"a":5}'
    assert json.encode({"b": 1, "a": 2, "c": 3}, exclude={"c"}, order="sorted") == b'{"a":2,"b":1}'
    assert json.encode_lines([ORDER, ORDER], include={"total"}) == b'{"total":2}\n{"total":2}\n'
    into = bytearray(b"..")
    json.Encoder(include={"total"}).encode_into(ORDER, into, 1)
    assert into == b'.{"total":2}'
    assert json.encode(Order("a", secret="t"), omit_defaults=True, exclude={"items"}) == (
        b'{"userName":"a","secret":"t","total":2}'
    )


def test_encoders_with_parts_are_pickled():
    encoder = pickle.loads(pickle.dumps(json.Encoder(include={"total"})))
    assert encoder.encode(ORDER) == b'{"total":2}'


@pytest.mark.parametrize("given", ["userName", 3, {"items": {"id": 3}}])
def test_what_says_no_names_is_refused(given):
    for option in ("include", "exclude"):
        with pytest.raises(TypeError, match=f"`{option}` must be a set of names, or a dict by names"):
            json.Encoder(**{option: given})


def test_faults_have_their_path():
    with pytest.raises(EncodeError, match=r"at `\$\[0\].a`"):
        json.encode([Plain(object())], include={"a"})
    with pytest.raises(EncodeError, match=r"at `\$.a`"):
        json.encode(Plain(float("nan")), include={"a"})
    # What is left out is not excused.
    with pytest.raises(EncodeError):
        json.encode(Plain(1, object()), include={"a"})

    def raising(o):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        json.encode(Plain(object()), include={"a"}, enc_hook=raising)
