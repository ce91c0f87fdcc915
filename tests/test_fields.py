"""Fields of Structs beyond a type and a default: further names, left out, private, computed, flattened, and unknown keys that are kept."""

import copy
import gc
import pickle
from typing import Any

import pytest

import oxwire
from oxwire import (
    UNSET,
    EncodeError,
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

FORMATS = (json, msgpack)


class Named(Struct):
    user_name: str = field(name="userName", alias=["user_name", "login"])
    age: int = field(default=0, alias="years")


@pytest.mark.parametrize("key", ["userName", "user_name", "login"])
@pytest.mark.parametrize("codec", FORMATS)
def test_every_name_is_read(codec, key):
    data = codec.encode({key: "ada", "years": 36})
    assert Named("ada", 36) == codec.decode(data, type=Named) == convert({key: "ada", "years": 36}, Named)


def test_one_name_is_written():
    assert json.encode(Named("ada", 36)) == b'{"userName":"ada","age":36}'


def test_of_two_names_the_last_counts():
    assert json.decode(b'{"userName":"a","login":"b"}', type=Named) == Named("b")
    with pytest.raises(oxwire.DecodeError, match="twice|[Dd]uplicate"):
        json.decode(b'{"userName":"a","login":"b"}', type=Named, duplicate_keys="error")


def test_the_name_is_what_errors_say():
    with pytest.raises(ValidationError) as e:
        json.decode(b'{"login":1}', type=Named)
    assert e.value.path == "$.userName"


def test_names_that_collide():
    with pytest.raises(ValueError, match="both called 'b'"):

        class _(Struct):
            a: int = field(alias="b")
            b: int


def test_an_alias_that_is_a_tag():
    with pytest.raises(ValueError, match="both called 'type'"):

        class _(Struct, tag=True):
            a: int = field(alias="type")


@pytest.mark.parametrize("alias", [1, [1], (b"x",)])
def test_an_alias_is_text(alias):
    with pytest.raises(TypeError):
        field(alias=alias)


def test_aliases_are_inherited_unless_declared_again():
    class Sub(Named):
        age: int = 1

    assert json.decode(b'{"login":"x","years":3}', type=Sub) == Sub("x", 1)


class Secret(Struct):
    name: str
    password: str = field(default="", exclude=True)


def test_excluded_fields_are_read_and_not_written():
    one = json.decode(b'{"name":"a","password":"p"}', type=Secret)
    assert one.password == "p"
    assert json.encode(one) == b'{"name":"a"}'
    assert msgpack.decode(msgpack.encode(one)) == to_builtins(one) == {"name": "a"}
    assert json.encode(one, order="sorted") == b'{"name":"a"}'


def test_excluded_fields_in_containers():
    assert json.encode([{"x": (Secret("a"),)}]) == b'[{"x":[{"name":"a"}]}]'


@pytest.mark.parametrize("said", [{"exclude": True}, {"init": False}, {"flatten": True}])
def test_arrays_have_no_gaps(said):
    with pytest.raises(ValueError, match="array_like"):

        class _(Struct, array_like=True):
            a: dict = field(default_factory=dict, **said)


class Counted(Struct):
    base: int
    total: int = field(init=False, default=0)
    unset: int = field(init=False)

    def __post_init__(self):
        self.total = self.base * 2


def test_no_argument():
    assert Counted(2).total == 4
    assert Counted(2).unset is UNSET
    assert Counted.__match_args__ == ("base",)
    with pytest.raises(TypeError, match="Unexpected keyword argument 'total'"):
        Counted(2, total=3)
    with pytest.raises(TypeError, match="Unexpected keyword argument 'unset'"):
        Counted(base=1, unset=1)


def test_what_is_no_argument_is_written_and_not_read():
    data = json.encode(Counted(2))
    assert data == b'{"base":2,"total":4}'
    assert json.decode(
        b'{"base":3,"total":"x","unset":5}', type=Counted, forbid_unknown_fields=True
    ) == Counted(3)


def test_what_is_no_argument_is_copied_and_pickled():
    one = Counted(2)
    one.total = 9
    assert copy.copy(one).total == pickle.loads(pickle.dumps(one)).total == 9


class Private(Struct):
    a: int
    _cache: dict = field(default_factory=dict, private=True)
    _bare: Any = field(private=True)


def test_private_fields_are_no_fields():
    one = Private(1)
    assert Private.__struct_fields__ == ("a",)
    assert one._cache == {}
    one._cache["x"] = 1
    one._bare = one
    assert one == Private(1)
    assert repr(one) == "Private(a=1)"
    assert json.encode(one) == b'{"a":1}'
    assert structs.asdict(one) == {"a": 1}
    assert copy.copy(one)._bare is one
    assert pickle.loads(pickle.dumps(one)) == one
    assert structs.replace(one, a=2)._cache == {}


def test_private_fields_are_anew_and_not_read():
    one, other = json.decode(b'[{"a":1,"_cache":{"x":1}},{"a":1}]', type=list[Private])
    assert one._cache == {} == other._cache
    assert one._cache is not other._cache
    with pytest.raises(AttributeError):
        one._bare  # noqa: B018 - it has no value yet
    with pytest.raises(ValidationError, match="unknown field `_cache`"):
        json.decode(b'{"a":1,"_cache":{}}', type=Private, forbid_unknown_fields=True)


def test_private_fields_can_be_set_on_what_is_frozen():
    class Frozen(Struct, frozen=True, cache_hash=True):
        a: int
        _seen: int = field(default=0, private=True)

    one = Frozen(1)
    one._seen = 5
    assert (one._seen, hash(one)) == (5, hash(Frozen(1)))
    with pytest.raises(AttributeError):
        one.a = 2
    del one._seen
    with pytest.raises(AttributeError):
        del one._seen


def test_private_fields_are_inherited():
    class Sub(Private):
        b: int = 2
        _own: int = field(default=7, private=True)

    one = Sub(1)
    assert (one.b, one._own, one._cache, Sub.__struct_fields__) == (2, 7, {}, ("a", "b"))


def test_a_cycle_through_a_private_field_is_collected():
    class Node(Struct, weakref=True):
        a: int
        _up: Any = field(default=None, private=True)

    import weakref

    one = Node(1)
    one._up = one
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None


def test_frozen_fields():
    class User(Struct):
        id: int = field(frozen=True)
        name: str = ""

    one = User(1)
    one.name = "x"
    with pytest.raises(AttributeError, match="immutable field: 'id'"):
        one.id = 2
    with pytest.raises(AttributeError):
        del one.id
    assert structs.replace(one, id=3) == User(3, "x")


class Rect(Struct, rename="camel"):
    side_a: int
    side_b: int

    @computed
    def the_area(self) -> int:
        return self.side_a * self.side_b

    @computed(name="P")
    def perimeter(self) -> int:
        return 2 * (self.side_a + self.side_b)


@pytest.mark.parametrize("codec", FORMATS)
def test_computed_fields_are_written(codec):
    one = Rect(2, 3)
    assert (
        codec.decode(codec.encode(one)) == {"sideA": 2, "sideB": 3, "theArea": 6, "P": 10} == to_builtins(one)
    )
    assert codec.decode(codec.encode(one), type=Rect, forbid_unknown_fields=True) == one


def test_computed_fields_are_properties():
    assert Rect(2, 3).the_area == 6
    with pytest.raises(AttributeError):
        Rect(2, 3).the_area = 1


def test_computed_fields_are_inherited_and_replaced():
    class Square(Rect):
        @computed
        def more(self):
            return UNSET

        @property
        def perimeter(self):
            return 0

    assert json.encode(Square(2, 2)) == b'{"sideA":2,"sideB":2,"theArea":4}'


def test_what_computing_raises_comes_out():
    class Bad(Struct):
        @computed
        def x(self):
            raise LookupError("no")

    with pytest.raises(LookupError):
        json.encode([Bad()])
    with pytest.raises(LookupError):
        to_builtins([Bad()])


def test_computing_may_change_the_instance():
    class Odd(Struct):
        a: Any
        b: Any

        @computed
        def x(self):
            self.a = self.b = None
            gc.collect()
            return "x"

    assert json.encode([Odd(["a" * 9], {"b": "c"})]) == b'[{"a":["aaaaaaaaa"],"b":{"b":"c"},"x":"x"}]'


class Page(Struct):
    size: int
    token: str = ""


class Query(Struct):
    text: str
    page: Page = field(flatten=True)
    rest: dict[str, int] = field(flatten=True)


@pytest.mark.parametrize("codec", FORMATS)
def test_flattened(codec):
    one = Query("q", Page(3), {"x": 1, "y": 2})
    plain = {"text": "q", "size": 3, "token": "", "x": 1, "y": 2}
    assert codec.decode(codec.encode(one)) == plain == to_builtins(one)
    assert codec.decode(codec.encode(one), type=Query) == one == convert(plain, Query)
    assert codec.decode(codec.encode({"size": 3, "text": "q"}), type=Query) == Query("q", Page(3), {})


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"text":"q"}', "Object missing required field `size`"),
        (b'{"text":"q","size":"x"}', "Expected `int`, got `str` - at `$.size`"),
        (b'{"text":"q","size":1,"z":[]}', "Expected `int`, got `array` - at `$.z`"),
    ],
)
def test_flattened_errors(data, words):
    with pytest.raises(ValidationError) as e:
        json.decode(data, type=Query)
    assert str(e.value) == words


