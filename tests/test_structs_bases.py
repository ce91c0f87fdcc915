"""What bases and attributes bring into a Struct class: room in instances, tags, and what stands in front of a field."""

import copy
import gc
import pickle
import subprocess
import sys
import weakref

import pytest

from oxwire import Struct, convert, json, msgpack, structs, to_builtins


class Mix:
    pass


class Weak:
    __slots__ = ("__weakref__",)


class Rooted:
    __slots__ = ("__dict__",)


class Slotted:
    __slots__ = ()


class Mixed(Struct, Mix):
    x: int


class Below(Mixed):
    y: int


def config(cls):
    return cls.__struct_config__.dict, cls.__struct_config__.weakref


def test_room_of_other_bases_is_that_of_the_class():
    for bases, room in {
        (Struct, Mix): (True, True),
        (Mix, Struct): (True, True),
        (Struct, Weak): (False, True),
        (Rooted, Struct): (True, False),
        (Struct, Slotted): (False, False),
        (Below,): (True, True),
        (Below, Mix): (True, True),
    }.items():
        made = type(Struct)("Made", bases, {"__annotations__": {"z": int}})
        assert (config(made), made.__slots__) == (room, ("z",))
        again = type(Struct)("Again", bases, {"__annotations__": {"z": int}}, weakref=True, dict=True)
        assert config(again) == (True, True)


@pytest.mark.parametrize(
    ("bases", "option", "words"),
    [
        ((Struct, Mix), "gc", "when inheriting from non-struct types with a __dict__"),
        ((Mixed,), "gc", "Cannot set gc=False and dict=True"),
        ((Struct, Weak), "gc", "Cannot set gc=False and weakref=True"),
        ((Below,), "weakref", "`weakref=False` if base class already has `weakref=True`"),
        ((Struct, Mix), "dict", "`dict=False` if base class already has `dict=True`"),
    ],
)
def test_room_cannot_be_taken_back(bases, option, words):
    with pytest.raises(ValueError, match=words):
        type(Struct)("Made", bases, {"__annotations__": {"x": int}}, **{option: False})


def test_room_beside_a_base_that_is_not_collected():
    class Small(Struct, gc=False):
        x: int

    for base in (Mix, Weak):
        with pytest.raises(ValueError, match="Cannot set gc=False"):
            type(Struct)("Made", (base, Small), {"__annotations__": {"y": int}})
        made = type(Struct)("Made", (base, Small), {"__annotations__": {"y": int}}, gc=True)
        one = made(1, 2)
        assert weakref.ref(one)() is one
        del one
        gc.collect()


def test_what_an_instance_holds_beside_its_fields():
    one = Below(1, 2)
    one.other = 3
    assert vars(one) == {"other": 3}
    for made in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one)), structs.replace(one)):
        assert made == one
        assert vars(made) == {"other": 3}
    assert json.encode(one) == b'{"x":1,"y":2}'


class Plain(Struct):
    x: int


def test_a_property_before_a_field():
    class Set(Plain):
        seen = ()

        @property
        def x(self):
            return 7

        @x.setter
        def x(self, value):
            type(self).seen += (value,)

    one = Set(1)
    one.x = 5
    structs.force_setattr(one, "x", 6)
    assert (Set.seen, one) == ((5, 6), Set(1))
    with pytest.raises(AttributeError, match="no deleter"):
        del one.x
    assert json.encode(one) == b'{"x":1}'


@pytest.mark.parametrize("found", [property(lambda self: 7), 5])
def test_what_cannot_be_set_before_a_field(found):
    cls = type(Struct)("Fixed", (Plain,), {"x": found})
    one = cls(1)
    for set_it in (
        lambda: setattr(one, "x", 2),
        lambda: delattr(one, "x"),
        lambda: structs.force_setattr(one, "x", 2),
    ):
        with pytest.raises(AttributeError):
            set_it()
    assert one == cls(1)


def test_a_property_that_comes_later():
    class Later(Struct):
        x: int
        y: int = 0

    one, seen = Later(1), []
    one.x = one.y = 2
    Later.x = property(None, lambda self, value: seen.append(value))
    one.x = one.y = 3
    assert (seen, structs.astuple(one)) == ([3], (2, 3))
    del Later.x
    with pytest.raises(AttributeError):
        one.x = 4
    assert structs.astuple(one) == (2, 3)


def test_a_tag_that_was_taken_back():
    class Without(Struct, tag=False, tag_field="kind"):
        pass

    class Of(Without, tag_field="k"):
        pass

    class Named(Without, tag=True):
        pass

    assert [json.encode(cls()) for cls in (Without, Of, Named)] == [b"{}", b'{"k":"Of"}', b'{"type":"Named"}']


def test_a_class_that_is_not_finished_has_none_of_its_attributes():
    seen = []

    class Base(Struct):
        def __init_subclass__(cls):
            seen.extend(hasattr(cls, name) for name in ("__struct_fields__", "__match_args__"))

    class Made(Base):
        x: int

    assert seen == [False, False]
    assert Made.__struct_fields__ == ("x",)


def test_a_class_whose_base_keeps_hashes_may_thaw():
    class Kept(Struct, frozen=True, cache_hash=True):
        x: int

    class Thawed(Kept, frozen=False):
        y: int

    one = Thawed(1, 2)
    one.x = 3
    assert one == Thawed(3, 2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_names_of_a_subclass_of_str():
    class Name(str):
        pass

    one = Plain(**{Name("x"): 1})
    setattr(one, Name("x"), 2)
    assert one == Plain(2)


HASHES = """
from oxwire import Struct, structs
class Link(Struct, frozen=True):
    of: object
chain = None
for _ in range(500_000):
    chain = Link(chain)
ring = Link(1)
structs.force_setattr(ring, "of", ring)
for one in (chain, ring):
    try:
        hash(one)
    except RecursionError:
        print("deep")
"""


def test_the_hash_of_a_chain_ends():
    ran = subprocess.run([sys.executable, "-c", HASHES], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "deep\ndeep\n")


def test_keys_that_are_no_text_are_put_in_order():
    assert list(to_builtins({5: 1, 3: 2, 4.5: 0}, order="sorted")) == [3, 4.5, 5]
    assert list(to_builtins({(2,): 1, (1, 3): 2}, order="deterministic")) == [(1, 3), (2,)]
    with pytest.raises(TypeError, match="keys that are ordered"):
        to_builtins({5: 1, "a": 2}, order="sorted")


def read(text, kind):
    """What is made of a text in every way, where it is the same."""
    made = [
        json.decode(json.encode(text), type=kind, strict=False),
        msgpack.decode(msgpack.encode(text), type=kind, strict=False),
        convert(text, kind, strict=False),
    ]
    assert made[0] == made[1] == made[2]
    assert len({type(one) for one in made}) == 1
    return made[0]


def test_text_is_a_number_before_it_is_what_almost_any_text_spells():
    from decimal import Decimal
    from uuid import UUID

    for kind, text, value in [
        (int | Decimal, "1", 1),
        (float | Decimal, "1.5", 1.5),
        (Decimal | bool, "1", Decimal(1)),
        (Decimal | None, "1.5", Decimal("1.5")),
        (Decimal | None, "null", None),
        (bytes | None, "null", None),
        (bool | bytes, "true", True),
        (int | bytes, "1234", 1234),
        (int | UUID, "1" * 32, int("1" * 32)),
        (UUID | None, "1" * 32, UUID("1" * 32)),
    ]:
        made = read(text, kind)
        assert (made, type(made)) == (value, type(value))
