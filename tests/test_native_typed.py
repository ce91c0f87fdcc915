"""Reading the native format by type; names of earlier days, what is not known, limits and profiles."""

import enum
import io
import re
import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import Annotated, Any, NamedTuple, TypedDict

import pytest
from soon import ends_soon

from oxwire import DecodeError, Meta, Struct, Validate, ValidationError, native


@native.register("typed.node")
class Node(Struct):
    name: str
    next: "Node | None" = None
    tags: list[str] = []


@native.register("typed.user")
@dataclass
class User:
    name: Annotated[str, Meta(min_length=2)]
    friends: list["User"] = field(default_factory=list)
    at: datetime | None = None

    def __post_init__(self):
        self.ran = True


@native.register("typed.frozen")
@dataclass(frozen=True, slots=True)
class Frozen:
    values: tuple[int, ...]


@native.register("typed.colour")
class Colour(enum.Enum):
    RED = 1


class Place(TypedDict):
    x: int


class Pair(NamedTuple):
    a: int
    b: str


def there(value, kind, **options):
    return native.decode(native.encode(value), type=kind, **options)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ([1, 2.5, "a", None], list[int | float | str | None]),
        ({"a": {1, 2}, "b": set()}, dict[str, set[int]]),
        ((1, "a", b"b"), tuple[int, str, bytes]),
        ({(1, 2): frozenset({"a"})}, dict[tuple[int, int], frozenset[str]]),
        ([PurePosixPath("a"), 1 + 2j, range(3), 2**100], list[Any]),
        (PurePosixPath("/a/b"), PurePosixPath),
        (datetime(2026, 1, 1, tzinfo=UTC), datetime),
        (OrderedDict(b=1, a=2), OrderedDict[str, int]),
        ([Colour.RED], list[Colour]),
        ({"x": 1}, Place),
        (bytearray(b"a"), bytearray),
    ],
)
def test_values_are_of_the_type(value, kind):
    again = there(value, kind)
    assert again == value
    assert type(again) is type(value)


def test_builtin_values_become_what_the_type_says():
    assert there({"name": "a", "next": {"name": "b"}}, Node) == Node("a", Node("b"))
    assert there([{"name": "Ann"}], list[User]) == [User("Ann")]
    assert there([1, "a"], Pair) == Pair(1, "a")
    assert there(["1"], list[int], strict=False) == [1]
    assert there({"name": "a", "more": 1}, Node) == Node("a")
    with pytest.raises(ValidationError, match="unknown field `more`"):
        there({"name": "a", "more": 1}, Node, forbid_unknown_fields=True)
    assert there("5", complex, dec_hook=lambda kind, o: None) == 5


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        ([1, "a"], list[int], "Expected `int`, got `str` - at `$[1]`"),
        (1, str, "Expected `str`, got `int`"),
        ([Node("a", Node(1))], list[Node], "Expected `str`, got `int` - at `$[0].next.name`"),
        ({"k": [Node("a", tags=["b", 2])]}, Any, "Expected `str`, got `int` - at `$.k[0].tags[1]`"),
        ([User("Ann", [User("B")])], list[User], "Expected `str` of length >= 2 - at `$[0].friends[0].name`"),
        ([User("Ann", at="then")], Any, "Invalid RFC3339 encoded datetime - at `$[0].at`"),
        ({Frozen((1, "a"))}, set[Frozen], "Expected `int`, got `str` - at `$[...].values[1]`"),
        (User("Ann"), Node, "Expected `object`, got `User`"),
    ],
)
def test_what_is_not_of_the_type(value, kind, words):
    with pytest.raises(ValidationError) as raised:
        there(value, kind)
    assert str(raised.value) == words
    assert raised.value.path == (words.split("`")[-2] if " at " in words else "$")


def test_objects_stay_the_objects_that_they_are():
    ann, bob = User("Ann"), Node("Bob")
    ann.friends += [ann, ann]
    bob.next = bob
    one, two, three = there([ann, ann, bob], tuple[User, User, Node])
    assert one is two
    assert one.friends[0] is one
    assert three.next is three


