"""Typed reading under hostile conditions: hooks that meddle, depth, lengths that lie, threads.

What may surprise: much here only asks that nothing else happens than a value of the type or one of our exceptions.
"""

import contextlib
import dataclasses
import datetime as dt
import gc
import random
import sys
import threading
import time
import typing
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Generic, NamedTuple, Optional, TypedDict, TypeVar
from uuid import UUID

import pytest

from oxwire import DecodeError, Raw, Struct, ValidationError, convert, json, msgpack, to_builtins

T = TypeVar("T")
BOTH = pytest.mark.parametrize("format", [json, msgpack], ids=["json", "msgpack"])


class Odd:
    def __init__(self, value=None):
        self.value = value


class Node(Struct):
    value: Any = None
    next: Optional["Node"] = None
    more: list["Node"] = []


class Tagged(Struct, tag="t"):
    value: Any


class Other(Struct, tag="o", array_like=False):
    value: int


# Hooks that meddle


@BOTH
def test_hooks_that_change_what_they_are_given(format):
    kept = []

    def hook(t, value):
        if isinstance(value, list):
            kept.append(value)
            value.clear()
            value.append(value)
        elif isinstance(value, dict):
            kept.append(value)
            value.clear()
            value[0] = kept
        for one in kept:
            one.clear()
        return Odd(value)

    document = [[1, [2]], {"a": {"b": 1}}, "x", None] * 50
    decoder = format.Decoder(list[Odd], dec_hook=hook)
    for _ in range(5):
        made = decoder.decode(format.encode(document))
        assert len(made) == 200
        assert {type(one) for one in made} == {Odd}
    gc.collect()


@pytest.mark.parametrize("change", ["clear", "pop", "append", "sort", "reverse", "extend"])
def test_hooks_that_change_what_is_converted(change):
    source = [[1], [2], [3]] * 20
    inner = {"a": source, "b": {"c": source}}

    def hook(t, value):
        getattr(source, change)(*{"append": (5,), "extend": ([0] * 50,)}.get(change, ())) if source else None
        inner.pop("b", None)
        inner[len(inner)] = 1
        return Odd(value)

    for t in (list[Odd], dict[Any, list[Odd] | dict[str, list[Odd]] | int]):
        for value in (source, inner):
            with contextlib.suppress(ValidationError):
                convert(value, t, dec_hook=hook)


@BOTH
def test_hooks_that_enter_the_same_decoder(format):
    depth = 0

    def hook(t, value):
        nonlocal depth
        if depth == 0 and value in ("again", "fail"):
            depth = 1
            try:
                if value == "again":
                    return Odd(decoder.decode(data))
                with pytest.raises(DecodeError):
                    decoder.decode(data[:-1])
                with pytest.raises(ValidationError):
                    decoder.decode(format.encode({"a": [1, 2], "b": 5}))
            finally:
                depth = 0
        return Odd(value)

    decoder = format.Decoder(dict[str, list[Odd]], dec_hook=hook)
    data = format.encode({"a": [1, "again", "fail"], "b": ["fail", {"x": "again"}]})
    made = decoder.decode(data)
    assert [one.value for one in made["b"]] == ["fail", {"x": "again"}]
    inner = made["a"][1].value
    assert list(inner) == ["a", "b"]
    assert inner["a"][0].value == 1


@BOTH
def test_hooks_that_raise(format):
    class Quiet(BaseException):
        pass

    for error in (
        KeyError("x"),
        Quiet(),
        KeyboardInterrupt(),
        MemoryError(),
        RecursionError(),
        StopIteration(),
    ):

        def hook(t, value, error=error):
            if value == 3:
                raise error
            return Odd(value)

        decoder = format.Decoder(dict[str, list[Odd]], dec_hook=hook)
        with pytest.raises(type(error)) as caught:
            decoder.decode(format.encode({"a": [1, 2], "b": [1, 2, 3, 4]}))
        assert caught.value is error
        assert len(decoder.decode(format.encode({"a": [1]}))["a"]) == 1


