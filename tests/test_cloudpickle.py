"""Classes of `__main__`, of notebooks and of functions, sent to another process by value; and what else is pickled."""

import copy
import pickle
import subprocess
import sys
import typing

import pytest

from oxwire import Meta, Struct, _define, field, json, msgpack, structs

cloudpickle = pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")

T = typing.TypeVar("T")

# What a notebook has in its cells. It writes what it pickled to its standard output.
MAIN = """
import enum, sys, typing
import cloudpickle
from oxwire import Meta, Struct, field, json, UNSET, UnsetType

class Color(enum.Enum):
    RED = "red"

class Base(Struct, frozen=True, tag_field="kind", tag="base", rename="camel", order=True):
    '''A base.'''
    the_id: typing.Annotated[int, Meta(ge=0)]
    count: typing.ClassVar[int] = 3
    name: str = field(default="x", name="NAME")
    tags: list[str] = field(default_factory=list)
    color: Color = Color.RED

    def double(self):
        return Base(self.the_id * 2)

class Sub(Base, tag="sub", kw_only=True):
    parent: "Base | Sub | None" = None
    other: float | UnsetType = UNSET

    def __post_init__(self):
        if self.the_id == 13:
            raise ValueError("unlucky")

    def double(self):
        return super().double()

class Row(Struct, array_like=True, gc=False, forbid_unknown_fields=True):
    a: int
    b: list["Row"] = []

T = typing.TypeVar("T")

class Box(Struct, typing.Generic[T]):
    value: T
    make: typing.Callable = lambda: Sub(1)

class Empty(Struct, weakref=True):
    pass

def inside():
    class Local(Struct):
        x: int
        y: "Row | None" = None
    return Local

Local = inside()
values = [Sub(1, parent=Base(2)), Row(1, [Row(2)]), Box(3), Empty(), Local(4), json.Decoder(Sub), json.Decoder(Box[int])]
sys.stdout.buffer.write(cloudpickle.dumps([Base, Sub, Row, Box, Local, Color, values]))
"""


@pytest.fixture(scope="module")
def received():
    done = subprocess.run([sys.executable, "-c", MAIN], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return pickle.loads(done.stdout)


def test_classes_keep_their_fields(received):
    Base, Sub, Row, Box, Local, Color, _ = received
    assert Base.__struct_fields__ == ("the_id", "name", "tags", "color")
    assert Base.__struct_encode_fields__ == ("theId", "NAME", "tags", "color")
    assert Sub.__struct_fields__ == ("the_id", "name", "tags", "color", "parent", "other")
    assert Sub.__match_args__ == Base.__match_args__
    assert Row.__struct_fields__ == ("a", "b")
    assert Local.__struct_fields__ == ("x", "y")
    assert Box.__parameters__ == Box.__orig_bases__[1].__args__
    assert (Base.__module__, Base.__qualname__, Base.__doc__) == ("__main__", "Base", "A base.")
    assert (Sub.__module__, Local.__qualname__, Base.count) == ("__main__", "inside.<locals>.Local", 3)
    config = Sub.__struct_config__
    assert (config.frozen, config.order, config.tag, config.tag_field) == (True, True, "sub", "kind")
    assert (Row.__struct_config__.gc, Row.__struct_config__.forbid_unknown_fields) == (False, True)
    assert issubclass(Sub, Base)
    assert not hasattr(Base(1), "__dict__")


def test_instances_are_theirs(received):
    Base, Sub, Row, Box, Local, Color, (sub, row, box, empty, local, *_) = received
    assert sub == Sub(1, parent=Base(2))
    assert sub.double() == Base(2)
    assert row == Row(1, [Row(2)])
    assert box.make is Box(1).make
    assert Box(3).value == box.value
    assert local.x == 4
    assert Base(1).tags == []
    assert Base(1).tags is not Base(1).tags
    with pytest.raises(AttributeError):
        sub.the_id = 2
    with pytest.raises(ValueError, match="unlucky"):
        Sub(13)


def test_types_are_read(received):
    Base, Sub, Row, Box, Local, Color, (*_, decoder, boxes) = received
    data = b'{"kind":"sub","theId":1,"parent":{"kind":"base","theId":2}}'
    assert decoder.decode(data) == Sub(1, parent=Base(2))
    assert json.encode(Sub(1)) == b'{"kind":"sub","theId":1,"NAME":"x","tags":[],"color":"red","parent":null}'
    with pytest.raises(ValueError, match=">= 0"):
        json.decode(b'{"kind":"base","theId":-1}', type=Base)
    with pytest.raises(ValueError, match="Expected `int`, got `str`"):
        boxes.decode(b'{"value":"x"}')
    assert msgpack.decode(msgpack.encode(Row(1)), type=Row) == Row(1)
    assert [one.type for one in structs.fields(Local)][0] is int
    assert json.schema(Base)["$defs"]["Base"]["required"] == ["kind", "theId"]


def test_classes_are_sent_on(received):
    Base, Sub, *_ = received
    data = cloudpickle.dumps((Base, Sub(1)))
    code = "import pickle, sys; B, s = pickle.load(sys.stdin.buffer); print(B(3), s, type(s).__mro__[1] is B)"
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=False)
    said = done.stdout.decode().strip()
    assert said.startswith("Base(the_id=3, name='x', tags=[], color=<Color.RED: 'red'>) Sub(the_id=1, "), (
        done.stderr
    )
    assert said.endswith(" True")
    # In one process it stays the class that it is.
    assert cloudpickle.loads(data)[0] is Base