def test_fields_are_converted_in_place():
    again = there([Node("a", tags=("b",)), Frozen([1, 2])], list[Any])
    assert again[0].tags == ["b"]
    assert again[1] == Frozen((1, 2))


def test_no_code_of_a_registered_class_runs():
    assert not hasattr(there(User("Ann"), User), "ran")


def test_validators_run():
    @dataclass
    class Even:
        n: Annotated[int, Validate(lambda n: n % 2 == 0, message="Not even")]

    data = native.encode(Even(3), registry=[Even])
    assert native.decode(data, registry=[Even]) == Even(3)
    with pytest.raises(ValidationError, match="Not even - at `\\$.n`"):
        native.decode(data, registry=[Even], type=Even)


def test_a_type_that_cannot_be_is_refused_at_once():
    with pytest.raises(TypeError, match="pattern"):
        native.Decoder(type=Annotated[int, Meta(pattern="a")])
    with pytest.raises(TypeError, match="unexpected keyword argument `strict` without `type`"):
        native.Decoder(strict=False)
    with pytest.raises(TypeError, match="unexpected keyword argument `ext_hook`"):
        native.Decoder(type=int, ext_hook=print)


def test_prefixes_streams_and_buffers_have_types_too(tmp_path):
    assert native.decode_prefix(native.encode([1]) + b"x", type=tuple[int, ...]) == ((1,), 3)
    file = tmp_path / "a.oxn"
    with native.FileWriter(file) as writer:
        writer.write({"name": "a"})
    assert list(native.read(file, type=Node)) == [Node("a")]
    if find_spec("numpy"):
        import numpy as np

        data, buffers = native.encode([np.arange(9)], collect_buffers=True)
        [array] = native.decode(data, type=list[np.ndarray], buffers=buffers)
        assert np.shares_memory(array, buffers[0])


def test_one_decoder_in_many_threads():
    decoder = native.Decoder(type=list[Node])
    data = native.encode([Node(str(i)) for i in range(50)])
    wrong = native.encode([Node("a"), Node(1)])
    seen = []

    def read():
        for _ in range(50):
            seen.append(decoder.decode(data)[49].name == "49")
            with pytest.raises(ValidationError, match=r"at `\$\[1\].name`"):
                decoder.decode(wrong)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 200


# Names of earlier days, and what is not known


def test_names_of_earlier_days():
    @dataclass
    class Old:
        called: str
        age: int

    @native.register("typed.person", aliases=("typed.man", 7), renamed={"called": "name"})
    @dataclass
    class Person:
        age: int
        name: str = "?"

    for name in ("typed.man", 7, "typed.person"):
        data = native.encode([Old("Ann", 3)], registry={name: Old})
        assert native.decode(data) == [Person(3, "Ann")]
    assert b"typed.person" in native.encode(Person(1))
    # Fields are found by those names in registries of a decoder's own too.
    assert native.decode(native.encode(Old("a", 1), registry=[Old]), registry=[Person]) == Person(1, "a")


def test_one_field_under_two_names():
    @dataclass
    class Both:
        a: int
        b: int

    @native.register("typed.both", renamed={"b": "a"})
    @dataclass
    class One:
        a: int

    with pytest.raises(DecodeError, match="has a field twice, under two names"):
        native.decode(native.encode(Both(1, 2), registry={"typed.both": Both}))


def test_names_are_several():
    with pytest.raises(TypeError, match="`aliases` must be several names"):
        native.register("typed.one", aliases="old")
    again = native.register("typed.again", aliases=(f"typed.again{i}" for i in range(2)))(
        type("Again", (), {})
    )
    assert type(native.decode(native.encode(again(), registry={"typed.again1": again}))) is again


def test_names_are_not_taken_twice():
    with pytest.raises(ValueError, match="is the name of another class"):
        native.register("typed.other", aliases=["typed.user"])(Pair)