@BOTH
def test_hooks_that_return_something_else(format):
    for made in (None, 5, NotImplemented, Odd, object(), [], Exception()):
        with pytest.raises(ValidationError, match="Expected `Odd`, got "):
            format.decode(format.encode([1]), type=list[Odd], dec_hook=lambda t, v, made=made: made)
    with pytest.raises(TypeError):
        format.Decoder(int, dec_hook=5)


def test_objects_that_misbehave():
    class Lying(Mapping):
        def __getitem__(self, key):
            raise RuntimeError("no such thing")

        def __iter__(self):
            return iter(["a"])

        def __len__(self):
            return 10**9

    class Bad(dict):
        def items(self):
            return [(1, 2, 3), 4]

    class Attribute:
        @property
        def value(self):
            raise RuntimeError("no such thing")

    class Endless(list):
        def __iter__(self):
            raise RuntimeError("no such thing")

    for value, t in ((Lying(), dict), (Lying(), Node), (Endless([1]), set[int]), (Attribute(), Node)):
        with pytest.raises(RuntimeError, match="no such thing"):
            convert([value], list[t], from_attributes=True)
    with pytest.raises((TypeError, ValueError)):
        convert(Bad(a=1), dict[str, int])

    class Unequal(str):
        __hash__ = str.__hash__

        def __eq__(self, other):
            raise RuntimeError("no such thing")

    for t in (Node, Tagged | Other, dict[str, int]):
        with contextlib.suppress(RuntimeError, ValidationError):
            convert({Unequal("type"): 1, Unequal("value"): 2}, t)


def test_classes_that_change_what_they_are():
    class Shrinks(Struct):
        a: int
        b: int = 1

        def __post_init__(self):
            del self.a
            self.__class__ = Shrinks

    made = json.decode(b'[{"a":1},{"a":2}]', type=list[Shrinks])
    assert not hasattr(made[0], "a")
    with pytest.raises(TypeError, match="Programs are made of types"):
        type(json.Decoder(int)).__init__ and _program_class()()


def _program_class():
    return next(one for one in object.__subclasses__() if one.__name__ == "Program")


def test_uninitialised_coders_refuse():
    for cls in (json.Decoder, msgpack.Decoder):
        try:
            bare = cls.__new__(cls)
        except TypeError:
            continue
        # Made without __init__, it reads anything, or refuses.
        with contextlib.suppress(TypeError):
            assert bare.decode(json.encode(1) if cls is json.Decoder else msgpack.encode(1)) == 1


# Depth and lengths

DEEP = 100_000


class Deep(Struct):
    n: "Deep | None" = None


class DeepRow(Struct, array_like=True):
    n: "DeepRow | None" = None


@dataclasses.dataclass
class DeepData:
    n: "DeepData | None" = None


class DeepDict(TypedDict, total=False):
    n: "DeepDict"


class DeepTuple(NamedTuple):
    n: "DeepTuple | None" = None


class DeepTag(Struct, tag="a"):
    n: "DeepTag | DeepTag2 | None" = None


class DeepTag2(Struct, tag="b"):
    n: int = 0


ARRAYS = [
    list,
    Any | None,
    DeepRow,
    DeepTuple,
    Raw,
    list[Raw],
    set,
    tuple,
    tuple[Any, ...],
    Odd,
    DeepTag | DeepTag2 | list,
]
MAPS = [
    dict,
    Deep,
    DeepData,
    DeepDict,
    Raw,
    Odd,
    DeepTag | DeepTag2,
    dict[str, Any],
    dict[str, Raw],
    Tagged | Other,
]


