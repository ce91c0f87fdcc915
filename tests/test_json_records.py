"""Records: namedtuple, TypedDict, dataclass, attrs and pydantic classes, and which attributes are written."""

import collections
import dataclasses
import enum
import functools
import gc
import time
import typing
from dataclasses import InitVar, dataclass, field
from datetime import datetime, timezone
from typing import Any, ClassVar, Generic, NamedTuple, TypedDict, TypeVar
from uuid import UUID

import pytest
from samples import STRANGE

from oxwire import EncodeError, json, msgpack, to_builtins
from oxwire.json import decode, encode

# Tuples with names.


class Point(NamedTuple):
    """Written as an array."""

    x: int
    y: Any = None


def test_namedtuples_are_arrays():
    assert encode(Point(1, Point(2))) == b"[1,[2,null]]"
    pair = collections.namedtuple("pair", "a b")
    assert encode({"p": pair("x", 2)}) == b'{"p":["x",2]}'
    assert encode(collections.namedtuple("none", "")()) == b"[]"
    assert decode(encode(time.gmtime(0)))[:3] == [1970, 1, 1]


class Movie(TypedDict, total=False):
    """It is a dict when it exists."""

    name: str
    year: int


def test_typed_dicts_are_objects():
    assert encode(Movie(name="x", year=1999)) == b'{"name":"x","year":1999}'


# Dataclasses.


@dataclass
class Simple:
    """The usual case."""

    b: int
    a: Any = None


@dataclass(slots=True)
class Slotted:
    """No instance dict."""

    b: int
    a: Any = None


@dataclass(frozen=True)
class Frozen:
    """Cannot be changed."""

    b: int
    a: Any = None


@dataclass(kw_only=True)
class Keyword:
    """Arguments by name only."""

    b: int
    a: Any = None


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Everything:
    """All of it."""

    b: int
    a: Any = None


@pytest.mark.parametrize("kind", [Simple, Slotted, Frozen, Keyword, Everything])
def test_dataclasses(kind):
    assert encode(kind(b=1)) == b'{"b":1,"a":null}'
    assert encode([kind(b=1, a=kind(b=2, a=[kind(b=3)]))]) == b'[{"b":1,"a":{"b":2,"a":[{"b":3,"a":null}]}}]'
    assert encode(kind(b=1, a="é"), indent=2) == '{\n  "b": 1,\n  "a": "é"\n}'.encode()
    for _ in range(3):
        assert (
            encode([kind(b=n) for n in range(3)]) == b'[{"b":0,"a":null},{"b":1,"a":null},{"b":2,"a":null}]'
        )


@dataclass
class Policy:
    """Fields that are written, and attributes that are not."""

    shared: ClassVar[int] = 1
    given: InitVar[int]
    kept: int
    _private: int = 2
    __mangled: int = 3
    hidden: int = field(default=4, repr=False, compare=False, metadata={"any": "thing"})
    late: int = field(init=False)

    def __post_init__(self, given):
        self.late = given * 10
        self.extra = "not a field"

    @functools.cached_property
    def computed(self):
        """Not a field either."""
        return 1

    @property
    def other(self):
        """Nor is this."""
        return 2


def test_which_attributes_are_written():
    value = Policy(5, 6)
    value.ad_hoc = "no field"
    assert value.computed == 1
    assert encode(value) == b'{"kept":6,"_private":2,"_Policy__mangled":3,"hidden":4,"late":50}'


@pytest.mark.parametrize("slots", [False, True])
def test_private_fields_are_read_and_written(slots):
    @dataclass(slots=slots)
    class Data:
        _a: int
        b: int = 2
        _c: int = 3

    attr = pytest.importorskip("attrs", reason="needs attrs")
    made = attr.make_class(
        "Made", {"_a": attr.field(type=int), "b": attr.field(default=2, type=int)}, slots=slots
    )
    for value, written in ((Data(1), {"_a": 1, "b": 2, "_c": 3}), (made(1), {"_a": 1, "b": 2})):
        for format in (json, msgpack):
            assert format.decode(format.encode(value)) == written
            assert format.decode(format.encode(value), type=type(value)) == value
        assert to_builtins(value) == written
        assert list(to_builtins(value)) == list(written)
        assert encode(value, sort=True) == json.encode(dict(sorted(written.items())))
    value = Data(1)
    del value._a
    with pytest.raises(AttributeError):
        encode(value)


