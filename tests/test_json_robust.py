"""Broken documents, keys made to collide, threads and finalizers: the right value, or an error."""

import gc
import random
import threading

import pytest
from hostile import check_threads_that_change
from samples import DOCUMENTS, attempt

import oxwire
from oxwire import DecodeError
from oxwire.json import decode, encode


class Odd:
    """Goes to the hook."""


# Broken documents.


def value_or_error(data):
    """Nothing but a value or DecodeError comes out."""
    try:
        return decode(data)
    except DecodeError as error:
        assert 0 <= error.offset <= len(data)
        assert error.line >= 1
        assert error.column >= 1


def test_every_truncation():
    for document in DOCUMENTS:
        for end in range(len(document)):
            value_or_error(document[:end])
            value_or_error(document[end:])
            value_or_error(memoryview(document)[end // 2 : end])


def test_every_mutation_of_one_byte():
    for document in DOCUMENTS:
        if len(document) > 60:
            continue
        for at in range(len(document)):
            changed = bytearray(document)
            for byte in range(256):
                changed[at] = byte
                value_or_error(changed)


def test_mutations_of_longer_documents():
    random.seed(9)
    document = b"[" + b",".join(DOCUMENTS * 3) + b"]"
    for _ in range(6000):
        changed = bytearray(document)
        for _ in range(random.choice((1, 1, 1, 2, 5))):
            action = random.randrange(3)
            at = random.randrange(len(changed))
            if action == 0:
                changed[at] = random.randrange(256)
            elif action == 1:
                del changed[at : at + random.randrange(1, 9)]
            else:
                changed[at:at] = random.choice(
                    (b'"', b"\\", b"[", b"}", b"\xf0\x9f", b"\\ud800", b"1e9", b",,", b"\0")
                )
        value_or_error(bytes(changed))


def test_random_bytes():
    random.seed(10)
    for _ in range(3000):
        value_or_error(random.randbytes(random.randrange(60)))
        value_or_error(bytes(random.choices(b'[]{}",:\\u0123456789eE+-.tfn \n', k=random.randrange(40))))


# Keys.


def test_many_keys_come_back_exactly():
    random.seed(11)
    keys = [random.randbytes(random.randrange(1, 12)).hex() for _ in range(100_000)]
    keys += [f"{'é' * (n % 40)}{n}" for n in range(3000)] + ["x" * n for n in range(300)]
    value = {key: n for n, key in enumerate(keys)}
    data = encode(value)
    for _ in range(2):
        assert decode(data) == value
    assert encode(decode(data)) == data
    for key in keys[:5000]:
        assert decode(encode({key: key})) == {key: key}


def test_keys_that_differ_in_one_bit():
    for length in (1, 5, 8, 15, 16, 31, 32, 33, 63, 64, 65):
        base = bytearray(b"m" * length)
        keys = set()
        for at in range(length):
            for bit in range(6):
                changed = bytearray(base)
                changed[at] ^= 1 << bit
                keys.add(changed.decode())
        for _ in range(2):
            for key in keys:
                (again,) = decode(encode({key: 1}))
                assert again == key


def test_remembered_keys_do_not_change():
    documents = [encode({"a" * n: n, "b": [{"a" * n: 0}]}) for n in range(70)]
    first = [decode(document) for document in documents]
    gc.collect()
    assert [decode(document) for document in documents] == first


# Threads.


def test_threads():
    value = {f"key {n}": [n, str(n), None, {"é": "x" * n}] for n in range(60)}
    data = encode(value)
    failed = []

    def work(seed):
        own = random.Random(seed)
        try:
            for n in range(60):
                assert decode(data) == value
                assert encode(value) == data
                key = f"own {seed} {own.random()}"
                assert decode(encode({key: [n] * 50}, enc_hook=str)) == {key: [n] * 50}
                with pytest.raises(DecodeError):
                    decode(data[:-1])
                assert encode([Odd()], enc_hook=lambda value: decode(data)) == b"[" + data + b"]"
        except BaseException as error:  # noqa: BLE001 - reported below
            failed.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_threads_change_what_others_write():
    check_threads_that_change(attempt, str)


def test_finalizers_that_encode():
    results = []

    class Dying:
        """Uses the package while it is collected."""

        def __del__(self):
            results.append(oxwire.json.encode(decode(b'{"a":[1,2,{"b":"c"}]}')))

    def hook(value):
        ring = [Dying()]
        ring.append(ring)
        del ring
        gc.collect()
        return decode(b'{"fresh":[1]}')

    assert encode([Odd(), {"k": Odd()}], enc_hook=hook) == b'[{"fresh":[1]},{"k":{"fresh":[1]}}]'
    assert decode(b"[1.5,2.5]", float_hook=hook) == [{"fresh": [1]}] * 2
    assert set(results) == {b'{"a":[1,2,{"b":"c"}]}'}
    before = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        for document in DOCUMENTS:
            ring = [Dying()]
            ring.append(ring)
            assert encode(decode(document))
    finally:
        gc.set_threshold(*before)