@pytest.mark.parametrize("base", [Struct, object])
def test_fields_that_a_class_does_not_have(base):
    old = native.encode(User("Ann"))
    less = type("Less", (base,), {"__annotations__": {"name": str}, "__module__": __name__})
    if base is object:
        less = dataclass(less)
    with pytest.raises(DecodeError, match="has no field 'friends'"):
        native.decode(old, registry={"typed.user": less})
    assert native.decode(old, registry={"typed.user": less}, extra="ignore") == less("Ann")


def test_fields_that_a_namedtuple_does_not_have():
    class More(NamedTuple):
        b: str
        c: int
        a: int

    data = native.encode(More("b", 3, 1), registry=[More])
    assert native.decode(data, registry=[Pair], extra="ignore") == Pair(1, "b")


def test_what_is_not_known_is_carried_along():
    a = User("Ann")
    a.friends.append(a)
    a.at = {Colour.RED: [Colour.RED, a], "n": Node("x")}
    data = native.encode([a, a, Frozen((1,))])
    one, two, frozen = native.decode(data, registry=[], unknown="keep")
    assert one is two
    assert (one.kind, one.name, one.version, one.fields) == (0, "typed.user", 0, ("name", "friends", "at"))
    assert one.values[1][0] is one
    assert frozen.values == ((1,),)
    assert repr(frozen) == "Unknown('typed.frozen', {'values': (1,)})"
    assert native.encode([one, two, frozen]) == data
    # Also by way of another decoder, which knows some of them.
    again = native.decode(data, registry={"typed.frozen": Frozen}, unknown="keep")
    assert again[2] == Frozen((1,))
    assert native.encode(again, registry={"typed.frozen": Frozen}) == data
    with pytest.raises(DecodeError, match="no class registered"):
        native.decode(data, registry=[])


def test_a_type_of_the_standard_library_that_is_not_known():
    data = bytes.fromhex("b0 41 12 27 05 00")
    with pytest.raises(DecodeError, match="no type of the standard library with the code 0x27"):
        native.decode(data)
    [one] = native.decode(data, unknown="keep")
    assert (one.kind, one.name, one.values) == (None, 0x27, ({},))
    assert native.encode([one]) == data
    with pytest.raises(DecodeError):
        native.decode(bytes.fromhex("b0 12 80 58"), unknown="keep")


def test_patterns():
    for pattern in (re.compile("a+"), re.compile(b"(?i)x", re.DOTALL)):
        data = native.encode(pattern)
        assert native.decode(data, patterns=True) == pattern
        with pytest.raises(DecodeError, match="only with `patterns=True`"):
            native.decode(data)
    with pytest.raises(DecodeError, match="says nothing that exists"):
        native.decode(bytes.fromhex("b0 12 16 4a 21 28 e0"), patterns=True)


# Limits


def test_memory_is_asked_for_before_it_is_taken():
    many = native.encode([set() for _ in range(1000)])
    native.decode(many)
    with pytest.raises(DecodeError, match="beyond a limit"):
        native.decode(many, max_memory=100_000)
    numbers = native.encode(list(range(10_000)))
    with pytest.raises(DecodeError, match="beyond a limit"):
        native.decode(numbers, max_memory=100_000)
    with pytest.raises(DecodeError, match="beyond a limit"):
        native.decode(native.encode("a" * 1000), max_memory=100)
    with pytest.raises(DecodeError, match="beyond a limit"):
        native.decode(native.encode(None), max_memory=0)
    assert native.decode(native.encode("a" * 1000), max_memory=5000) == "a" * 1000


def test_profiles():
    deep = native.encode(eval("[" * 90 + "]" * 90))
    deeper = None
    for _ in range(2000):
        deeper = [deeper]
    deeper = native.encode(deeper, max_depth=3000)
    big = native.encode(1 << 8 * 2000)
    for profile, taken in (("strict", 1), ("safe", 2), ("trusted", 3)):
        read = [0, 0, 0]
        for i, data in enumerate((deep, big, deeper)):
            try:
                native.decode(data, profile=profile)
                read[i] = 1
            except DecodeError:
                pass
        assert sum(read) == taken
    native.decode(deeper, profile="strict", max_depth=3000)
    with pytest.raises(ValueError, match="`profile` must be one of safe, strict, trusted"):
        native.decode(b"", profile="fast")
    with pytest.raises(ValueError, match='`unknown` must be "forbid" or "keep", got True'):
        native.decode(b"", unknown=True)


