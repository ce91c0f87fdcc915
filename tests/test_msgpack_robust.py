"""Broken messages, huge claims, keys that were met under other options, threads and finalizers."""

import gc
import itertools
import mmap
import random
import struct
import sys
import tempfile
import threading

import pytest
from hostile import check_keys_that_die, check_threads_that_change
from samples import MESSAGES, pack_attempt, run_python, same

from oxwire import DecodeError, EncodeError, Raw
from oxwire import json as oxjson
from oxwire.msgpack import Decoder, Encoder, Ext, StreamDecoder, decode, decode_prefix, encode, encode_many

READINGS = [
    {},
    {"strict": True},
    {"str_errors": "raw", "duplicate_keys": "error"},
    {"str_errors": "surrogateescape", "timestamp": "ns"},
    {"old_spec": True, "timestamp": "timestamp", "big_int_ext": True},
    {"use_list": False, "list_hook": tuple, "object_pairs_hook": dict, "timestamp": "float"},
    {
        "max_str_len": 5,
        "max_array_len": 3,
        "max_map_len": 3,
        "max_bin_len": 2,
        "max_ext_len": 12,
        "max_depth": 3,
    },
    {"raw": True},
]


def value_or_error(data, **options):
    """Nothing but a value or DecodeError comes out."""
    try:
        value, n = decode_prefix(data, **options)
    except DecodeError as error:
        assert 0 <= error.offset <= len(data)
        return
    assert 0 < n <= len(data)
    if options == {"raw": True}:
        assert bytes(value) == bytes(data[:n])


