"""What a call or a codec says of Structs whatever their classes say; partial classes, and what they change."""

import pytest

from oxwire import (
    UNSET,
    Struct,
    ValidationError,
    computed,
    convert,
    field,
    json,
    msgpack,
    structs,
    to_builtins,
)


class Inner(Struct, rename="camel"):
    zip_code: str = ""
    street: str | None = None


class User(Struct, rename="camel"):
    first_name: str
    home: Inner | None = None
    tags: list[str] = []

    @computed
    def name_length(self):
        return len(self.first_name)


ADA = User("Ada", Inner("1"))


@pytest.mark.parametrize("codec", [json, msgpack])
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"firstName": "Ada", "home": {"zipCode": "1", "street": None}, "tags": [], "nameLength": 3}),
        ({"omit_defaults": True}, {"firstName": "Ada", "home": {"zipCode": "1"}, "nameLength": 3}),
        ({"omit_none": True}, {"firstName": "Ada", "home": {"zipCode": "1"}, "tags": [], "nameLength": 3}),
        (
            {"by_name": True},
            {"first_name": "Ada", "home": {"zip_code": "1", "street": None}, "tags": [], "name_length": 3},
        ),
        (
            {"by_name": True, "omit_defaults": True, "omit_none": False},
            {"first_name": "Ada", "home": {"zip_code": "1"}, "name_length": 3},
        ),
    ],
)
def test_what_is_written(codec, options, expected):
    assert codec.decode(codec.encode(ADA, **options)) == expected == to_builtins(ADA, **options)
    assert codec.decode(codec.Encoder(**options).encode([ADA])) == [expected]


def test_none_in_dicts_is_written():
    assert json.encode({"a": None}, omit_none=True) == b'{"a":null}'


def test_with_an_order():
    expected = b'{"firstName":"Ada","home":{"zipCode":"1"},"nameLength":3,"tags":[]}'
    assert json.encode(ADA, omit_none=True, order="sorted") == expected


@pytest.mark.parametrize("name", ["omit_defaults", "omit_none", "by_name"])
def test_they_are_bools(name):
    with pytest.raises(TypeError, match=name):
        json.encode(1, **{name: 1})


@pytest.mark.parametrize("codec", [json, msgpack])
def test_reading_by_names(codec):
    data = codec.encode(ADA, by_name=True)
    assert codec.decode(data, type=User, by_name=True) == ADA
    assert codec.Decoder(User, by_name=True).decode(data) == ADA
    assert codec.Decoder(by_name=True, type=list[User]).decode(codec.encode([ADA], by_name=True)) == [ADA]
    with pytest.raises(ValidationError, match="`first_name`"):
        codec.decode(codec.encode(ADA), type=User, by_name=True)
    # The type is remembered either way.
    assert codec.decode(codec.encode(ADA), type=User) == ADA


def test_converting_by_names():
    assert convert(to_builtins(ADA, by_name=True), User, by_name=True) == ADA


class Closed(Struct, forbid_unknown_fields=True):
    a: int


class Open(Struct):
    a: int
    inner: list[Closed] = []


def test_unknown_fields():
    data = b'{"a":1,"inner":[{"a":2,"x":3}]}'
    with pytest.raises(ValidationError, match="`x` - at `\\$.inner\\[0\\]`"):
        json.decode(data, type=Open)
    assert json.decode(data, type=Open, forbid_unknown_fields=False) == Open(1, [Closed(2)])
    with pytest.raises(ValidationError, match="`y`"):
        json.decode(b'{"a":1,"y":1}', type=Open, forbid_unknown_fields=True)
    assert json.decode(b'{"a":1,"y":1}', type=Open, forbid_unknown_fields=None) == Open(1)
    with pytest.raises(ValidationError, match="`y`"):
        json.Decoder(Open, forbid_unknown_fields=True).decode(b'{"a":1,"y":1}')
    with pytest.raises(ValidationError, match="`y`"):
        convert({"a": 1, "y": 1}, Open, forbid_unknown_fields=True)


def test_partial():
    cls = structs.partial(User)
    assert cls is structs.partial(User)
    assert cls.__name__ == "PartialUser"
    one = json.decode(b'{"firstName":"Bob"}', type=cls)
    assert (one.first_name, one.home, one.tags) == ("Bob", UNSET, UNSET)
    assert json.encode(one) == b'{"firstName":"Bob"}'
    assert structs.patch(ADA, one) == User("Bob", Inner("1"))


def test_nested_partial():
    cls = structs.partial(User, nested=True)
    change = json.decode(b'{"home":{"street":"Main"}}', type=cls)
    assert structs.patch(ADA, change) == User("Ada", Inner("1", "Main"))
    assert structs.patch(User("Bob"), change) == User("Bob", Inner("", "Main"))
    assert structs.patch(ADA, json.decode(b'{"home":null}', type=cls)) == User("Ada")


def test_partial_of_other_options():
    class Tagged(Struct, tag="t", forbid_unknown_fields=True, frozen=True):
        a: int = field(alias="b")
        c: int = field(init=False, default=3)

    cls = structs.partial(Tagged)
    assert json.decode(b'{"type":"t","b":1}', type=cls) == cls(a=1)
    assert hash(cls(a=1)) == hash(cls(a=1))
    with pytest.raises(ValidationError):
        json.decode(b'{"type":"t","z":1}', type=cls)
    with pytest.raises(TypeError):
        structs.partial(int)
