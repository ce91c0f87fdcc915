"""This package and the Clojure library as two processes over a pipe: what one packs the other unpacks, both ways.

For every vector and for values made up on either side. `make clojure-cross` runs it with one Python, since a JVM takes
seconds to start; pytest does not find it by itself. What may surprise: the other end is asked by frames, which
clojure/test/oxwire/cross.clj explains, and knows the vectors by itself; values never travel but as messages.
"""

import json
import math
import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

import clojure_values
import lossless
from test_vectors import READING, WRITING, ours, theirs

import vectors
from oxwire import DecodeError
from oxwire.msgpack import Ext, Timestamp, decode, encode

pytestmark = pytest.mark.usefixtures("deep")
ROOT = Path(__file__).resolve().parent.parent
CORPUS = 400


class Clojure:
    """The other end."""

    def __init__(self, command, cwd):
        self.process = subprocess.Popen(
            [*command, "-m", "oxwire.cross"], cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, letter, name, data=b""):
        """The answer to a question; an error there is one here."""
        name = name.encode()
        frame = letter.encode() + struct.pack(">H", len(name)) + name + data
        self.process.stdin.write(struct.pack(">I", len(frame)) + frame)
        self.process.stdin.flush()
        head = self.process.stdout.read(4)
        assert len(head) == 4, "the other end is gone"
        said = self.process.stdout.read(struct.unpack(">I", head)[0])
        assert said[:1] == b"\0", f"{name.decode()}: {said[1:].decode(errors='replace')[:500]}"
        return said[1:]

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(60) == 0


