"""User code that changes, re-enters or breaks what is being written or read: a value or an error, never a crash.

Lengths stand before what they count, so that a container that changes while it is written must be refused: every
message that comes out is read back (samples.pack_attempt).
"""

import collections
import contextlib
import gc
import random
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from enum import Enum

import pytest
from hostile import BAG_CHANGES, DICT_CHANGES, LIST_CHANGES, Odd
from samples import nested, pack_attempt

from oxwire import DecodeError, EncodeError, Raw
from oxwire.msgpack import Decoder, Encoder, Ext, StreamDecoder, decode, encode, encode_into, encode_many

OPTIONS = [{}, {"sort": True}, {"canonical": True}]


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
@pytest.mark.parametrize("change", LIST_CHANGES.values(), ids=LIST_CHANGES)
def test_hooks_change_a_list(change, options):
    for size in (1, 2, 5, 15, 16, 30):
        for at in {0, size // 2, size - 1}:
            target = [str(n) * 5 for n in range(size)]
            target[at] = Odd()

            def hook(value, target=target):
                change(target)
                gc.collect(0)
                return ["fresh"] * 3

            pack_attempt(target, hook, **options)
            pack_attempt({"a": [target, target], "b": 1}, hook, **options)


def test_what_becomes_of_a_list_that_changes():
    for change, wanted in (
        (LIST_CHANGES["clear"], None),
        (LIST_CHANGES["shrink"], None),
        (LIST_CHANGES["grow"], None),
        (LIST_CHANGES["replace"], ["fresh", "1" * 10, "2" * 10]),
        (LIST_CHANGES["there and back"], ["fresh", 1, 2]),
    ):
        target = [Odd(), 1, 2]
        document = {"a": [0, target]}
        if wanted is None:
            with pytest.raises(EncodeError, match="list changed size") as caught:
                encode(document, enc_hook=lambda value: change(target) or "fresh")
            assert caught.value.path.startswith("$.a[1]")
        else:
            message = encode(document, enc_hook=lambda value: [change(target), "fresh"][1])
            assert decode(message) == {"a": [0, wanted]}


# Keys of all sorts, of which none is text.
PACK_CHANGES = DICT_CHANGES | {
    "grow much": lambda target: target.update({n: "x" * n for n in range(500)}),
    "replace all": lambda target: (target.clear(), target.update({(n,): n for n in range(30)})),
    "same size": lambda target: (
        (target.pop(next(iter(target)), None), target.__setitem__(random.random(), "v")) if target else None
    ),
}


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
@pytest.mark.parametrize(
    "kind",
    [dict, collections.OrderedDict, lambda items: collections.defaultdict(list, items), collections.UserDict],
)
@pytest.mark.parametrize("change", PACK_CHANGES.values(), ids=PACK_CHANGES)
def test_hooks_change_a_dict(change, kind, options):
    for size in (1, 2, 6, 15, 40):
        for make in (lambda n: f"key {n}", lambda n: n, lambda n: (n, "x"), lambda n: (f"key {n}", n)[n % 2]):
            for at in {0, size // 2, size - 1}:
                target = kind({make(n): str(n) * 5 for n in range(size)})
                target[make(at)] = Odd()

                def hook(value, target=target):
                    change(target)
                    gc.collect(0)
                    return {"fresh": [1, 2]}

                with contextlib.suppress(KeyError, RuntimeError):
                    pack_attempt([target, {"x": target}], hook, **options)


@pytest.mark.parametrize("change", BAG_CHANGES.values(), ids=BAG_CHANGES)
@pytest.mark.parametrize("make", [set, collections.deque])
def test_hooks_change_sets_and_deques(change, make):
    for size in (1, 5, 16, 40):
        for options in OPTIONS:
            target = make([Odd() for _ in range(size)])

            def hook(value, target=target):
                change(target)
                return "fresh"

            with contextlib.suppress(RuntimeError):
                pack_attempt([target, 1], hook, **options)


def test_hooks_change_what_lazy_sequences_are_made_of():
    for size in (1, 5, 16, 40):
        for make in (
            iter,
            reversed,
            enumerate,
            lambda one: filter(None, one),
            lambda one: (v for v in one),
        ):
            for change in LIST_CHANGES.values():
                target = [Odd()] * size

                def hook(value, target=target, change=change):
                    change(target)
                    return "fresh"

                pack_attempt([make(target), "tail"], hook)
    for view in (dict.keys, dict.values, dict.items):
        target = {n: Odd() for n in range(5)}
        with contextlib.suppress(RuntimeError):
            pack_attempt([view(target), "tail"], lambda value: target.clear() or "fresh")


def test_hooks_change_a_bytearray():
    for change in (
        lambda b: b.clear(),
        lambda b: b.extend(b"x" * 5000),
        lambda b: b.__setitem__(slice(None), b"12"),
    ):
        for wrap in (lambda v: v, memoryview, lambda v: Raw(b"\xc4\x03abc")):
            target = bytearray(b"abc" * 100)

            def hook(value, target=target):
                with contextlib.suppress(BufferError):
                    change(target)
                return target

            pack_attempt([wrap(target), Odd(), {"k": wrap(target)}, Odd(), target], hook)


def test_hooks_drop_the_last_reference():
    class Victim(list):
        """Its items die with it."""

    for _ in range(50):
        root = [Victim([Odd(), b"a" * 1000, [1, 2, 3]]), "b" * 1000]

        def hook(value, root=root):
            inner = root[0] if root else []
            root.clear()
            if isinstance(inner, list):
                inner.clear()
            del inner
            return len(["c" * 1000 for _ in range(10)])

        pack_attempt(root, hook)
    mapping = {"k" * 100: {("inner" * 20,): Odd(), b"z": "y" * 500}, "w": 1}

    def empty(value):
        mapping.pop("k" * 100, None)
        gc.collect(0)
        return ["d" * 500 for _ in range(5)]

    pack_attempt(mapping, empty)
    pack_attempt({"top": mapping}, empty)


def test_hooks_change_what_they_return():
    kept = []

    def hook(value):
        kept.append(value)
        if len(kept) < 20:
            return [Odd(), kept]
        kept.clear()
        return "end"

    pack_attempt([Odd()] * 3, hook)


class Nasty(tzinfo):
    """Runs code while a moment is written."""

    def __init__(self, action):
        self.action = action

    def utcoffset(self, when):
        self.action()
        return timedelta(hours=1)


@pytest.mark.parametrize("options", [*OPTIONS, {"datetime_format": "text"}], ids=repr)
def test_other_code_that_runs_while_a_container_is_held(options):
    target = []
    moment = datetime(2000, 1, 1, tzinfo=Nasty(target.clear))
    target.extend([moment, "x" * 100, moment])
    pack_attempt(target, None, **options)
    mapping = {}
    moment = datetime(2000, 1, 1, tzinfo=Nasty(mapping.clear))
    for entries in ({"a": moment, "c": "d" * 100}, {moment: "b", "c": "d" * 100}, {(1, moment): "b", "c": 1}):
        mapping.update(entries)
        pack_attempt([mapping, 1], None, **options)
    members = {moment, "x", "y"}
    moment.tzinfo.action = members.clear
    with contextlib.suppress(RuntimeError):
        pack_attempt([members, 1], None, **options)

    @dataclass
    class Record:
        first: int
        second: object = None

    held = []
    Record.first = property(lambda self: (held.clear(), "v")[1], lambda self, value: None)
    held.extend([Record(1, "x" * 200), "tail"])
    pack_attempt(held, None, **options)

    class Sneaky(Enum):
        A = 1

        @property
        def value(self):
            held.clear()
            return "v" * 50

    held[:] = [Sneaky.A, "x" * 100]
    pack_attempt(held, None, **options)


def test_records_that_change_as_they_are_written():
    @dataclass
    class Record:
        a: object
        b: object = 2

    for change in (
        lambda one: one.__dict__.pop("b", None),
        lambda one: one.__dict__.clear(),
        lambda one: setattr(one, "c", 3),
        lambda one: setattr(one, "__dict__", {"b": 5, "a": 6}),
        lambda one: delattr(one, "a") if hasattr(one, "a") else None,
    ):
        record = Record(Odd())
        with contextlib.suppress(AttributeError):
            pack_attempt([record, "tail"], lambda value: [change(record), "fresh"])


def test_objects_that_lie_about_their_size():
    class Liar(list):
        def __len__(self):
            return 100

        def __iter__(self):
            return iter([7])

    class Map(dict):
        def __len__(self):
            return 0

        def items(self):
            return [(5, 6)]

    class User(collections.UserDict):
        def __len__(self):
            return 50

    class Bytes(bytes):
        def __len__(self):
            return 2**40

    class Text(str):
        def __len__(self):
            return 0

    class Pairs(tuple):
        def __len__(self):
            return -1

    for liar in (
        Liar([1, 2]),
        Map({1: 2}),
        User({1: 2}),
        Bytes(b"abc"),
        Text("abc"),
        Pairs((1, 2)),
        collections.deque([1]),
    ):
        for options in OPTIONS:
            with contextlib.suppress(RuntimeError):
                pack_attempt([liar, {"k": liar}, 5], None, **options)


@pytest.mark.parametrize(
    "error", [LookupError("mine"), KeyboardInterrupt(), SystemExit(1), EncodeError("mine")]
)
def test_any_code_that_raises(error):
    def fail(*args):
        raise error

    class Member(Enum):
        A = 1
        value = property(fail)

    class Maps(collections.UserDict):
        __getitem__ = fail
        items = keys = __iter__ = fail

    @dataclass
    class Record:
        x: int

    Record.x = property(fail, lambda self, value: None)
    moment = datetime(2000, 1, 1, tzinfo=Nasty(fail))
    values = [Member.A, Maps({"a": 1}), Record(1), moment, (fail() for _ in range(3)), map(fail, [1])]
    for value in values:
        for document in ([value], {"a": (value, 1)}):
            # A generator that has failed is at its end.
            with contextlib.suppress(type(error)):
                encode(document)
                assert hasattr(value, "__next__")
    with pytest.raises(type(error)) as caught:
        encode({(1, moment): 1})
    assert caught.value is error


# The same coder again.


def test_hooks_that_use_the_same_coder():
    encoder = Encoder(enc_hook=lambda value: hook(value), canonical=True)
    depth = 0

    def hook(value):
        nonlocal depth
        depth += 1
        if depth % 7:
            inner = encoder.encode({"b": ["x" * 50] * 20, b"a": Odd() if depth < 30 else None})
            return Raw(inner)
        return decode(encode({"z": [1, 2, {"y": b"w" * 100}]}))

    assert decode(encoder.encode([Odd(), "tail", {"k": Odd()}]))[1] == "tail"
    decoder = Decoder(
        ext_hook=lambda code, body: decoder.decode(body) if body else [code],
        list_hook=lambda made: (made, decoder.decode(b"\x81\xa1k\x05")),
    )
    inner = encode([1, Ext(1, b"")])
    assert decoder.decode(encode({"a": Ext(5, inner)})) == {"a": ([1, [1]], {"k": 5})}


def test_hooks_that_raise_leave_their_coder_usable():
    fail = True

    def hook(value):
        if fail:
            raise KeyboardInterrupt
        return "fine"

    encoder = Encoder(enc_hook=hook)
    value = {"a": ["x" * 5000, {"b": [Odd()]}]}
    for _ in range(20):
        fail = True
        with pytest.raises(KeyboardInterrupt):
            encoder.encode(value)
        with pytest.raises(EncodeError):
            encoder.encode(["y" * 5000, "\ud800"])
        with pytest.raises(KeyboardInterrupt):
            encoder.encode_many([1, value])
        fail = False
        assert decode(encoder.encode(value)) == {"a": ["x" * 5000, {"b": ["fine"]}]}


def test_hooks_that_change_the_buffer_being_read():
    for size in (20, 200, 5000):
        for name in ("ext_hook", "list_hook", "object_hook"):
            value = ["é" * size, Ext(1, b"x"), {"a" * size: [Ext(2, b"y"), {}]}, b"z" * size, [1]]
            data = bytearray(encode(value))

            def hook(*args, data=data):
                for wrong in (b"\xff", b"\xc1", b"\xdd", b"\x91", b"\x01"):
                    data[:] = wrong * len(data)
                # Refused while it is being read, unless what is read is a copy.
                with contextlib.suppress(BufferError):
                    data.clear()
                return None

            for call in (decode, lambda *a, **k: list(fed(*a, **k))):
                with contextlib.suppress(DecodeError):
                    call(data, **{name: hook})
                data[:] = encode(value)


def fed(data, **options):
    stream = StreamDecoder(**options)
    stream.feed(data)
    return stream


def test_hooks_that_change_the_buffer_being_written():
    for action in (
        lambda b: b.clear(),
        lambda b: b.extend(b"x" * 5000),
        lambda b: b.__setitem__(slice(None), b"12"),
        lambda b: encode_into({"inner": [1, 2]}, b, 0),
        lambda b: encode_into({"inner": [1, 2]}, b, -1),
    ):
        buffer = bytearray(b"head" * 100)

        def hook(value, buffer=buffer, action=action):
            action(buffer)
            return "fresh" * 20

        with contextlib.suppress(BufferError, EncodeError, ValueError, IndexError):
            encode_into([Odd(), "tail"], buffer, 4, enc_hook=hook)
        encode_into([1], buffer, 0)
        assert buffer == b"\x91\x01"


def test_hooks_that_change_what_they_are_given():
    def change(made):
        made.clear()
        made.append(made)
        return 5

    def forget(made):
        made.clear()
        gc.collect()
        return made

    data = encode([[1, [2]], {"a": {"b": [3]}}])
    assert decode(data, list_hook=change) == 5
    assert decode(data, list_hook=forget) == []
    assert decode(data, object_hook=forget) == [[1, [2]], {}]
    assert decode(data, object_pairs_hook=lambda pairs: pairs.clear()) == [[1, [2]], None]


def test_keys_that_run_code():
    class Key:
        """Equal to everything, with code in its hash."""

        def __hash__(self):
            gc.collect(0)
            return 1

        def __eq__(self, other):
            return True

    made = decode(encode({Ext(1, b"a"): 1, Ext(1, b"b"): 2, "c": 3}), ext_hook=lambda *a: Key())
    assert sorted(made.values()) == [2, 3]

    class Bad:
        def __hash__(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decode(encode({Ext(1, b"a"): 1}), ext_hook=lambda *a: Bad())


def test_items_from_an_iterator_that_encodes():
    def items():
        for n in range(20):
            yield decode(encode_many([n, {"n": n}])[:1])

    assert encode_many(items()) == bytes(range(20))


# Depth.


@pytest.mark.parametrize("kind", ["list", "tuple", "dict", "mixed"])
def test_depth_does_not_depend_on_the_stack(small_stack, kind):
    deep = nested(1000, kind)
    message = encode(deep)
    for options in OPTIONS:
        assert small_stack(encode, deep, **options) == ("value", message)
        assert small_stack(encode, nested(1001, kind), **options) == ("error", EncodeError)
    for options in ({}, {"list_hook": list}, {"strict": True}, {"use_list": False}, {"raw": True}):
        assert small_stack(lambda: encode(decode(message, **options)))[1] == message
        assert small_stack(decode, message[:-1], **options) == ("error", DecodeError)


@pytest.mark.parametrize("kind", ["list", "dict", "key"])
def test_great_depth_does_not_depend_on_the_stack(small_stack, kind):
    depth = 100_000
    head = {"list": b"\x91", "dict": b"\x81\xa1k", "key": b"\x91"}[kind]
    message = (b"\x81" if kind == "key" else b"") + head * depth + b"\x01\x01"[: 1 + (kind == "key")]

    def round_trip():
        value = decode(message, max_depth=2 * depth)
        written = encode(value, max_depth=2 * depth)
        if kind == "key":
            value = value.popitem()[0]
        # Taken apart level by level, since freeing it at once is the interpreter's own recursion.
        while isinstance(value, (list, dict)) and value:
            value = value.pop() if isinstance(value, list) else value.pop("k")
        return written

    if kind == "key":
        # To hash so deep a tuple is the interpreter's own recursion.
        assert small_stack(decode, message) == ("error", DecodeError)
        return
    assert small_stack(round_trip) == ("value", message)
    assert small_stack(decode, head * 1_000_000) == ("error", DecodeError)
    assert small_stack(lambda: len(bytes(decode(message, max_depth=depth, raw=True)))) == (
        "value",
        len(message),
    )
    stream = StreamDecoder(max_depth=depth)
    stream.feed(message)
    assert small_stack(stream.skip) == ("value", None)


def test_circles_in_every_container(small_stack):
    ring = collections.deque()
    ring.append(ring)
    items = []
    items.append(items)
    mapping = {}
    mapping[1] = mapping
    user = collections.UserDict()
    user["a"] = user

    @dataclass
    class Node:
        next: object = None

    node = Node()
    node.next = node
    for circle in (ring, items, mapping, user, node, [node], {(1, 2): ring}):
        for options in OPTIONS:
            assert small_stack(encode, circle, **options) == ("error", EncodeError)
    with pytest.raises(EncodeError):
        encode(Odd(), enc_hook=lambda value: ring)