def test_what_is_no_field_is_not_built_in_either():
    @dataclass
    class Some:
        shared: ClassVar[int] = 1
        given: InitVar[int] = 2
        kept: int = 3

    assert to_builtins(Some()) == json.decode(encode(Some())) == {"kept": 3}


def test_order_is_that_of_the_definition():
    value = Simple(1, 2)
    del value.b
    value.b = 3
    assert encode(value) == b'{"b":3,"a":2}'
    assert encode({"z": value, "a": 1}, order="sorted").startswith(b'{"a":1,"z":{')


def test_empty_dataclasses():
    @dataclass
    class Empty:
        """No field."""

    @dataclass
    class Private:
        """No field that has a name in public."""

        _a: int = 1

    assert encode(Empty()) == b"{}"
    assert encode([Empty()], indent=2) == b"[\n  {}\n]"
    assert encode([Private()]) == b'[{"_a":1}]'


@dataclass(slots=True)
class SlottedBase:
    """A base without an instance dict."""

    base: int


@dataclass
class OpenChild(SlottedBase):
    """A child with one: the base's field stands in a slot all the same."""

    child: int


@dataclass(slots=True)
class SlottedChild(SlottedBase):
    """A child without one."""

    child: int


@dataclass
class OpenBase:
    """A base with an instance dict."""

    base: int


@dataclass(slots=True)
class SlottedOfOpen(OpenBase):
    """Slots beside an instance dict."""

    child: int


class Undecorated(OpenChild):
    """Inherits its fields and adds none."""

    child_of_child = 3


def test_inheritance_loses_no_field():
    assert encode(OpenChild(1, 2)) == b'{"base":1,"child":2}'
    assert encode(SlottedChild(1, 2)) == b'{"base":1,"child":2}'
    assert encode(SlottedOfOpen(1, 2)) == b'{"base":1,"child":2}'
    undecorated = Undecorated(1, 2)
    undecorated.more = 4
    assert encode(undecorated) == b'{"base":1,"child":2}'


def test_overridden_fields():
    @dataclass
    class Again(OpenBase):
        """A field that is defined again keeps its place."""

        other: int = 2
        base: str = "new"

    assert encode(Again()) == b'{"base":"new","other":2}'


def test_generic_and_made_dataclasses():
    kind = TypeVar("kind")

    @dataclass
    class Box(Generic[kind]):
        """Generic."""

        item: kind

    assert encode(Box[int](1)) == b'{"item":1}'
    made = dataclasses.make_dataclass("Made", [("x", int), ("y", list)])
    assert encode(made(1, [made(2, [])])) == b'{"x":1,"y":[{"x":2,"y":[]}]}'
    wide = dataclasses.make_dataclass("Wide", [(f"field_{n}", int) for n in range(200)])
    assert decode(encode(wide(*range(200)))) == {f"field_{n}": n for n in range(200)}
    foreign = dataclasses.make_dataclass("Foreign", [("été", int), ("名", int)])
    assert encode(foreign(1, 2)) == '{"été":1,"名":2}'.encode()


def test_a_descriptor_can_be_a_field():
    class Doubled:
        """Gives twice what was set."""

        def __set_name__(self, owner, name):
            self.name = "_" + name

        def __get__(self, instance, owner):
            return 0 if instance is None else getattr(instance, self.name) * 2

        def __set__(self, instance, value):
            setattr(instance, self.name, value)

    @dataclass
    class Holder:
        """Reads its field through a descriptor."""

        x: int = Doubled()

    assert encode(Holder(4)) == b'{"x":8}'


def test_a_field_that_raises():
    error = LookupError("mine")

    @dataclass
    class Holder:
        """Its field is a property that fails."""

        x: int

        def read(self):
            raise error

    Holder.x = property(Holder.read, lambda self, value: None)
    with pytest.raises(LookupError) as caught:
        encode([Holder(1)])
    assert caught.value is error


