"""How containers are written that stand one in the other, of every sort and however deep.

What may surprise: the loops of the walk call each other only so deep, and are then left and gone on with. So
each container here has something before and something behind the one that it holds.
"""

import dataclasses
import json as standard
from random import Random

import pytest

from oxwire import EncodeError, Struct, json, msgpack

FORMATS = [json, msgpack]


class Record(Struct):
    a: object
    b: object
    c: object = None


class Row(Struct, array_like=True):
    a: object
    b: object


class Tagged(Struct, tag="t"):
    a: object
    b: object


class Omitting(Struct, omit_defaults=True):
    a: object
    b: object
    c: object = None


@dataclasses.dataclass
class Data:
    a: object
    b: object


class Hooked:
    def __init__(self, value):
        self.value = value


def hook(o):
    return o.value


# Each: the container that holds a value, what it is written as, and the path of the value in it.
KINDS = {
    "list": (lambda v: ["x", v, 2.5], lambda v: ["x", v, 2.5], "[1]"),
    "long": (lambda v: [1] * 9 + [v, []], lambda v: [1] * 9 + [v, []], "[9]"),
    "tuple": (lambda v: (1, v, None), lambda v: [1, v, None], "[1]"),
    "dict": (lambda v: {"p": 1, "é": v, "q": {}}, lambda v: {"p": 1, "é": v, "q": {}}, ".é"),
    "ints": (lambda v: {1: True, 2: v, 3: 0}, lambda v: {"1": True, "2": v, "3": 0}, '["2"]'),
    "struct": (lambda v: Record(1, v), lambda v: {"a": 1, "b": v, "c": None}, ".b"),
    "row": (lambda v: Row(v, "é"), lambda v: [v, "é"], "[0]"),
    "rows": (lambda v: [Row(0, 0)] * 9 + [Row(1, v)] * 2, lambda v: [[0, 0]] * 9 + [[1, v]] * 2, "[9][1]"),
    "tagged": (lambda v: Tagged("z", v), lambda v: {"type": "t", "a": "z", "b": v}, ".b"),
    "omitting": (lambda v: Omitting(v, 5), lambda v: {"a": v, "b": 5}, ".a"),
    "dataclass": (lambda v: Data(v, "y"), lambda v: {"a": v, "b": "y"}, ".a"),
    "hook": (lambda v: Hooked(["h", v, 1]), lambda v: ["h", v, 1], "[1]"),
}


def nested(r, depth, value, kinds=tuple(KINDS)):
    """A value in so many containers, what that is written as, and the path of the value."""
    plain, path, doubled = value, "", 0
    for _ in range(depth):
        kind = r.choice(kinds)
        if kind == "rows":
            # What stands there twice is written twice.
            kind, doubled = ("list", doubled) if doubled == 4 else (kind, doubled + 1)
        wrap, as_plain, part = KINDS[kind]
        value, plain, path = wrap(value), as_plain(plain), part + path
    return value, plain, "$" + path


def with_text_keys(value):
    if isinstance(value, dict):
        return {str(k): with_text_keys(v) for k, v in value.items()}
    return [with_text_keys(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("format", FORMATS)
def test_every_container_in_every_other(format):
    for seed in range(300):
        r = Random(seed)
        value, plain, _ = nested(r, r.randrange(1, 60), "end")
        encoded = format.Encoder(enc_hook=hook).encode(value)
        if format is json:
            assert encoded == standard.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()
        else:
            assert with_text_keys(msgpack.decode(encoded)) == plain


@pytest.mark.parametrize("kind", KINDS)
def test_one_sort_of_container_in_itself(kind, small_stack):
    depth = 12 if kind == "rows" else 400
    value, plain, _ = nested(Random(0), depth, "end", [kind])
    assert small_stack(json.Encoder(enc_hook=hook).encode, value) == ("value", json.encode(plain))
    assert json.encode(value, enc_hook=hook, indent=1) == json.encode(plain, indent=1)
    assert json.encode(value, enc_hook=hook, sort=True) == json.encode(plain, sort=True)


@pytest.mark.parametrize("format", FORMATS)
def test_the_path_names_every_container(format):
    def refuse(o):
        if isinstance(o, Hooked):
            return o.value
        raise NotImplementedError

    for seed in range(100):
        r = Random(seed)
        value, _, path = nested(r, r.randrange(1, 40), "\ud800")
        with pytest.raises(EncodeError) as e:
            format.encode(value, enc_hook=refuse)
        if format is json:
            assert e.value.path == path
        else:
            assert e.value.path.replace('["2"]', "[2]") == path.replace('["2"]', "[2]")


@pytest.mark.parametrize("format", FORMATS)
def test_what_a_hook_changes_in_a_container_that_was_left(format):
    for depth in (0, 1, 6, 7, 8, 9, 20):
        for change in (list.clear, lambda o: o.append(1), lambda o: o.pop()):
            outer = [1, 2, 3]

            def clear(o, change=change, outer=outer):
                change(outer)
                return "changed"

            outer[1], _, _ = nested(Random(depth), depth, object(), ["list", "dict", "struct"])
            with pytest.raises(EncodeError, match="changed size"):
                format.encode(outer, enc_hook=clear)


@pytest.mark.parametrize("format", FORMATS)
def test_what_a_hook_encodes_while_others_are_open(format):
    for depth in (1, 7, 8, 9, 30):
        value, plain, _ = nested(Random(depth), depth, object())

        def inner(o, depth=depth):
            if isinstance(o, Hooked):
                return o.value
            assert format.encode(nested(Random(depth), depth, "in", ["list", "struct"])[0])
            return nested(Random(1), depth, "end", ["dict", "row"])[0]

        want = standard.dumps(plain, default=lambda _: nested(Random(1), depth, "end", ["dict", "row"])[1])
        encoded = format.encode(value, enc_hook=inner)
        if format is json:
            assert standard.loads(encoded) == standard.loads(want)
        else:
            assert with_text_keys(msgpack.decode(encoded)) == standard.loads(want)


def test_sets_in_order_and_keys_that_are_values_at_every_depth():
    for depth in (1, 7, 8, 9, 17):
        value = {(1, ("a", 2)): frozenset([3, 1, (1, (2, (3, 4)))])}
        want = msgpack.encode(value, canonical=True)
        packed = msgpack.encode([value], canonical=True)
        assert packed == b"\x91" + want
        for _ in range(depth):
            value, want = [value], b"\x91" + want
        assert msgpack.encode(value, canonical=True) == want
