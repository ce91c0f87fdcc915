"""User code that changes, re-enters or breaks what is being written: a value or an error, never a crash."""

import collections
import contextlib
import gc
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from enum import Enum

import pytest
from hostile import BAG_CHANGES, DICT_CHANGES, LIST_CHANGES, Odd
from samples import attempt, nested

from oxwire import DecodeError, EncodeError, Raw
from oxwire.json import Decoder, Encoder, StreamDecoder, decode, encode, encode_into, encode_lines


@pytest.mark.parametrize("options", [{}, {"indent": 2}, {"sort": True}], ids=repr)
@pytest.mark.parametrize("change", LIST_CHANGES.values(), ids=LIST_CHANGES)
def test_hooks_change_a_list(change, options):
    for size in (1, 2, 5, 30):
        for at in {0, size // 2, size - 1}:
            target = [str(n) * 5 for n in range(size)]
            target[at] = Odd()

            def hook(value, target=target):
                change(target)
                gc.collect(0)
                return ["fresh"] * 3

            attempt(target, hook, **options)
            attempt({"a": [target, target]}, hook, **options)


@pytest.mark.parametrize("options", [{}, {"indent": 2}, {"sort": True}, {"canonical": True}], ids=repr)
@pytest.mark.parametrize(
    "kind", [dict, collections.OrderedDict, lambda items: collections.defaultdict(list, items)]
)
@pytest.mark.parametrize("change", DICT_CHANGES.values(), ids=DICT_CHANGES)
def test_hooks_change_a_dict(change, kind, options):
    for size in (1, 2, 6, 40):
        for at in {0, size // 2, size - 1}:
            target = kind({f"key {n}": str(n) * 5 for n in range(size)})
            target[f"key {at}"] = Odd()

            def hook(value, target=target):
                change(target)
                gc.collect(0)
                return {"fresh": [1, 2]}

            attempt(target, hook, **options)
            attempt([target, {"x": target}], hook, **options)


@pytest.mark.parametrize("change", BAG_CHANGES.values(), ids=BAG_CHANGES)
def test_hooks_change_sets_and_deques(change):
    for size in (1, 5, 40):
        for make in (set, collections.deque):
            target = make([Odd() for _ in range(size)])

            def hook(value, target=target):
                change(target)
                return "fresh"

            try:
                encode([target], enc_hook=hook)
            except (EncodeError, RuntimeError) as error:
                assert "changed" in str(error) or "mutated" in str(error) or "iteration" in str(error)


def test_hooks_drop_the_last_reference():
    # The only owner of each value is a container that the hook empties.
    class Victim(list):
        """Its items die with it."""

    for _ in range(50):
        root = [Victim([Odd(), "a" * 1000, [1, 2, 3]]), "b" * 1000]

        def hook(value, root=root):
            inner = root[0] if root else []
            root.clear()
            if isinstance(inner, list):
                inner.clear()
            del inner
            junk = ["c" * 1000 for _ in range(10)]
            return len(junk)

        attempt(root, hook)
    mapping = {"k" * 100: {"inner" * 20: Odd(), "z": "y" * 500}, "w": 1}

    def empty(value):
        mapping.pop("k" * 100, None)
        gc.collect(0)
        return ["d" * 500 for _ in range(5)]

    attempt(mapping, empty)
    attempt({"top": mapping}, empty)


def test_hooks_change_what_they_return():
    kept = []

    def hook(value):
        kept.append(value)
        if len(kept) < 20:
            result = [Odd(), kept]
            return result
        kept.clear()
        return "end"

    attempt([Odd()] * 3, hook)


def test_iterators_that_change_their_source():
    target = [1, 2, 3]

    def source():
        for item in range(5):
            target.clear()
            target.extend(range(item))
            yield target

    assert decode(encode([target, source()]))
    mapping = {"a": 1}

    class Keys(collections.UserDict):
        """A mapping that changes another while it is read."""

        def __getitem__(self, key):
            mapping[f"n{len(mapping)}"] = 1
            return super().__getitem__(key)

    attempt({"m": mapping, "u": Keys({"a": 1, "b": 2})}, None)


class Nasty(tzinfo):
    """Runs code while a moment is written."""

    def __init__(self, action):
        self.action = action

    def utcoffset(self, when):
        self.action()
        return timedelta(hours=1)


def test_other_code_that_runs_while_a_container_is_held():
    target = []
    moment = datetime(2000, 1, 1, tzinfo=Nasty(target.clear))
    target.extend([moment, "x" * 100, moment])
    attempt(target, None)
    mapping = {}
    moment = datetime(2000, 1, 1, tzinfo=Nasty(mapping.clear))
    mapping.update({"a": moment, moment: "b", "c": "d" * 100})
    attempt(mapping, None)
    attempt(mapping, None, sort=True)

    @dataclass
    class Record:
        """Its first field is a property that empties the list the record stands in."""

        first: int
        second: object = None

    held = []
    Record.first = property(lambda self: (held.clear(), "v")[1], lambda self, value: None)
    held.extend([Record(1, "x" * 200), "tail"])
    attempt(held, None)

    class Sneaky(Enum):
        """Its value empties the list the member stands in."""

        A = 1

        @property
        def value(self):
            held.clear()
            return "v" * 50

    held[:] = [Sneaky.A, "x" * 100]
    attempt(held, None)


@pytest.mark.parametrize(
    "error",
    [LookupError("mine"), KeyboardInterrupt(), SystemExit(1), EncodeError("mine"), StopIteration("mine")],
)
def test_any_code_that_raises(error):
    def fail(*args):
        raise error

    class Member(Enum):
        """Its value cannot be had."""

        A = 1
        value = property(fail)

    class Iterates(collections.deque):
        """Cannot be iterated."""

        __iter__ = fail

    class Maps(collections.UserDict):
        """Cannot be read."""

        __getitem__ = fail
        items = keys = __iter__ = fail

    @dataclass
    class Record:
        """Its field cannot be read."""

        x: int

    Record.x = property(fail, lambda self, value: None)
    broken = [
        Member.A,
        Maps({"a": 1}),
        Record(1),
        datetime(2000, 1, 1, tzinfo=Nasty(fail)),
        (fail() for _ in range(3)),
        map(fail, [1]),
    ]
    for value in broken:
        for document in ([value], {"a": (value, 1)}):
            try:
                encode(document)
            except BaseException as caught:  # noqa: BLE001 - KeyboardInterrupt among them
                if isinstance(error, StopIteration) and not isinstance(caught, StopIteration):
                    continue
                assert caught is error or type(caught) is type(error)
    try:
        encode([Iterates([1])])
    except type(error) as caught:
        assert caught is error


def test_hooks_that_use_the_same_coder():
    encoder = Encoder(enc_hook=lambda value: hook(value), sort=True)
    depth = 0

    def hook(value):
        nonlocal depth
        depth += 1
        if depth % 7:
            inner = encoder.encode({"b": ["x" * 50] * 20, "a": Odd() if depth < 30 else None})
            return Raw(inner)
        return decode(b'{"z":[1,2,{"y":"' + b"w" * 100 + b'"}]}')

    assert decode(encoder.encode([Odd(), "tail", {"k": Odd()}]))[1] == "tail"
    decoder = Decoder(
        float_hook=lambda text: (decoder.decode(b'{"a":[1,2,"%s"]}' % text.encode()), encoder.encode([text]))
    )
    assert decoder.decode(b'[1.5, {"key": 2.5, "a": 1}]')[1]["key"][0] == {"a": [1, 2, "2.5"]}


def test_hooks_that_change_the_buffer_being_read():
    for size in (20, 200, 5000):
        data = bytearray(b'["' + "é".encode() * size + b'", 1.5, "' + b"a" * size + b'", 2.5, {"k": [3.5]}]')

        def hook(text, data=data):
            for wrong in (b"\xff", b'"', b"\\", b"[", b"1"):
                data[:] = wrong * len(data)
            # Refused while it is being read, unless what is read is a copy.
            with contextlib.suppress(BufferError):
                data.clear()
            return text

        try:
            decode(data, float_hook=hook)
        except DecodeError:
            pass
        gc.collect()


def test_hooks_that_change_the_buffer_being_written():
    for action in (
        lambda b: b.clear(),
        lambda b: b.extend(b"x" * 5000),
        lambda b: b.__setitem__(slice(None), b"12"),
    ):
        buffer = bytearray(b"head" * 100)

        def hook(value, buffer=buffer, action=action):
            action(buffer)
            return "fresh" * 20

        try:
            encode_into([Odd(), "tail"], buffer, 4, enc_hook=hook)
        except (BufferError, EncodeError, ValueError, IndexError):
            pass
        assert isinstance(bytes(buffer), bytes)
        encode_into([1], buffer, 0)
        assert buffer == b"[1]"

    buffer = bytearray()

    def again(value):
        encode_into({"inner": [1, 2]}, buffer, 0)
        return "x"

    try:
        encode_into([Odd()] * 3, buffer, 0, enc_hook=again)
    except (BufferError, EncodeError):
        pass


def test_hooks_that_feed_the_decoder_they_serve():
    outcome = []

    def hook(text):
        try:
            decoder.feed(b"[0]" * 3)
            outcome.append(list(decoder)[:1])
            decoder.close()
        except Exception as error:  # noqa: BLE001 - any refusal will do
            outcome.append(error)
        return text

    decoder = StreamDecoder(float_hook=hook)
    decoder.feed(b"[1.5,2.5] [3.5] ")
    try:
        list(decoder)
    except (DecodeError, ValueError, RuntimeError, TypeError):
        pass
    assert outcome


def test_lines_from_an_iterator_that_encodes():
    def items():
        for n in range(20):
            yield decode(encode_lines([n, {"n": n}]).split()[0])

    assert encode_lines(items()) == b"".join(b"%d\n" % n for n in range(20))


# Depth.


@pytest.mark.parametrize("kind", ["list", "tuple", "dict", "mixed"])
def test_depth_does_not_depend_on_the_stack(small_stack, kind):
    deep = nested(1000, kind)
    assert small_stack(encode, deep) == ("value", encode(deep))
    assert small_stack(encode, nested(1001, kind)) == ("error", EncodeError)
    data = encode(deep)
    assert small_stack(lambda: encode(decode(data)))[1] == data
    assert small_stack(lambda: encode(deep, indent=2))[0] == "value"
    assert small_stack(lambda: encode(deep, sort=True))[0] == "value"
    assert small_stack(decode, data.replace(b"]", b"").replace(b"}", b"")) == ("error", DecodeError)


@pytest.mark.parametrize("kind", ["list", "dict"])
def test_great_depth_does_not_depend_on_the_stack(small_stack, kind):
    def document(depth):
        return b"[" * depth + b"]" * depth if kind == "list" else b'{"a":' * depth + b"1" + b"}" * depth

    data = document(100_000)

    def round_trip():
        value = decode(data, max_depth=100_000)
        written = encode(value, max_depth=100_000)
        # Taken apart level by level, since freeing it at once is the interpreter's own recursion.
        while isinstance(value, (list, dict)) and value:
            value = value.pop() if isinstance(value, list) else value.pop("a")
        return written

    def outcome():
        try:
            return ("value", round_trip())
        except (EncodeError, DecodeError) as error:
            return ("error", type(error))

    here = outcome()
    there = small_stack(round_trip)
    assert here[0] == there[0]
    assert here == there
    assert here[0] == "error" or here[1] == data
    assert small_stack(decode, document(1_000_000)) == ("error", DecodeError)


def test_deep_hooks_and_records(small_stack):
    @dataclass
    class Node:
        """A chain of records."""

        next: object

    chain = None
    for _ in range(999):
        chain = Node(chain)
    assert small_stack(lambda: encode(chain).count(b"{"))[1] == 999
    calls = [0]

    def hook(value):
        calls[0] += 1
        return [Odd()] if calls[0] < 900 else "end"

    assert small_stack(lambda: encode(Odd(), enc_hook=hook).count(b"["))[0] == "value"
    iterators = None
    for _ in range(900):
        iterators = filter(lambda item: True, [iterators])
    assert small_stack(lambda: encode(iterators).count(b"["))[0] == "value"


def test_circles_in_every_container(small_stack):
    ring = collections.deque()
    ring.append(ring)
    mapping = collections.OrderedDict()
    mapping["a"] = mapping
    user = collections.UserDict()
    user["a"] = user

    @dataclass
    class Node:
        """Its own successor."""

        next: object = None

    node = Node()
    node.next = node
    for circle in (ring, mapping, user, node, [node], {"a": ring}):
        assert small_stack(encode, circle) == ("error", EncodeError)
    with pytest.raises(EncodeError):
        encode(Odd(), enc_hook=lambda value: ring)