def test_annotations_may_come_late(monkeypatch):
    """As where annotations are found by a function (from 3.14 on), which cloudpickle leaves out."""
    monkeypatch.setattr(_define, "_LATE", True)

    def made():
        class Tree(Struct):
            value: int
            kids: "list[Tree] | None" = None

        Tree.__annotations__ = {"value": int, "kids": list[Tree] | None}
        return Tree

    Tree = made()
    data = cloudpickle.dumps((Tree, Tree(1)))
    code = """if True:
        import pickle, sys
        from oxwire import json
        T, t = pickle.load(sys.stdin.buffer)
        print(json.decode(b'{"value":1,"kids":[{"value":2}]}', type=T), T.__annotations__["value"])
        try:
            json.decode(b'{"value":"1"}', type=T)
        except ValueError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=False)
    assert done.stdout.decode().splitlines() == [
        "Tree(value=1, kids=[Tree(value=2, kids=None)]) <class 'int'>",
        "Expected `int`, got `str` - at `$.value`",
    ], done.stderr.decode()


def test_a_class_with_a_dict_is_refused():
    class Open(Struct, dict=True):
        x: int

    assert Open(1).__dict__ == {}
    assert Open.__slots__ == ("__dict__", "x")
    with pytest.raises(Exception, match="cannot be pickled by value"):
        cloudpickle.dumps(Open)


def test_a_class_may_say_dict_itself():
    class Own(Struct):
        x: int

        @property
        def __dict__(self):
            return {"x": self.x}

    assert vars(Own(1)) == {"x": 1}


class Plain(Struct):
    x: int


@pytest.mark.parametrize(
    "made",
    [
        json.Encoder(indent=2, order="sorted"),
        json.Decoder(list[Plain], strict=False),
        msgpack.Encoder(canonical=True),
        msgpack.Decoder(Plain),
        Meta(ge=1, title="x", examples=[1]),
        field(default=1, name="a"),
    ],
)
@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)), lambda one: cloudpickle.loads(cloudpickle.dumps(one))]
)  # fmt: skip
def test_coders_and_words_are_copied(made, copied):
    again = copied(made)
    assert type(again) is type(made)
    assert repr(again) == repr(made)
    if hasattr(made, "options"):
        assert again.options == made.options
    if isinstance(made, Meta):
        assert again == made


def test_instances_without_a_dict_are_given_none():
    class A(Struct):
        x: int

    a = A(1)
    for change in (lambda: setattr(a, "__dict__", {}), lambda: delattr(a, "__dict__")):
        with pytest.raises(AttributeError, match="'A' object has no attribute '__dict__'"):
            change()
    assert not hasattr(a, "__dict__")
    with pytest.raises(TypeError):
        vars(a)