def test_a_class_that_changes_between_instances():
    @dataclass
    class Point:
        """Two fields, one with a default that stands in the class."""

        x: int
        y: int = 0

    point = Point(1, 2)
    assert encode(point) == b'{"x":1,"y":2}'
    Point.x = property(lambda self: 7, lambda self, value: None)
    assert encode(point) == b'{"x":7,"y":2}'
    del Point.x
    assert encode(point) == b'{"x":1,"y":2}'
    Point.__getattribute__ = lambda self, name: 8 if name == "y" else object.__getattribute__(self, name)
    assert encode(point) == b'{"x":1,"y":8}'
    del Point.__getattribute__
    assert encode(point) == b'{"x":1,"y":2}'

    class Default:
        """Becomes a descriptor later."""

    Point.y = Default()
    assert encode(point) == b'{"x":1,"y":2}'
    Default.__get__ = lambda self, instance, owner=None: 9
    Default.__set__ = lambda self, instance, value: None
    assert encode(point) == b'{"x":1,"y":9}'


def test_an_instance_that_changes_its_attributes():
    point = Simple(b=2, a=1)
    point.more = 3
    assert encode(point) == b'{"b":2,"a":1}'
    del point.a
    point.a = 4
    assert encode(point) == b'{"b":2,"a":4}'
    point.__dict__ = {"a": 6, "more": 0, "b": 5}
    assert encode(point) == b'{"b":5,"a":6}'
    for i in range(100):
        setattr(point, f"more{i}", i)
    assert encode(point) == b'{"b":5,"a":6}'


def test_a_missing_field_is_an_error_not_a_loss():
    for kind in (Simple, Slotted):
        value = kind(1, 2)
        del value.b
        with pytest.raises((AttributeError, EncodeError)):
            encode(value)


def test_the_class_itself_is_no_record():
    with pytest.raises(EncodeError):
        encode(Simple)
    assert encode([Simple], enc_hook=lambda kind: kind.__name__) == b'["Simple"]'


def test_a_dict_or_list_that_is_a_dataclass_is_written_somehow():
    @dataclass
    class Both(dict):
        """A dict with fields."""

        x: int = 1

    both = Both()
    both["y"] = 2
    assert decode(encode(both)) in ({"y": 2}, {"x": 1})


def test_values_of_fields_have_paths():
    for kind in (Simple, Slotted):
        with pytest.raises(EncodeError) as caught:
            encode([kind(1, {"k": [STRANGE]})])
        assert caught.value.path == "$[0].a.k[0]"


def test_passthrough_dataclass():
    assert encode(
        [Simple(1), Point(1)], passthrough={"dataclass"}, enc_hook=lambda v: [type(v).__name__]
    ) == (b'[["Simple"],[1,null]]')
    with pytest.raises(EncodeError):
        encode(Simple(1), passthrough={"dataclass"})
    assert (
        encode([Simple(1), Slotted(1)], passthrough={Simple}, enc_hook=lambda v: "hook")
        == b'["hook",{"b":1,"a":null}]'
    )


def test_circles_through_records():
    for kind in (Simple, Slotted):
        value = kind(1)
        value.a = [value]
        with pytest.raises(EncodeError):
            encode(value)


def test_depth_of_records():
    value = None
    for _ in range(1000):
        value = Simple(0, value)
    assert encode(value).count(b"{") == 1000
    with pytest.raises(EncodeError):
        encode(Simple(0, value))


def test_types_that_change_after_their_first_use():
    @dataclass
    class Changing:
        """Gets another field later."""

        a: int

    old = Changing(1)
    assert encode(old) == b'{"a":1}'
    Changing.__dataclass_fields__["b"] = dataclasses.fields(Simple)[0]
    old.b = 2
    assert encode(old) in (b'{"a":1}', b'{"a":1,"b":2}')


def test_many_types_come_and_go():
    # A type's address may be used again for another: what was remembered of the first must not serve it.
    for n in range(300):
        if n % 3 == 0:
            made = dataclasses.make_dataclass("Made", [(f"f{n}", int)])
            assert encode(made(n)) == f'{{"f{n}":{n}}}'.encode()
        elif n % 3 == 1:
            assert encode(enum.Enum("E", {"A": n}).A) == str(n).encode()
        else:
            assert encode(type("T", (), {})(), enc_hook=lambda value, n=n: n) == str(n).encode()
        if n % 50 == 0:
            gc.collect()


# attrs.