def test_flattened_that_may_be_missing():
    class Maybe(Struct):
        a: int
        page: Page | None = field(default=None, flatten=True)

    assert json.decode(b'{"a":1}', type=Maybe) == Maybe(1)
    assert json.decode(b'{"a":1,"size":2}', type=Maybe) == Maybe(1, Page(2))
    assert json.encode(Maybe(1)) == b'{"a":1}'
    with pytest.raises(ValidationError, match="`size`"):
        json.decode(b'{"a":1,"token":"t"}', type=Maybe)


def test_flattened_in_what_is_flattened():
    class Inner(Struct):
        x: list[int]
        page: Page = field(flatten=True)

    class Outer(Struct, tag=True):
        inner: Inner = field(flatten=True)
        y: int = 0

    one = Outer(Inner([1], Page(2)))
    assert (
        json.encode(one)
        == b'{"type":"%s","x":[1],"size":2,"token":"","y":0}' % Outer.__struct_config__.tag.encode()
    )
    assert json.decode(json.encode(one), type=Outer) == one
    assert json.decode(json.encode([one] * 3), type=list[Outer]) == [one] * 3


def test_flattened_names_that_collide():
    class Clash(Struct):
        size: int
        page: Page = field(flatten=True)

    with pytest.raises(TypeError, match="both called 'size'"):
        json.Decoder(Clash)


