"""oxwire.native and hostile messages, objects and classes: bounds in time and memory, nothing half-built, nothing leaked."""

import dataclasses
import gc
import sys
import threading
import tracemalloc

import pytest
from soon import ends_soon

from oxwire import DecodeError, EncodeError
from oxwire.native import Decoder, Encoder, decode, encode

HEADER = b"\xb0"


def varint(n):
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def new(distance):
    return b"\x5c" + varint(distance)


def ref(n):
    return bytes([0x6D + n if n < 19 else 0xC5 + n]) if n < 26 else b"\x5b" + varint(n)


def quick(message, **options):
    """A refusal that comes soon, in less than 10 MB."""
    tracemalloc.start()
    try:
        with ends_soon(), pytest.raises(DecodeError) as caught:
            decode(message, **options)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 10_000_000
    return str(caught.value)


@pytest.mark.parametrize("step", [b"\x41", b"\x49", b"\x05\x01\xe1", b"\x08\x01\x21a"])
def test_depth_when_reading(step):
    assert "nest deeper" in quick(HEADER + step * 1_000_000 + b"\x58")


def test_depth_when_writing(small_stack):
    for make in (lambda v: [v], lambda v: (v,), lambda v: {"a": v}, lambda v: {1: v}):
        value = None
        for _ in range(100_000):
            value = make(value)
        with pytest.raises(EncodeError, match="nest deeper"):
            encode(value)
        assert small_stack(encode, value, max_depth=200_000)[0] == "value"
    deep = encode([], max_depth=2)
    assert decode(deep) == []


def test_depth_beyond_the_stack(small_stack):
    value = []
    for _ in range(50_000):
        value = [value]
    _, data = small_stack(encode, value, max_depth=60_000)
    _, again = small_stack(decode, data, max_depth=60_000)
    depth = 0
    while again:
        [again] = again
        depth += 1
    assert depth == 50_000


@pytest.mark.parametrize("tag", [1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 17])
def test_lengths_that_lie(tag):
    for n in (1 << 31, 1 << 40, (1 << 63) - 1):
        assert "unexpected end" in quick(HEADER + bytes([tag]) + varint(n) + b"\x58" * 100)
    assert "unexpected end" in quick(HEADER + b"\x0c\x03" + varint(1 << 40) + b"\x58" * 100)


def test_a_billion_references_are_cheap():
    # Each list holds the one before it twice: 2**60 values for whoever walks them, 60 lists here.
    parts = [b"\xc0"]
    for n in range(60):
        parts.append(b"\xc2" + new(len(parts[-1]) + 1) + ref(n))
    data = HEADER + b"\x03" + varint(len(parts)) + b"".join(parts)
    last = decode(data)[-1]
    for _ in range(60):
        assert last[0] is last[1]
        last = last[0]


def tuples(n):
    parts = [b"\xca\x58\x58"]
    for i in range(n):
        parts.append(b"\xca" + new(len(parts[-1]) + 1) + ref(i))
    key = new(len(parts[-1]) + 2)
    return HEADER + b"\x4a\x03" + varint(len(parts)) + b"".join(parts) + b"\x05\x01" + key + b"\x58"


def test_keys_whose_hash_takes_for_ever():
    assert "beyond a limit" in quick(tuples(26))
    assert "beyond a limit" in quick(tuples(200))
    assert decode(tuples(9))


def test_keys_that_collide():
    colliding = [k * (2**61 - 1) for k in range(2, 8002)]
    for value in (dict.fromkeys(colliding), set(colliding), frozenset(colliding)):
        data = encode(value)
        assert "beyond a limit" in quick(data)
    small = dict.fromkeys(colliding[:50])
    assert decode(encode(small)) == small
    many = dict.fromkeys(range(-5000, 5000))
    assert decode(encode(many)) == many
    floats = {float(i) + 0.5 for i in range(5000)}
    assert decode(encode(floats)) == floats


def test_integers_that_are_too_long():
    big = 1 << 8 * 70_000
    data = encode(big)
    assert "beyond a limit" in quick(data)
    assert decode(data, max_int_bytes=100_000) == big