@pytest.mark.skipif(sys.platform == "win32", reason="needs the zones of the system")
def test_zones_are_counted():
    from zoneinfo import ZoneInfo, available_timezones

    zones = [ZoneInfo(key) for key in sorted(available_timezones())[:65]]
    if len(zones) < 65:
        pytest.skip("the system has fewer zones than the limit")
    with pytest.raises(DecodeError, match="beyond a limit"):
        native.decode(native.encode(zones))
    assert native.decode(native.encode(zones[:64] * 3, memoize=False)) == zones[:64] * 3


def test_options_that_are_wrong_are_named_by_the_function():
    with pytest.raises(TypeError, match=r"^encode\(\) got an unexpected keyword argument 'foo'"):
        native.encode(1, foo=2)
    with pytest.raises(TypeError, match="unexpected keyword argument `foo`"):
        native.decode(b"", foo=2)
    with pytest.raises(TypeError, match=r"^decode\(\) got an unexpected keyword argument 'foo'"):
        native.Decoder(type=int).decode(b"", foo=2)


def test_registries_may_change_between_calls():
    known = {}
    data = native.encode(User("Ann"))
    with pytest.raises(DecodeError):
        native.decode(data, registry=known)
    known["typed.user"] = User
    assert native.decode(data, registry=known) == User("Ann")


CALLED = []


@native.register("test.typed.counted")
@dataclass
class Counted:
    name: str
    inside: object = None

    def __post_init__(self):
        CALLED.append(self.name)
        if self.name == "bad":
            raise LookupError("not this one")


@native.register("test.typed.struct")
class CountedStruct(Struct, frozen=True):
    name: str
    inside: object = None

    def __post_init__(self):
        CALLED.append(self.name)


def called(data, **options):
    CALLED.clear()
    value = native.decode(data, **options)
    return value, [*CALLED]


def test_post_init_is_called_where_it_is_asked_for():
    shared = Counted("shared")
    inner = CountedStruct("inner", [shared, {"key": shared}, (Counted("in a tuple"),)])
    data = native.encode([Counted("outer", inner), shared])
    assert called(data)[1] == []
    for options in ({}, {"type": list[Counted]}, {"profile": "strict"}):
        value, names = called(data, post_init=True, **options)
        # Once each, what is inside first.
        assert names == ["shared", "in a tuple", "inner", "outer"]
        assert value[0].inside.inside[0] is value[1]
    CALLED.clear()
    assert native.decode_prefix(data + b"\xff", post_init=True)[1] == len(data)
    assert len(CALLED) == 4


def test_post_init_in_cycles_and_over_many_messages():
    one = Counted("one")
    one.inside = CountedStruct("two", one)
    decoder = native.Decoder(post_init=True)
    data = native.encode(one)
    for _ in range(3):
        CALLED.clear()
        value = decoder.decode(data)
        assert value.inside.inside is value
        assert sorted(CALLED) == ["one", "two"]
    file = io.BytesIO()
    with native.FileWriter(file) as writer:
        writer.write(one)
        writer.write([Counted("three")])
    file.seek(0)
    CALLED.clear()
    assert len([*native.read(file, post_init=True)]) == 2
    assert sorted(CALLED) == ["one", "three", "two"]


def test_what_post_init_raises_comes_out():
    made = object.__new__(Counted)
    made.name, made.inside = "bad", None
    decoder = native.Decoder(post_init=True)
    for _ in range(2):
        with pytest.raises(LookupError, match="not this one"):
            decoder.decode(native.encode([made]))
    assert decoder.decode(native.encode(Counted("good"))).name == "good"