def test_what_cannot_be_flattened():
    class Wrong(Struct):
        a: int = field(flatten=True)

    class Twice(Struct):
        a: dict[str, int] = field(flatten=True)
        b: dict[str, int] = field(flatten=True)

    class Keys(Struct):
        a: dict[int, int] = field(flatten=True)

    class Itself(Struct):
        a: "Itself" = field(flatten=True)

    globals()["Itself"] = Itself
    for cls in Wrong, Twice, Keys, Itself:
        with pytest.raises(TypeError):
            json.Decoder(cls)


def test_flattened_entries_that_are_fields():
    for bad in {"text": 1}, {"token": 1}, {1: 1}:
        with pytest.raises(EncodeError):
            json.encode(Query("q", Page(1), bad))
        with pytest.raises(EncodeError):
            to_builtins(Query("q", Page(1), bad))


def test_a_struct_that_is_flattened_into_itself_ends():
    class Loop(Struct):
        a: Any = field(flatten=True)

    one = Loop(None)
    one.a = one
    for write in json.encode, msgpack.encode, to_builtins:
        with pytest.raises(EncodeError):
            write(one)


class Kept(Struct, extra="keep"):
    a: int
    b: str = ""


@pytest.mark.parametrize("codec", FORMATS)
def test_unknown_keys_are_kept(codec):
    plain = {"z": [1, {"q": None}], "a": 1, "y": "text"}
    one = codec.decode(codec.encode(plain), type=Kept)
    assert one.__extra__ == {"z": [1, {"q": None}], "y": "text"}
    assert codec.decode(codec.encode(one)) == plain | {"b": ""} == to_builtins(one)
    assert codec.decode(codec.encode(one), type=Kept) == one == convert(plain, Kept)