@pytest.mark.parametrize("options", READINGS, ids=repr)
def test_every_truncation_and_mutation(options):
    decoder = Decoder(**options)
    for message in MESSAGES:
        for end in range(len(message)):
            with pytest.raises(DecodeError):
                decoder.decode(message[:end])
            value_or_error(message[end:], **options)
            value_or_error(memoryview(message)[end // 2 : end], **options)
        if len(message) > 30 and options:
            continue
        for at in range(len(message)):
            changed = bytearray(message)
            for byte in range(256):
                changed[at] = byte
                value_or_error(changed, **options)


def test_mutations_of_longer_messages():
    random.seed(9)
    message = b"\xdc" + struct.pack(">H", len(MESSAGES) * 3) + b"".join(MESSAGES * 3)
    for n in range(4000):
        changed = bytearray(message)
        for _ in range(random.choice((1, 1, 1, 2, 5))):
            at = random.randrange(len(changed))
            match random.randrange(3):
                case 0:
                    changed[at] = random.randrange(256)
                case 1:
                    del changed[at : at + random.randrange(1, 9)]
                case 2:
                    changed[at:at] = random.choice(
                        (b"\xc1", b"\xdf\xff", b"\x81", b"\xdd", b"\xd9\xff", b"\xff\xfe")
                    )
        value_or_error(bytes(changed), **READINGS[n % len(READINGS)])


def test_random_bytes():
    random.seed(10)
    for n in range(4000):
        value_or_error(random.randbytes(random.randrange(60)), **READINGS[n % len(READINGS)])
        value_or_error(
            bytes(random.choices(range(0x80, 0x100), k=random.randrange(60))), **READINGS[n % len(READINGS)]
        )


def test_streams_of_broken_bytes():
    random.seed(11)
    for n in range(300):
        data = bytearray(b"".join(random.choices(MESSAGES, k=5)))
        for _ in range(3):
            data[random.randrange(len(data))] = random.randrange(256)
        stream = StreamDecoder(**READINGS[n % len(READINGS)])
        at = last = 0
        while at < len(data):
            step = random.randrange(1, 20)
            stream.feed(data[at : at + step])
            at += step
            for call in (
                lambda: [*stream],
                stream.skip,
                stream.read_array_header,
                stream.read_map_header,
                stream.read,
            ):
                try:
                    call()
                except (DecodeError, EOFError, ValueError):
                    pass
                assert last <= stream.tell() <= len(data)
                last = stream.tell()


# Claims that nothing stands behind.

CLAIMS = """
import resource
from oxwire import DecodeError
from oxwire.msgpack import *
resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))
heads = ["dbffffffff", "c6ffffffff", "c9ffffffff05", "ddffffffff", "dfffffffff", "dcffff", "deffff"]
heads += ["dd7fffffff", "df7fffffff", "dd10000000", "db7fffffff"]
for head in map(bytes.fromhex, heads):
    for around in (b"", b"\\x91", b"\\x81\\x01", b"\\x81", b"\\xdd\\xff\\xff\\xff\\xff" * 200, b"\\x81\\xa1k" * 500):
        for tail in (b"", b"\\x01", b"\\xc0" * 1000):
            data = around + head + tail
            for options in ({{}}, {{"raw": True}}, {{"use_list": False}}, {{"object_pairs_hook": list}}, {{"list_hook": len}},
                            {{"strict": True}}, {{"str_errors": "raw"}}, {{"big_int_ext": 5, "ndarray_ext": 5}}):
                for call in (decode, decode_prefix):
                    try:
                        call(data, **options)
                    except DecodeError as error:
                        assert error.offset <= len(data)
                    else:
                        raise SystemExit("taken: " + data[:20].hex())
                stream = StreamDecoder(**options)
                stream.feed(data)
                try:
                    assert list(stream) == []
                except DecodeError as error:
                    # That a map cannot be a key can be seen before all has come.
                    assert "key" in str(error)
    # Entering it makes nothing.
    stream = StreamDecoder()
    stream.feed(head)
    for enter in (stream.read_array_header, stream.read_map_header):
        try:
            enter()
        except (ValueError, EOFError):
            pass
print("well")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only here is the address space certain to be limited")
def test_claims_of_great_length_under_a_small_memory_cap():
    assert run_python(CLAIMS.format(limit=400 << 20)).strip() == "well"


AMPLE = """
import tracemalloc
from oxwire import DecodeError
from oxwire.msgpack import *
worst = 0
for data in (
    b"\\xdd\\x00\\x0f\\xff\\xff" + b"\\x01" * 1000,
    (b"\\xdd\\x00\\x00\\x03\\xff" * 300),
    (b"\\xdf\\x00\\x00\\x03\\xff\\x01" * 300),
    b"\\xdd\\x00\\x00\\x10\\x00" + (b"\\xdd\\x00\\x00\\x03\\xff") * 999,
    b"\\xdc\\x10\\x00" * 1300,
):
    for options in ({}, {"use_list": False}, {"object_pairs_hook": list}):
        tracemalloc.start()
        try:
            decode(data, max_depth=2000, **options)
        except DecodeError:
            pass
        worst = max(worst, tracemalloc.get_traced_memory()[1] / len(data))
        tracemalloc.stop()
print(worst)
"""


def test_memory_stays_in_proportion_to_what_has_come():
    # Nested claims, each of which alone the rest of the input could justify.
    assert float(run_python(AMPLE)) < 600


@pytest.mark.skipif(sys.platform != "linux", reason="other systems make no file of that size")
def test_buffers_larger_than_memory():
    with tempfile.TemporaryFile() as file:
        try:
            file.truncate(1 << 43)
            huge = mmap.mmap(file.fileno(), 1 << 43, prot=mmap.PROT_READ)
        except (OSError, ValueError, OverflowError):
            pytest.skip("no file of that size can be mapped here")
        try:
            view = memoryview(huge)
            for call in (encode, Raw, StreamDecoder().feed, lambda v: encode([v, 1])):
                with pytest.raises((MemoryError, EncodeError)):
                    call(view)
            # A message is read where it stands.
            try:
                assert decode_prefix(view) == (0, 1)
            except MemoryError:
                pass
            view.release()
        finally:
            huge.close()


# Keys that were met before.


def test_keys_are_not_taken_for_what_other_options_made_of_them():
    keys = ["plain", "é", "x" * 30, "y" * 40, "_"]
    forms = []
    for key in keys:
        body = key.encode()
        forms += [
            b"\xd9" + bytes([len(body)]) + body,
            b"\xda" + struct.pack(">H", len(body)) + body,
            encode(key),
        ]
        forms += [encode(body), encode(Ext(5, body)), encode((key,))]
    messages = [b"\x81" + form + b"\1" for form in forms]
    messages += [b"\x82" + form + b"\1" + form + b"\2" for form in forms]
    messages += [b"\x92" + one + one for one in messages]
    readings = [
        *READINGS,
        {"_map_keys": "text"},
        {"max_str_len": 4},
        {"max_array_len": 0},
        {"max_ext_len": 3},
    ]
    readings += [
        {"max_bin_len": 3},
        {"object_hook": len},
        {"object_pairs_hook": list},
        {"duplicate_keys": "error"},
    ]
    decoders = [Decoder(**options) for options in readings]

    def outcome(decoder, message):
        try:
            return repr(decoder.decode(message))
        except DecodeError as error:
            return error.msg, error.offset

    first = {}
    for n, decoder in enumerate(decoders):
        for message in messages:
            first[n, message] = outcome(decoder, message)
    order = list(first)
    for seed in range(4):
        random.Random(seed).shuffle(order)
        for n, message in order:
            assert outcome(decoders[n], message) == first[n, message], (readings[n], message)


@pytest.mark.parametrize("letter", ["x", "é", "漢", "😀"])
def test_keys_are_not_written_as_other_options_wrote_them(letter):
    ways = [{}, {"old_spec": True}, {"sort": True}, {"canonical": True}, {"str_errors": "surrogateescape"}]
    for length in range(90):
        key = letter * length + "."
        body = key.encode()
        n = len(body)
        short = (
            bytes([0xA0 + n])
            if n < 32
            else b"\xd9" + bytes([n])
            if n < 256
            else b"\xda" + struct.pack(">H", n)
        )
        old = short if n < 32 else b"\xda" + struct.pack(">H", n)
        for _, options in itertools.product(range(3), ways):
            for more in ({}, {"canonical": True}, {"sort": True}):
                head = old if "old_spec" in options else short
                assert encode({key: 1}, **options | more) == b"\x81" + head + body + b"\1", (
                    key,
                    options,
                    more,
                )
                assert encode([key], **options | more) == b"\x91" + head + body
        assert oxjson.encode({key: 1}) == b'{"' + body + b'":1}'


@pytest.mark.parametrize("options", READINGS[1:], ids=repr)
def test_what_was_taught_plainly_holds_for_no_other_options(options):
    # The same messages in a process where nothing else was read, and here after plain reading has taught all keys.
    messages = [
        bytes.fromhex(text)
        for text in (
            "81a9" + b"a key 001".hex() + "01",
            "81d909" + b"a key 001".hex() + "01",
            "82a9" + b"a key 001".hex() + "01a9" + b"a key 001".hex() + "02",
            "82a9" + b"a key 001".hex() + "01d909" + b"a key 001".hex() + "02",
            "81c409" + b"a key 001".hex() + "01",
            "9281a9" + b"a key 001".hex() + "0181a9" + b"a key 002".hex() + "02",
            "81a9" + b"a key 00\xff".hex() + "01",
        )
    ]
    code = f"""
from oxwire import DecodeError
from oxwire.msgpack import *
for message in {[m.hex() for m in messages]!r}:
    message = bytes.fromhex(message)
    for _ in range(int(sys.argv[1])):
        try: decode(message)
        except DecodeError: pass
    try: print(repr(decode(message, **{options!r})))
    except DecodeError as error: print(error)
"""
    code = code.replace("<class 'tuple'>", "tuple").replace("<class 'dict'>", "dict")
    code = "import sys; sys.argv = ['', '%d']" + code
    assert run_python(code % 0) == run_python(code % 5)


def test_formats_in_turns():
    # The text of a key may look like the head of another, in either format.
    keys = [
        "a",
        '"',
        '\\"',
        "k" * 31,
        "k" * 32,
        "\xa1a",
        "\x81",
        "é€",
        'x":1,"y',
        "a\x01",
        "\x00",
        "\x7f",
        "0",
    ]
    keys += [bytes(range(at, at + 6)).decode() for at in range(0, 120, 6)]
    values = [dict.fromkeys(pair, n) for n, pair in enumerate(itertools.combinations(keys, 2))]
    for _ in range(2):
        for value in values:
            assert oxjson.decode(oxjson.encode(value)) == value
            assert decode(encode(value)) == value
            assert decode(encode({(tuple(value),): value})) == {(tuple(value),): value}
            assert decode(encode(value, old_spec=True), old_spec=True) == {
                k.encode(): v for k, v in value.items()
            }
            assert encode(value) == encode(dict(value))


def test_many_keys_come_back_exactly():
    random.seed(11)
    keys = [random.randbytes(random.randrange(1, 12)).hex() for _ in range(40_000)]
    keys += [f"{'é' * (n % 40)}{n}" for n in range(3000)] + ["x" * n for n in range(300)]
    keys += [random.randrange(2**64) for _ in range(3000)] + [key.encode() for key in keys[:3000]]
    value = {key: n for n, key in enumerate(keys)}
    message = encode(value)
    for _ in range(2):
        assert same(decode(message), value)
    assert encode(decode(message)) == message
    for key in keys[:3000]:
        assert decode(encode({key: key})) == {key: key}


def test_keys_that_differ_in_one_bit():
    for length in (1, 5, 8, 15, 16, 31, 32, 33, 63, 64, 65):
        base = b"m" * length
        keys = set()
        for at in range(length):
            for bit in range(6):
                changed = bytearray(base)
                changed[at] ^= 1 << bit
                keys.add(changed.decode())
        for key in [*keys] * 2:
            (again,) = decode(encode({key: 1}))
            assert again == key


def test_a_key_of_a_shape_that_was_met():
    # Rows of one shape, one of which differs in a single place.
    row = {"id": 1, "name": "x", "tags": [], b"raw": None, 5: {"a": 1, "b": 2}}
    rows = [dict(row) for _ in range(50)]
    rows[20] = {**row, "nam€": 1}
    rows[30] = {"name": "x", "id": 1}
    rows[31] = {}
    rows[40] = {**row, "name": {"id": {"name": 1}}}
    assert decode(encode(rows)) == rows
    assert [list(one) for one in decode(encode(rows))] == [list(one) for one in rows]


def test_finalizers_of_keys_that_were_written_before():
    check_keys_that_die(encode, decode)


# Threads and finalizers.


def test_threads():
    value = {f"key {n}": [n, str(n).encode(), None, {(n, "é"): "x" * n}] for n in range(60)}
    message = encode(value)
    encoder, decoder = Encoder(enc_hook=lambda v: decode(message)), Decoder(ext_hook=lambda *a: a)
    failed = []

    def work(seed):
        own = random.Random(seed)
        try:
            for n in range(60):
                assert decode(message) == value
                assert encode(value) == message
                key = f"own {seed} {own.random()}"
                assert decode(encode({key: [n] * 50})) == {key: [n] * 50}
                with pytest.raises(DecodeError):
                    decode(message[:-1])
                assert encoder.encode([object()]) == b"\x91" + message
                assert decoder.decode(encode([Ext(5, b"x"), n])) == [(5, b"x"), n]
                stream = StreamDecoder()
                stream.feed(message[: 50 + n])
                stream.feed(message[50 + n :])
                assert stream.read() == value
        except BaseException as error:  # noqa: BLE001 - reported below
            failed.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_threads_change_what_others_write():
    check_threads_that_change(pack_attempt, int)


def test_finalizers_that_encode():
    results = []

    class Dying:
        def __del__(self):
            results.append(encode(decode(b"\x81\xa1a\x93\1\2\x80")))

    class Odd:
        pass

    def hook(*args):
        ring = [Dying()]
        ring.append(ring)
        del ring
        gc.collect()
        return decode(b"\x91\1")

    assert encode([Odd(), {"k": Odd()}], enc_hook=hook) == b"\x92\x91\1\x81\xa1k\x91\1"
    assert decode(encode_many([[Ext(1, b""), {}]]), ext_hook=hook, object_hook=hook) == [[1], [1]]
    assert set(results) == {b"\x81\xa1a\x93\1\2\x80"}
    before = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        for message in MESSAGES:
            ring = [Dying()]
            ring.append(ring)
            assert encode(decode(message))
    finally:
        gc.set_threshold(*before)