def test_attrs():
    attr = pytest.importorskip("attrs", reason="needs attrs")

    @attr.define
    class Slots:
        """Without an instance dict."""

        b: int
        a: Any = None
        _private: int = 5

    @attr.frozen(slots=False)
    class Open:
        """With one."""

        b: int
        a: Any = None

    @attr.define
    class Child(Slots):
        """Inherits."""

        c: int = 3
        d: int = attr.field(init=False, default=4)

    @attr.define(slots=False)
    class OpenChild(Slots):
        """Slots below, a dict above."""

        c: int = 3

    class Undecorated(Child):
        """Inherits its fields."""

    for kind in (Slots, Open):
        private = b',"_private":5' if kind is Slots else b""
        assert encode(kind(1)) == b'{"b":1,"a":null%b}' % private
        assert encode([kind(1, kind(2))]) == b'[{"b":1,"a":{"b":2,"a":null%b}%b}]' % (private, private)
    assert encode(Child(1)) == encode(Undecorated(1)) == b'{"b":1,"a":null,"_private":5,"c":3,"d":4}'
    assert encode(OpenChild(1)) == b'{"b":1,"a":null,"_private":5,"c":3}'
    undecorated = Undecorated(1)
    undecorated.extra = 1
    assert encode(undecorated) == encode(Child(1))
    assert encode(attr.make_class("Made", ["x", "y"])(1, [2])) == b'{"x":1,"y":[2]}'
    assert encode(attr.make_class("Empty", [])()) == b"{}"
    with pytest.raises(EncodeError):
        encode(Slots)
    with pytest.raises(EncodeError) as caught:
        encode({"k": Slots(1, [STRANGE])})
    assert caught.value.path == "$.k.a[0]"
    assert encode([Slots(1)], passthrough={"attrs"}, enc_hook=lambda v: "hook") == b'["hook"]'


def test_attrs_missing_field():
    attr = pytest.importorskip("attrs", reason="needs attrs")

    @attr.define
    class Late:
        """A field that nothing has set."""

        x: int = attr.field(init=False)

    with pytest.raises((AttributeError, EncodeError)):
        encode(Late())


# pydantic.


def test_pydantic():
    pydantic = pytest.importorskip("pydantic", minversion="2", reason="needs pydantic 2")
    pydantic_core = pytest.importorskip("pydantic_core")

    class Item(pydantic.BaseModel):
        """A model in a model."""

        when: datetime
        ident: UUID

    class User(pydantic.BaseModel):
        """Aliases, exclusion, private attributes, computed fields."""

        user_name: str = pydantic.Field(alias="userName")
        out: int = pydantic.Field(default=1, serialization_alias="outName")
        secret: str = pydantic.Field(default="x", exclude=True)
        items: list[Item] = []
        anything: Any = None
        _private: int = 3

        @pydantic.computed_field
        @property
        def shout(self) -> str:
            """Written as well."""
            return self.user_name.upper()

    item = Item(when=datetime(2000, 1, 1, tzinfo=timezone.utc), ident=UUID(int=1))
    user = User(userName="é", items=[item])
    assert decode(encode(user)) == {
        "userName": "é",
        "outName": 1,
        "items": [{"when": "2000-01-01T00:00:00Z", "ident": str(UUID(int=1))}],
        "anything": None,
        "shout": "É",
    }
    assert list(decode(encode(user)))[:2] == ["userName", "outName"]
    # A model says itself how its values stand in JSON; options are about what is not in a model.
    assert encode([item]) == encode([item.model_dump(mode="json", by_alias=True)])
    assert encode({"k": user}, passthrough={"pydantic"}, enc_hook=lambda v: "hook") == b'{"k":"hook"}'
    with pytest.raises(EncodeError):
        encode(User)
    with pytest.raises(pydantic_core.PydanticSerializationError):
        encode({"k": User(userName="x", anything=object())})

    class Sub(User):
        """Inherits."""

        more: int = 2

    assert decode(encode(Sub(userName="y")))["more"] == 2
    assert "secret" not in decode(encode(Sub(userName="y")))


def test_pydantic_dataclasses():
    pydantic = pytest.importorskip("pydantic", minversion="2", reason="needs pydantic 2")

    @pydantic.dataclasses.dataclass
    class Pair:
        """A dataclass that validates."""

        b: int
        a: str = "x"

    assert encode(Pair(b=1)) == b'{"b":1,"a":"x"}'


def test_annotations_that_name_nothing_do_no_harm():
    @dataclass
    class Lazy:
        """Its annotations are never evaluated."""

        x: "NoSuchName"  # noqa: F821
        y: typing.Optional["Lazy"] = None

    assert encode(Lazy(1, Lazy(2))) == b'{"x":1,"y":{"x":2,"y":null}}'