def test_what_is_kept_counts():
    one = json.decode(b'{"a":1,"x":2}', type=Kept)
    assert one != Kept(1)
    assert repr(one) == "Kept(a=1, b='', __extra__={'x': 2})"
    assert copy.copy(one) == pickle.loads(pickle.dumps(one)) == structs.replace(one, b="") == one
    assert structs.replace(one, a=5).__extra__ == {"x": 2}
    one.__extra__.clear()
    assert one == Kept(1)
    with pytest.raises(AttributeError):
        one.__extra__ = {}


def test_what_is_kept_of_instances_is_their_own():
    assert Kept(1).__extra__ == {}
    assert Kept(1).__extra__ is not Kept(1).__extra__


def test_extra_of_subclasses():
    class Forbid(Kept, extra="forbid"):
        pass

    class Ignore(Kept, extra="ignore"):
        pass

    with pytest.raises(ValidationError, match="unknown field `x`"):
        json.decode(b'{"a":1,"x":2}', type=Forbid)
    assert json.encode(json.decode(b'{"a":1,"x":2}', type=Ignore)) == b'{"a":1,"b":""}'
    with pytest.raises(ValueError, match="extra"):

        class _(Struct, extra="other"):
            pass


def test_what_is_kept_twice():
    assert json.decode(b'{"a":1,"x":2,"x":3}', type=Kept).__extra__ == {"x": 3}
    with pytest.raises(oxwire.DecodeError):
        json.decode(b'{"a":1,"x":2,"x":3}', type=Kept, duplicate_keys="error")


def test_unknown_keys_in_nested_ones():
    class Outer(Struct):
        inner: list[Kept]

    data = b'{"inner":[{"a":1,"b":"","x":{"y":[1,2]}},{"a":2,"b":"q"}]}'
    assert json.encode(json.decode(data, type=Outer)) == data


def test_mixins():
    class Stamped(Struct, mixin=True):
        created: int = 0
        _note: str = field(default="n", private=True)

        def age(self, now):
            return now - self.created

    class Base(Struct):
        id: int

    class Doc(Stamped, Base):
        title: str = ""

    one = json.decode(b'{"id":1,"created":5}', type=Doc)
    assert one == Doc(1, 5)
    assert (one.age(7), one._note, isinstance(one, Stamped)) == (2, "n", True)
    assert Doc.__struct_fields__ == ("id", "created", "title")
    with pytest.raises(TypeError, match="mixin"):
        Stamped()
    with pytest.raises(TypeError, match="mixin"):
        json.Decoder(Stamped)


def test_fields_that_are_plain_stay_plain():
    class Plain(Struct):
        a: int = field(default=1, name="b")

    assert Plain.__struct_more__ is None


def test_what_excludes_each_other():
    for said in (
        {"private": True, "name": "x"},
        {"init": False, "alias": "x"},
        {"private": True, "flatten": True},
    ):
        with pytest.raises(TypeError):
            field(**said)


class Holds(Struct, extra="keep"):
    a: int
    b: int = 0


class Around(Struct):
    inner: Holds | None = None


class Outmost(Struct):
    around: Around | None = None


def test_patches_keep_unknown_keys():
    old = json.decode(b'{"a":1,"b":2,"y":3}', type=Holds)
    made = structs.patch(old, json.decode(b'{"a":2,"z":1}', type=structs.partial(Holds)))
    assert (made.a, made.b, made.__extra__) == (2, 2, {"y": 3, "z": 1})
    assert old.__extra__ == {"y": 3}
    change = json.decode(b'{"around":{"inner":{"a":1,"z":2}}}', type=structs.partial(Outmost, nested=True))
    for old in Outmost(), Outmost(Around(Holds(7))):
        made = structs.patch(old, change)
        assert (type(made.around), type(made.around.inner)) == (Around, Holds)
        assert (made.around.inner.a, made.around.inner.__extra__) == (1, {"z": 2})


def test_a_class_that_holds_itself_is_not_partial_in_itself():
    class Node(Struct):
        next: "Node | None" = None

    with pytest.raises(TypeError, match="`Node` holds itself"):
        structs.partial(Node, nested=True)