def test_hashes_and_comparisons_wait_for_the_graph():
    seen = []

    @dataclasses.dataclass(eq=False)
    class Key:
        name: str
        owner: object

        def __hash__(self):
            seen.append((self.name, self.owner["list"][:]))
            return hash(self.name)

        def __eq__(self, other):
            return self.name == other.name

    owner = {"list": [1, 2]}
    owner["set"] = {Key("a", owner), Key("b", owner)}
    data = encode(owner, registry=[Key])
    seen.clear()
    again = decode(data, registry=[Key])
    assert sorted(seen) == [("a", [1, 2]), ("b", [1, 2])]
    assert all(key.owner is again for key in again["set"])


def test_what_hashing_raises():
    @dataclasses.dataclass
    class NoHash:
        a: int

    class Wild:
        def __hash__(self):
            return hash(self.a)

    wild = Wild()
    wild.a = 1
    data = encode({wild: 1}, registry=[Wild])

    class Raising(Wild):
        def __hash__(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        decode(data, registry=[Raising])
    with pytest.raises(DecodeError, match="key of this kind"):
        decode(data, registry={0: type("Plain", (), {"__hash__": None})})


def test_equal_keys_of_users_are_refused():
    @dataclasses.dataclass(frozen=True)
    class Key:
        a: int

    @dataclasses.dataclass(frozen=True)
    class Same:
        a: int

        def __eq__(self, other):
            return True

        def __hash__(self):
            return 1

    data = encode({Key(1): 1, Key(2): 2}, registry=[Key])
    with pytest.raises(DecodeError, match="stands twice"):
        decode(data, registry=[Same])


def test_objects_that_change_while_they_are_written():
    outer = []

    class Spiteful:
        @property
        def __dict__(self):
            outer.clear()
            return {}

    outer += [Spiteful(), 1, 2, 3]
    with pytest.raises(EncodeError, match="changed size"):
        encode(outer, registry=[Spiteful])

    class Growing:
        def __init__(self, d):
            self.d = d

        def __getattribute__(self, name):
            object.__getattribute__(self, "d")[len(object.__getattribute__(self, "d"))] = 1
            return object.__getattribute__(self, name)

    d = {}
    d[0] = Growing(d)
    d[1] = 2
    with pytest.raises(EncodeError, match="changed size"):
        encode(d, registry=[Growing])


def test_codecs_can_be_entered_again():
    encoder = Encoder(registry=None)

    class Inner:
        @property
        def __dict__(self):
            encoder.encode([1, "a", {"b": 2}])
            return {"a": encoder.encode({"x": []})}

    encoder = Encoder(registry=[Inner])
    value = ["text" * 2, Inner(), "text" * 2]
    assert len({encoder.encode(value) for _ in range(3)}) == 1

    class Slow:
        pass

    decoder = Decoder(registry=[Slow])
    slow = Slow()
    slow.a = ["b"] * 5
    data = encode([slow] * 3, registry=[Slow])
    assert decoder.decode(data)[0].a == ["b"] * 5


def test_threads():
    value = [{"a": [i, str(i) * 3], "b": {"c": (i, i)}} for i in range(200)]
    encoder, decoder, wrong = Encoder(), Decoder(), []

    def work():
        for _ in range(50):
            if decoder.decode(encoder.encode(value)) != value:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_nothing_leaks():
    @dataclasses.dataclass
    class P:
        x: object

    cycle = []
    cycle.append(cycle)
    shared = "shared text"
    value = [
        P(1),
        P([shared, shared]),
        {"a": shared, "b": (1, 2)},
        {1: {2}, (3, "x"): frozenset({4})},
        cycle,
        b"b" * 50,
        10**30,
    ]
    encoder, decoder = Encoder(registry=[P]), Decoder(registry=[P])
    data = encoder.encode(value)
    bad = [data[:n] for n in range(len(data))] + [
        data[:n] + b"\xff" + data[n + 1 :] for n in range(len(data))
    ]

    def work():
        encoder.encode(value)
        decoder.decode(data)
        for one in bad:
            try:
                decoder.decode(one)
            except DecodeError:
                pass
        with pytest.raises(EncodeError):
            encoder.encode([value, object()])

    for _ in range(3):
        work()
    gc.collect()
    counts = sys.getrefcount(P), sys.getrefcount(shared), len(gc.get_objects())
    for _ in range(20):
        work()
    gc.collect()
    after = sys.getrefcount(P), sys.getrefcount(shared), len(gc.get_objects())
    assert after[:2] == counts[:2]
    assert abs(after[2] - counts[2]) < 50