@pytest.fixture(scope="module")
def clojure():
    """A JVM with the library, or a word on why there is none."""
    said = subprocess.run(
        [sys.executable, ROOT / "clojure" / "run.py", "java"],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    if said.returncode == 3:
        pytest.skip(said.stderr.strip())
    assert said.returncode == 0, said.stderr
    end = Clojure(**json.loads(said.stdout))
    yield end
    end.close()


def numpy_is_here():
    """Whether typed arrays can be read."""
    try:
        import numpy  # noqa: F401
    except ImportError:
        return False
    return True


def comparable(obj):
    """An object as the vectors compare it."""
    return vectors.exact(theirs(obj))


def values():
    """The cases that have a value and bytes."""
    for case in vectors.cases():
        if case.why is None and (case.mode != "typed" or numpy_is_here()):
            yield case


def test_every_vector_from_here_to_there_and_back(clojure):
    count = 0
    for case in values():
        if case.way == "read":
            continue
        packed = encode(ours(case.value), **WRITING[case.mode])
        assert packed == case.data, case.name
        back = clojure.ask("v", case.name, packed)
        assert back == packed, case.name
        if case.way != "write":
            got = decode(back, timestamp="timestamp", **READING[case.mode])
            assert comparable(got) == vectors.exact(case.value), case.name
        count += 1
    assert count > 600


def test_every_form_is_read_there_and_what_is_written_here(clojure):
    for case in values():
        if case.way == "write":
            continue
        for form in (case.data, *case.also, *case.also_strict):
            back = clojure.ask("e", case.mode or "", form)
            got = decode(back, timestamp="timestamp", **READING[case.mode])
            assert comparable(got) == vectors.exact(case.value), case.name


def made_up(pick, depth=0):
    """A value of any kind, as a Python that has none of its own keys in the way would send it."""
    kind = pick.randrange(14 if depth < 4 else 10)
    if kind < 2:
        return pick.choice((None, True, False, 0, -1, 1 << 63, (1 << 64) - 1, -(1 << 63)))
    if kind < 4:
        return pick.randrange(-(1 << 63), 1 << 64) >> pick.randrange(64)
    if kind == 4:
        return struct.unpack(">d", pick.randbytes(8))[0]
    if kind == 5:
        return pick.uniform(-1e6, 1e6)
    if kind == 6:
        return "".join(pick.choice("ab é東🏠\0\x7f") for _ in range(pick.randrange(80)))
    if kind == 7:
        return pick.randbytes(pick.randrange(300))
    if kind == 8:
        seconds = (pick.randrange(1 << 32), pick.randrange(1 << 34), pick.randrange(-(1 << 55), 1 << 54))
        return Timestamp(pick.choice(seconds), pick.choice((0, 0, 999_999_999, pick.randrange(10**9))))
    if kind == 9:
        return Ext(
            pick.choice((*range(-128, -1), *range(128))),
            pick.randbytes(pick.choice((0, 1, 2, 3, 4, 8, 16, 17, 300))),
        )
    if kind == 10:
        return {f"key {n}": made_up(pick, depth + 2) for n in range(100)} if depth < 2 else {}
    if kind == 11:
        keys = (made_up(pick, 9) for _ in range(pick.randrange(20)))
        # What Python holds for one key, or Clojure: numbers that are equal, NaN, moments that are.
        return {
            key: made_up(pick, depth + 1)
            for key in keys
            if type(key) in (str, bytes, Ext) or type(key) is int
        }
    return [made_up(pick, depth + 1) for _ in range(pick.randrange(40))]


def test_values_made_up_here(clojure):
    pick = random.Random(7)
    for _ in range(CORPUS):
        value = made_up(pick)
        packed = encode(value)
        back = clojure.ask("e", "", packed)
        assert len(back) == len(packed)
        assert comparable(decode(back, timestamp="timestamp")) == comparable(
            decode(packed, timestamp="timestamp")
        )
        again = encode(decode(back, timestamp="timestamp"), canonical=True)
        assert again == encode(value, canonical=True)


def test_moments_of_each_length(clojure):
    for seconds, nanoseconds in (
        (0, 0),
        (1 << 32, 0),
        (5, 5),
        (-1, 1),
        (1 << 34, 999_999_999),
        (-62135596800, 0),
    ):
        packed = encode(Timestamp(seconds, nanoseconds))
        assert clojure.ask("e", "", packed) == packed


def test_values_made_up_there(clojure):
    messages = decode(clojure.ask("g", f"{CORPUS} plain"))
    assert len(messages) == CORPUS
    for n, message in enumerate(messages):
        value = decode(message, timestamp="timestamp", strict=True)
        assert clojure.ask("c", str(n), encode(value)) == b""


def test_the_lossless_table(clojure):
    for case in lossless.cases():
        if case.why is not None or (isinstance(case.value, vectors.Typed) and not numpy_is_here()):
            continue
        packed = encode(clojure_values.ours(case.value), **clojure_values.TABLE)
        assert packed == case.data, case.name
        if case.way == "read":
            continue
        back = clojure.ask("v", case.name, packed)
        assert back == packed, case.name
        got = decode(back, **clojure_values.READING)
        assert clojure_values.comparable(got) == lossless.exact(case.value), case.name
        for form in case.also:
            # Records are registered for the vectors, and not for what is told without a name.
            if not case.name.startswith("record"):
                got = decode(clojure.ask("e", "clojure", form), **clojure_values.READING)
                assert clojure_values.comparable(got) == lossless.exact(case.value), case.name


def test_lossless_values_made_up_there(clojure):
    messages = decode(clojure.ask("g", f"{CORPUS} lossless"))
    kinds, ours = set(), 0
    for n, message in enumerate(messages):
        # 0, 0.0 and false are one key of Python's, which strict reading refuses instead of losing a value.
        try:
            value = decode(message, strict=True, **clojure_values.READING)
        except DecodeError:
            assert lossless.read(message, "strict")
            continue
        ours += 1
        kinds.add(type(value))
        assert clojure.ask("c", str(n), encode(value, **clojure_values.TABLE)) == b""
    assert len(kinds) >= 8
    assert ours > CORPUS * 0.9


def test_lossless_values_made_up_here(clojure):
    pick = random.Random(13)
    for _ in range(CORPUS):
        value = clojure_values.made_up(pick)
        packed = encode(value, canonical=True, **clojure_values.TABLE)
        got = decode(clojure.ask("e", "clojure", packed), **clojure_values.READING)
        assert encode(got, canonical=True, **clojure_values.TABLE) == packed


def test_what_one_refuses_of_the_table_the_other_refuses(clojure):
    for case in lossless.cases():
        if case.why is not None:
            with pytest.raises(ValueError):
                decode(case.data, **clojure_values.READING)
            if not case.name.startswith("record"):
                with pytest.raises(AssertionError, match="byte"):
                    clojure.ask("e", "clojure", case.data)


def test_what_one_refuses_the_other_refuses(clojure):
    for case in vectors.cases():
        if case.why is None or case.data is None or case.mode not in ("always", None, "big-int"):
            continue
        with pytest.raises(ValueError):
            decode(case.data, timestamp="timestamp", **READING[case.mode])
        with pytest.raises(AssertionError, match="byte"):
            clojure.ask("e", "" if case.mode == "always" else case.mode or "", case.data)


def test_numbers_are_the_same_numbers(clojure):
    for n in (
        *(sign * (1 << power) + more for power in range(64) for sign in (1, -1) for more in (-1, 0, 1)),
    ):
        if -(1 << 63) <= n:
            packed = encode(n)
            assert clojure.ask("e", "", packed) == packed
    for x in (0.0, -0.0, math.inf, -math.inf, 5e-324, 1.7976931348623157e308, 0.1):
        packed = encode(x)
        assert clojure.ask("e", "", packed) == packed
