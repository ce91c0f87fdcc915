"""Instances of classes with fields that are changed while they are written: each field is read when it is its turn."""

import gc
import sys
from dataclasses import dataclass, field
from typing import Any

import pytest
from samples import STRANGE

from oxwire import EncodeError, json, msgpack

BOTH = pytest.mark.parametrize("codec", [json, msgpack], ids=["json", "msgpack"])


@dataclass
class Plain:
    """Its instances hold their fields themselves."""

    a: Any
    b: Any = None
    c: Any = None


@dataclass(slots=True)
class Slotted:
    """Its instances have no dict."""

    a: Any
    b: Any = None
    c: Any = None


class Odd:
    """What a hook is asked for."""


KINDS = pytest.mark.parametrize("kind", [Plain, Slotted])


@BOTH
@KINDS
def test_a_hook_that_sets_what_follows(codec, kind):
    value = kind(Odd(), 1, "two")

    def hook(_):
        value.b, value.c = [2], {"three": 3}
        gc.collect()
        return "hooked"

    written = codec.decode(codec.encode([value, 7], enc_hook=hook))
    assert written == [{"a": "hooked", "b": [2], "c": {"three": 3}}, 7]


@BOTH
@KINDS
def test_a_hook_that_drops_what_is_being_written(codec, kind):
    value = kind([Odd(), "x" * 100], 1, "two")

    def hook(_):
        value.a = None
        gc.collect()
        return "hooked"

    if kind is Plain:
        assert codec.decode(codec.encode(value, enc_hook=hook))["a"] == ["hooked", "x" * 100]
    held = [kind(Odd(), 1, "three")]

    def dropping(_):
        held.clear()
        gc.collect()
        return "hooked"

    # The list is all that has it.
    assert codec.decode(codec.encode(held[0], enc_hook=dropping)) == {"a": "hooked", "b": 1, "c": "three"}


@BOTH
@KINDS
def test_a_hook_that_deletes_what_follows(codec, kind):
    value = kind(Odd(), 1, "two")

    def hook(_):
        del value.c
        return "hooked"

    if kind is Plain:
        # Asked for it, the instance gives what its class has.
        assert codec.decode(codec.encode(value, enc_hook=hook))["c"] is None
        return
    with pytest.raises(AttributeError, match="c"):
        codec.encode({"k": [value]}, enc_hook=hook)


@BOTH
def test_a_hook_that_changes_the_order_or_the_dict(codec):
    for change in (
        lambda o: o.__dict__.update(more=1),
        lambda o: setattr(o, "__dict__", {"c": "two", "b": 1, "a": 0}),
        lambda o: (delattr(o, "b"), setattr(o, "b", 1)),
        lambda o: [setattr(o, f"more{i}", i) for i in range(100)],
    ):
        value = Plain(Odd(), 1, "two")
        written = codec.encode(value, enc_hook=lambda _, o=value, f=change: f(o) and None)
        assert list(codec.decode(written).items()) == [("a", None), ("b", 1), ("c", "two")]


@BOTH
def test_a_hook_that_changes_the_class(codec):
    @dataclass
    class Other:
        """With the same fields in another order."""

        c: Any
        b: Any
        a: Any

    value = Plain(Odd(), 1, "two")

    def hook(_):
        value.__class__ = Other
        return "hooked"

    assert codec.decode(codec.encode(value, enc_hook=hook)) == {"a": "hooked", "b": 1, "c": "two"}


@BOTH
def test_fields_that_raise_come_out_unchanged(codec):
    class Fault(Exception):
        """What is raised."""

    @dataclass
    class Raising:
        """A field that a property stands for."""

        a: int
        b: Any = field(default=None)

    def get(self):
        raise Fault(self.a)

    value = Raising(1)
    Raising.b = property(get)
    with pytest.raises(Fault, match="1"):
        codec.encode([value])


@BOTH
@KINDS
def test_paths_and_depth(codec, kind):
    with pytest.raises(EncodeError) as caught:
        codec.encode([kind(1, [0, kind(2, c=STRANGE)])])
    assert caught.value.path == "$[0].b[1].c"
    value = None
    for _ in range(1000):
        value = kind(value)
    assert len(codec.encode(value)) > 8000
    with pytest.raises(EncodeError, match="nested|deep"):
        codec.encode(kind(value))


@BOTH
def test_in_sorted_order_and_laid_out(codec):
    value = Plain(1, Slotted("x", [2]), 3)
    assert list(codec.decode(codec.encode(value, order="sorted"))) == ["a", "b", "c"]
    if codec is json:
        assert json.encode(value, indent=1) == json.encode(json.decode(json.encode(value)), indent=1)


@BOTH
def test_no_reference_is_lost_or_kept(codec):
    for value in (Plain([1], "x" * 50), Slotted([1], "x" * 50)):
        before = [sys.getrefcount(o) for o in (value, value.a, value.b, type(value))]
        for _ in range(100):
            codec.encode([value, value])
            with pytest.raises(EncodeError):
                codec.encode([value, STRANGE])
        assert [sys.getrefcount(o) for o in (value, value.a, value.b, type(value))] == before


def test_a_model_that_changes_meanwhile():
    pydantic = pytest.importorskip("pydantic", minversion="2", reason="needs pydantic 2")

    class Model(pydantic.BaseModel):
        """Fields that may hold anything."""

        a: Any
        b: Any = None

    value = Model(a=Odd(), b=1)

    def adding(_):
        value.__dict__["more"] = 2
        return "hooked"

    with pytest.raises(EncodeError, match="changed size"):
        msgpack.encode(value, enc_hook=adding)

    def setting(_):
        value.b = 5
        return "hooked"

    value = Model(a=Odd(), b=1)
    assert msgpack.decode(msgpack.encode(value, enc_hook=setting)) == {"a": "hooked", "b": 5}