def test_post_init_of_attrs_classes():
    attrs = pytest.importorskip("attrs")

    @attrs.define
    class Point:
        x: int
        total: int = 0

        def __attrs_post_init__(self):
            self.total = self.x + 1

        def __post_init__(self):
            raise AssertionError("attrs has no such method")

    registry = {"point": Point}
    made = Point(1)
    made.total = 0
    data = native.encode(made, registry=registry)
    assert native.decode(data, registry=registry).total == 0
    assert native.decode(data, registry=registry, post_init=True).total == 2


def test_all_faults_are_found():
    shared = User("x")
    value = {
        "users": [User("Ann", [shared, "Bob"], 5), shared, Node("n", None, [1, "two", 3.5])],
        "more": [User("")],
    }
    data = native.encode(value)
    with pytest.raises(ValidationError) as caught:
        native.decode(data, type=dict[str, list[User]], errors="all")
    error = caught.value
    found = {one["path"]: (one["code"], one["loc"]) for one in error.errors()}
    assert found == {
        "$.users[1].name": ("length", ("users", 1, "name")),
        "$.users[0].friends[1]": ("type", ("users", 0, "friends", 1)),
        "$.users[0].at": ("type", ("users", 0, "at")),
        "$.users[2].tags[0]": ("type", ("users", 2, "tags", 0)),
        "$.users[2].tags[2]": ("type", ("users", 2, "tags", 2)),
        "$.more[0].name": ("length", ("more", 0, "name")),
        "$[...][2]": ("type", ("users", 2)),
    }
    lines = str(error).splitlines()
    assert len(lines) == len(found) == len(error.pydantic_errors())
    assert all(line.endswith(f"`{path}`") for line, path in zip(lines, found, strict=True))
    # The first alone, in the same words.
    with pytest.raises(ValidationError) as caught:
        native.decode(data, type=dict[str, list[User]])
    assert str(caught.value) == lines[0]
    assert [one["path"] for one in caught.value.errors()] == [next(iter(found))]


def test_all_faults_are_at_most_a_hundred():
    data = native.encode([User("x", at=1) for _ in range(20_000)])
    with ends_soon(), pytest.raises(ValidationError) as caught:
        native.decode(data, type=list[User], errors="all")
    assert len(caught.value.errors()) == 100
    assert str(caught.value).endswith("... and perhaps more")
    with pytest.raises(ValueError, match="errors"):
        native.decode(data, type=list[User], errors="some")
    with pytest.raises(TypeError, match="without `type`"):
        native.decode(data, errors="all")


def doubled(times):
    value = [1]
    for _ in range(times):
        value = [value, value]
    return native.encode(value)


def test_what_is_large_along_all_paths_is_refused_where_that_is_asked():
    data = doubled(60)
    assert len(data) < 300
    native.decode(data)
    native.decode(data, profile="trusted")
    for options in ({"profile": "strict"}, {"max_expanded": 1000}, {"max_expanded": 1 << 61}):
        with pytest.raises(DecodeError, match="along all paths"):
            native.decode(data, **options)
    assert native.decode(data, profile="strict", max_expanded=1 << 62)
    # As many as there are: of 4 doublings 16 lists of an item, and those that hold them.
    native.decode(doubled(4), max_expanded=47)
    with pytest.raises(DecodeError, match="more than 46 parts"):
        native.decode(doubled(4), max_expanded=46)


def test_texts_count_by_their_length_and_cycles_once():
    text = "x" * 160_000
    data = native.encode([text] * 100)
    native.decode(data, max_expanded=1_100_000)
    with pytest.raises(DecodeError, match="along all paths"):
        native.decode(data, max_expanded=1_000_000)
    node = Node("a", tags=["b"])
    node.next = node
    held = {"node": node, ("k", 1): {1, 2.5}, "at": datetime(2026, 11, 23, tzinfo=UTC)}
    held["self"] = held
    found = native.decode(native.encode([held, held]), max_expanded=60)
    assert found[0]["self"] is found[1]
    assert native.decode(native.encode(OrderedDict(a=(1, frozenset([2])))), max_expanded=10, type=dict) == {
        "a": (1, frozenset([2]))
    }