@pytest.mark.parametrize("t", ARRAYS + MAPS, ids=repr)
def test_depth(t, small_stack):
    closed = [
        (json, b"[" * DEEP + b"]" * DEEP),
        (json, b'{"n":' * DEEP + b"null" + b"}" * DEEP),
        (json, b'{"n":' * DEEP + b'null,"type":"a"}' * DEEP),
        (json, b'{"z":' + b"[" * DEEP + b"]" * DEEP + b',"type":"a"}'),
        (json, b'{"type":' + b"[" * DEEP + b"]" * DEEP + b"}"),
        (msgpack, b"\x91" * DEEP + b"\xc0"),
        (msgpack, b"\x81\xa1n" * DEEP + b"\xc0"),
        (msgpack, b"\x81\xa1z" + b"\x91" * DEEP + b"\xc0"),
        (msgpack, b"\x81" * DEEP + b"\xc0" * (DEEP + 1)),
        (msgpack, b"\x81" + b"\x91" * DEEP + b"\xc0\xc0"),
    ]
    for format, data in closed:
        for cut in (data, data[: len(data) // 2]):
            kind, error = small_stack(format.decode, cut, type=t)
            assert kind == "error", (data[:20], error)
            assert issubclass(error, DecodeError), (data[:20], error)


def test_depth_that_is_allowed(small_stack):
    for format, data in (
        (json, b'{"n":' * 999 + b"{}" + b"}" * 999),
        (msgpack, b"\x81\xa1n" * 999 + b"\x80"),
    ):
        kind, made = small_stack(format.decode, data, type=Deep)
        assert kind == "value"
        assert type(made) is Deep
        with pytest.raises(DecodeError):
            format.decode(data, type=Deep, max_depth=999)
    data = b'{"n":' * DEEP + b"{}" + b"}" * DEEP
    made = json.decode(data, type=Deep, max_depth=DEEP + 1)
    count = 0
    while made is not None:
        made, count = made.n, count + 1
    assert count == DEEP + 1
    # To be let go is no deeper than to be made; what is not ours needs the stack that the interpreter gives it.
    assert small_stack(lambda: type(json.decode(data, type=Deep, max_depth=DEEP + 1))) == ("value", Deep)
    for t in (DeepDict, DeepData, dict):
        json.decode(data, type=t, max_depth=DEEP + 1)


class TagLast(Struct, tag="last"):
    n: "TagLast | TagRaw | list[Any] | None" = None


class TagRaw(Struct, tag="raw"):
    n: Raw


# What stands before and behind the next inner record, on each level; and how often the innermost is filled.
NESTS = {
    "field": ('{"n":', ',"type":"last"}', 60_000),
    "unknown": ('{"z":', ',"type":"last"}', 60_000),
    "raw": ('{"n":', ',"type":"raw"}', 60_000),
    "before": ('{"z":[' + "[]," * 50 + '{}],"n":', ',"type":"last"}', 1),
    "around": ('{"z":{"n":[],"type":"last"},"n":', ',"type":"last","y":[[],[],[],[],[]]}', 1),
}


def read_stream(format, data, t):
    stream = format.StreamDecoder(type=t)
    for i in range(0, len(data), 30_000):
        stream.feed(data[i : i + 30_000])
    stream.close()
    return next(stream)


@pytest.mark.parametrize("nest", NESTS)
def test_tags_that_are_last_cost_no_more_the_deeper_they_stand(nest):
    t = list[TagLast | TagRaw]
    before, behind, fill = NESTS[nest]

    def costs(levels):
        tree = before * levels + "[" + "[]," * fill + "{}]" + behind * levels
        data = f"[{','.join([tree] * (200_000 // len(tree) or 1))}]".encode()
        packed, objects = msgpack.encode(json.decode(data)), json.decode(data)
        ways = [
            lambda: json.decode(data, type=t),
            lambda: json.decode_lines(data + b"\n", type=t),
            lambda: read_stream(json, data, t),
            lambda: msgpack.decode(packed, type=t),
            lambda: read_stream(msgpack, packed, t),
        ]
        if nest != "raw":
            ways.append(lambda: convert(objects, t))

        def cost(way):
            start = time.process_time()
            way()
            return time.process_time() - start

        return [min(cost(way) for _ in range(5)) for way in ways]

    # Without memory of what was looked at it would be a hundred times as much.
    few, many = costs(9), costs(900)
    assert all(b < 30 * a + 0.01 for a, b in zip(few, many, strict=True)), (few, many)


def test_objects_that_hold_themselves(small_stack):
    row = []
    row.append(row)
    table = {}
    table["n"] = table
    node = Deep()
    node.n = node
    for value, t in (
        (row, DeepRow),
        (table, Deep),
        (table, DeepDict),
        (table, DeepData),
        (row, typing.Iterable["DeepTuple"] if False else DeepTuple),
        (node, DeepData),
        (node, DeepDict),
    ):
        kind, error = small_stack(convert, value, t, from_attributes=True)
        assert (kind, error) == ("error", ValidationError), (value, t)
    assert convert(row, list) == row
    assert convert(node, Deep) is node
    from oxwire import EncodeError

    for value in (row, table, node):
        with pytest.raises(EncodeError, match="contain themselves"):
            to_builtins(value)


def test_lengths_that_lie():
    heads = [b"\xdc\xff\xff", b"\xdd\xff\xff\xff\xff", b"\xde\xff\xff", b"\xdf\xff\xff\xff\xff"]
    heads += [
        b"\xc6\xff\xff\xff\xff",
        b"\xdb\xff\xff\xff\xff",
        b"\xc9\xff\xff\xff\xff\x05",
        b"\xc9\x7f\xff\xff\xff\xff",
    ]
    types = [
        list,
        list[int],
        tuple[int, ...],
        tuple[int, int],
        set[int],
        dict,
        dict[str, int],
        dict[tuple[int], int],
        str,
    ]
    types += [
        bytes,
        bytearray,
        memoryview,
        UUID,
        dt.datetime,
        msgpack.Ext,
        Raw,
        Deep,
        DeepRow,
        DeepDict,
        DeepTuple,
        Odd,
        Any,
    ]
    types += [Tagged | Other, list[list[int]], Decimal]
    for head in heads:
        for t in types:
            for data in (
                head,
                head + b"\x01" * 50,
                b"\x91" + head,
                b"\x81\xa1n" + head,
                b"\x81\xa1z" + head,
                b"\x81" + head,
            ):
                with pytest.raises(DecodeError):
                    msgpack.decode(data, type=t)


# Threads


@BOTH
def test_first_use_by_many_threads(format):
    for _ in range(5):

        class Leaf(Struct):
            a: int
            b: list[str] = []

        class Root(Struct, Generic[T]):
            left: "Root[T] | None" = None
            leaves: dict[str, Leaf] = {}
            value: T | None = None

        start = threading.Barrier(8)
        data = format.encode(
            {"left": {"leaves": {"x": {"a": 1}}}, "leaves": {"y": {"a": 2, "b": ["z"]}}, "value": "v"}
        )
        made, failed = [], []
        shared = format.Decoder(Root[str])

        def work(n, start=start, data=data, made=made, failed=failed, Root=Root, shared=shared):
            try:
                start.wait()
                decoder = shared if n % 2 else format.Decoder(Root[str])
                for _ in range(200):
                    made.append(decoder.decode(data) == format.decode(data, type=Root[str]))
                    with pytest.raises(ValidationError):
                        decoder.decode(format.encode({"value": 1}))
            except BaseException as error:
                failed.append(error)

        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
            [thread.start() for thread in threads]
            [thread.join() for thread in threads]
        finally:
            sys.setswitchinterval(before)
        assert not failed, failed
        assert made == [True] * 1600


def test_what_is_converted_is_changed_by_threads():
    shared, stop = {f"k{n}": [n] for n in range(50)}, threading.Event()

    def change():
        own = random.Random(1)
        while not stop.is_set():
            shared[f"k{own.randrange(90)}"] = [own.random()]
            shared.pop(f"k{own.randrange(90)}", None)

    thread = threading.Thread(target=change)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread.start()
    try:
        for _ in range(500):
            assert type(convert(shared, dict[str, list[float]])) is dict
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(before)
