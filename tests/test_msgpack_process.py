"""What only a process of its own can show: leaks, debug allocators, sub-interpreters, a clean exit, peaks of memory."""

import gc
import io
import os
import sys
import weakref
from datetime import datetime, timezone

import pytest
from hostile import Odd
from process import (
    INTERPRETERS,
    OWN_LOCKS,
    check_new_keys_are_forgotten,
    check_nothing_is_left,
    check_resident_size,
    run_in_interpreters,
    swallow,
)
from samples import MESSAGES, run_python

from oxwire import Raw
from oxwire.msgpack import (
    Decoder,
    Encoder,
    Ext,
    StreamDecoder,
    Timestamp,
    decode,
    decode_prefix,
    dump_many,
    encode,
    encode_into,
    encode_many,
    iter_messages,
)

ROWS = [
    {
        "id": n,
        "name": f"name {n}",
        (n, "é"): [n / 7, None, b"x" * n],
        n: {"when": datetime(2000, 1, 1, tzinfo=timezone.utc), "ext": Ext(5, b"x")},
    }
    for n in range(20)
]
DATA = encode(ROWS)


def fail(*values):
    raise LookupError


ODD = Odd()
TWICE = bytes.fromhex("82a16161a16162")

ACTIONS = {
    "encode": lambda: encode(ROWS),
    "encode canonical": lambda: encode([ROWS, {ODD: 1}.values(), {3, "x", (1, 2)}], canonical=True),
    "encode sorted": lambda: encode([ROWS, {1: 2, "x": 3}], sort=True),
    "encode hook": lambda: encode([ODD, {"k": ODD}], enc_hook=lambda v: ["fresh", {(1, "é"): str(1.5)}]),
    "encode keys": lambda: encode(
        {1: 1, None: 3, b"x": 4, (1, (2, "y")): 5, Timestamp(5): 6, Ext(1, b"k"): 7}
    ),
    "encode big": lambda: encode([10**50, -(10**50), {10**40: 1}], big_int_ext=True),
    "encode iterators": lambda: encode([map(str, range(50)), {"a": 1}.items(), {1}, range(3), iter([[1]])]),
    "encode surrogates": lambda: encode(["é\udcff" * 50, {"\udc80": 1}], str_errors="surrogateescape"),
    "encode old": lambda: encode(ROWS, old_spec=True, datetime_format="text"),
    "encode error": lambda: swallow(encode, {"a": [1, {(1, "b"): ODD}]}),
    "encode surrogate error": lambda: swallow(encode, ["é" * 50 + "\ud800"]),
    "encode escape error": lambda: swallow(encode, ["é\ud800"], str_errors="surrogateescape"),
    "encode key error": lambda: swallow(encode, {"a": {(1, (2, ODD)): 1}}),
    "encode clash": lambda: swallow(encode, {"a": {(1,): 1, frozenset([1]): 2}}, canonical=True),
    "encode hook error": lambda: swallow(encode, [{"a": ODD}, 1], enc_hook=fail),
    "encode depth": lambda: swallow(encode, [[[[1]]]], max_depth=3),
    "encode bad option": lambda: [swallow(encode, 1, nothing=2), swallow(encode, 1, big_int_ext="x")],
    "encode raw": lambda: [encode([Raw(b"\x91\1")]), swallow(encode, [Raw(b"\x91")])],
    "encode into": lambda: encode_into(ROWS, bytearray(b"x"), -1),
    "encode into error": lambda: swallow(encode_into, [ROWS, ODD], bytearray(b"x"), -1),
    "encode many": lambda: [encode_many(iter(ROWS)), dump_many(ROWS, io.BytesIO())],
    "encode many error": lambda: swallow(encode_many, [ROWS, ODD]),
    "decode": lambda: decode(DATA),
    "decode tuples": lambda: decode(bytearray(DATA), use_list=False, timestamp="timestamp"),
    "decode corpus": lambda: [decode(message) for message in MESSAGES],
    "decode prefix": lambda: decode_prefix(DATA + b"\xc1"),
    "decode old": lambda: decode(DATA, old_spec=True),
    "decode escaped": lambda: [decode(b"\xa2\xff\xfe", str_errors=way) for way in ("raw", "surrogateescape")],
    "decode twice": lambda: [decode(TWICE), swallow(decode, TWICE, strict=True)],
    "decode hooks": lambda: decode(
        DATA, ext_hook=lambda *a: [a], object_pairs_hook=lambda p: p[:1], list_hook=lambda v: v * 2
    ),
    "decode big": lambda: decode(encode([10**50, {10**40: 1}], big_int_ext=True), big_int_ext=True),
    "decode error": lambda: [swallow(decode, DATA[:n]) for n in range(0, len(DATA), 50)],
    "decode bad key": lambda: swallow(decode, bytes.fromhex("9281a16105829201a16105828101")),
    "decode unhashable": lambda: swallow(decode, encode({"a": 1, Ext(1, b""): 2}), ext_hook=lambda *a: [a]),
    "decode hook error": lambda: swallow(decode, encode([1, {"a": [ROWS]}]), list_hook=fail),
    "decode limit": lambda: swallow(decode, DATA, max_map_len=3),
    "decode raw": lambda: [bytes(decode(DATA, raw=True)), hash(decode(b"\1", raw=True))],
    "decode wrong type": lambda: swallow(decode, 5),
    "decode bad option": lambda: swallow(decode, b"\1", object_hook=dict, object_pairs_hook=dict),
    "coders": lambda: Decoder(ext_hook=fail).decode(
        Encoder(sort=True, enc_hook=str, passthrough={Odd}).encode([ODD])
    ),
    "coder options": lambda: [Encoder(passthrough=["enum"]).options, repr(Decoder(timestamp="ns", raw=True))],
    "stream": lambda: [feed(), feed(ext_hook=lambda *a: a), feed(raw=True)],
    "stream of a file": lambda: [*iter_messages(io.BytesIO(DATA)), *StreamDecoder(io.BytesIO(DATA))],
    "stream error": lambda: [swallow(fed(b"\1\xa1\xff").read) for _ in range(2)],
}


def fed(data, **options):
    stream = StreamDecoder(**options)
    stream.feed(data)
    return stream


def feed(**options):
    stream = StreamDecoder(**options)
    for at in range(0, len(DATA), 100):
        stream.feed(DATA[at : at + 100])
        list(stream)
    stream.feed(b"\x93\1\2")
    stream.read_array_header()
    stream.skip()
    stream.read_bytes(1)
    swallow(stream.read)
    stream.feed(b"\x92\1")
    swallow(stream.close)


@pytest.mark.parametrize("name", ACTIONS)
def test_no_reference_is_lost_or_left(name):
    watched = [ODD, ROWS, ROWS[0], Odd, fail, DATA, *MESSAGES, Ext, Timestamp, timezone.utc, *ROWS[0]]
    check_nothing_is_left(ACTIONS[name], watched)


def test_resident_size_does_not_grow():
    def all_of_it():
        for action in ACTIONS.values():
            action()
        message = encode(["x" * 200_000, b"y" * 200_000])
        decode(message)
        swallow(decode, message[:-1])
        swallow(encode, ["x" * 200_000, ODD])
        list(fed(message * 3))

    check_resident_size(all_of_it)


def test_new_keys_are_not_kept_for_ever():
    check_new_keys_are_forgotten(
        lambda keys: decode(encode([dict.fromkeys(keys), {(key, key.encode()): 1 for key in keys}]))
    )


def test_coders_in_circles_are_collected():
    class Hook:
        """Holds the coder that holds it."""

        def __call__(self, *values):
            return 1

        def read(self, n):
            return b""

    for make in (
        lambda h: Encoder(enc_hook=h),
        lambda h: Decoder(ext_hook=h),
        lambda h: Decoder(object_hook=h, list_hook=h),
        lambda h: Decoder(object_pairs_hook=h),
        lambda h: StreamDecoder(list_hook=h),
        lambda h: StreamDecoder(h),
        lambda h: iter_messages(h),
    ):
        held = Hook()
        held.coder = make(held)
        gone = weakref.ref(held)
        del held
        gc.collect()
        assert gone() is None


# Other interpreters.

SMOKE = """
import gc, threading
from datetime import datetime, timezone
from samples import MESSAGES, nested
from oxwire import DecodeError, EncodeError, Raw
from oxwire.msgpack import *
from oxwire.msgpack import encode_many
from oxwire import msgpack, json

class Odd: pass

value = {"a": [1, 2.5, None, True, "x" * 300, "\\xe9\\u20ac\\U0001f600" * 30, b"y" * 300], (1, (2, "x")): {5: 6}}
value[b"b"] = {"c": (1, {2}, datetime.now(timezone.utc), Ext(5, b"z"), Timestamp(5, 6))}
for options in ({}, {"canonical": True}, {"sort": True}, {"old_spec": True}, {"float32": True}):
    for _ in range(5):
        data = encode(value, **options)
        for reading in ({}, {"use_list": False}, {"old_spec": True}, {"raw": True}, {"str_errors": "raw"},
                        {"list_hook": list, "object_hook": dict, "ext_hook": Ext}, {"object_pairs_hook": list}):
            decode(data, timestamp="timestamp", **reading)
            try:
                decode(data[:-1], **reading)
            except DecodeError:
                pass
for message in MESSAGES:
    encode(decode(message))
    for end in range(len(message)):
        try:
            decode(message[:end])
        except DecodeError:
            pass
target = [Odd(), "x" * 100]
def hook(value):
    target.clear()
    return [decode(b"\\x81\\xa1k\\xa1v")]
for _ in range(10):
    target[:] = [Odd(), "x" * 100]
    try:
        encode(target, enc_hook=hook)
    except EncodeError:
        pass
decode(encode(nested(1000, "mixed")))
buffer = bytearray(b"head")
for n in range(50):
    encode_into(["x" * n * 10], buffer, 4)
for options in ({}, {"list_hook": list}, {"raw": True}):
    stream = StreamDecoder(**options)
    for message in MESSAGES:
        for at in range(len(message)):
            stream.feed(message[at:at + 1])
        got = list(stream)
        assert len(got) == 1
stream.feed(b"\\x92\\x01\\x02")
stream.read_array_header(), stream.skip(), stream.read_bytes(1)
encoder, decoder = Encoder(enc_hook=str, canonical=True), Decoder(ext_hook=Ext)
def work():
    for n in range(50):
        decoder.decode(encoder.encode([n, Odd(), Ext(5, b"x"), {n: "x"}]))
threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
encode([Raw(b"\\x91\\x01"), 10**30], big_int_ext=True), decode(encode_many([[10**30]], big_int_ext=True), big_int_ext=True)
gc.collect()
print("well")
"""


@INTERPRETERS
def test_smoke_in_another_interpreter(flags, env):
    assert run_python(SMOKE, *flags, env=env).strip() == "well"


def test_exit_with_everything_alive():
    code = """
import atexit, io, threading, oxwire.msgpack as m
class Hook:
    def __call__(self, *values): return [str(values), m.decode(b"\\x81\\xa1a\\x01")]
    def __del__(self):
        try:
            m.encode(m.decode(b"\\x91\\x01"))
        except (TypeError, AttributeError):
            pass
kept = [m.Encoder(enc_hook=Hook()), m.Decoder(ext_hook=Hook()), m.StreamDecoder(list_hook=Hook())]
kept.append(kept)
kept[2].feed(b"\\x92\\x01")
raw = m.decode(b"\\x91\\x01", raw=True)
messages = m.iter_messages(io.BytesIO(b"\\x01\\x02"))
next(messages)
m.encode({f"k{n}": n for n in range(3000)})
atexit.register(lambda: m.encode(m.decode(b"\\x81\\xa1a\\xc3")))
view = memoryview(raw)
def endless():
    while True:
        m.decode(m.encode({"x": [1, b"y", m.Ext(1, b"z")]}))
threading.Thread(target=endless, daemon=True).start()
print("last")
"""
    for _ in range(2):
        assert run_python(code).strip() == "last"


def test_exit_in_the_middle_of_a_call():
    code = """
import sys, oxwire.msgpack as m
def hook(*values): sys.exit(0)
print("last", flush=True)
"""
    for call in (
        "m.encode([{1: [object()]}], enc_hook=hook)",
        "m.decode(b'\\x92\\x01\\xd4\\x01\\x01', ext_hook=hook)",
    ):
        assert run_python(code + call).strip() == "last"


def test_import_is_repeatable():
    code = """
import sys
for _ in range(3):
    import oxwire, oxwire.msgpack as m
    value = {"a": [1, "x"], (1, 2): m.Ext(5, b"x"), b"t": m.Timestamp(1, 1)}
    assert m.decode(m.encode(value), timestamp="timestamp") == value
    try:
        m.decode(b"\\x91")
    except ValueError as error:
        assert type(error).__name__ == "DecodeError"
    for name in [name for name in sys.modules if name.partition(".")[0] == "oxwire"]:
        del sys.modules[name]
print("well")
"""
    assert run_python(code).strip() == "well"


INNER = """
import oxwire, oxwire.msgpack as m
from datetime import datetime, timezone
for n in range(200):
    value = {"a": [n, 2.5, None, "é" * n], (n, "x"): {n: b"y" * n}, b"e": m.Ext(5, b"z"), "t": m.Timestamp(n, 1)}
    assert m.decode(m.encode(value), timestamp="timestamp") == value
when = datetime(2000, 1, 1, tzinfo=timezone.utc)
assert m.decode(m.encode([object(), when], enc_hook=lambda o: "1j")) == ["1j", when]
try:
    m.decode(b"\\x92\\x01")
except oxwire.DecodeError as error:
    assert error.offset == 2
else:
    raise SystemExit("no error")
try:
    m.encode(object())
except oxwire.EncodeError:
    pass
stream = m.StreamDecoder(object_hook=dict)
stream.feed(m.Encoder(canonical=True).encode({"b": 1, "a": m.Raw(b"\\x02")}))
assert list(stream) == [{"a": 2, "b": 1}]
"""


@OWN_LOCKS
def test_sub_interpreters_with_their_own_lock():
    run_in_interpreters(
        'import oxwire.msgpack as m; v = {"main": ["x" * 50, b"y"]}; assert m.decode(m.encode(v)) == v', INNER
    )


# Peaks.

PEAK = """
import ctypes, gc, tracemalloc
import oxwire.msgpack as m

def status(field):
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024

def settle():
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return status("VmRSS")

# Huge pages are resident as a whole when one byte of them is written.
getattr(ctypes.CDLL(None), "prctl", lambda *args: None)(41, 1, 0, 0, 0)
m.encode(m.decode(m.encode({"a": [1.5, b"x", "\\xe9"]})))
value = VALUE
before = settle()
data = m.encode(value)
wrote = (status("VmHWM") - before) / len(data)
del value
before = settle()
value = m.decode(data)
peak = status("VmHWM") - before
del value
gc.collect()
tracemalloc.start()
value = m.decode(data)
print(wrote, (peak - tracemalloc.get_traced_memory()[0]) / len(data))
"""


@pytest.mark.skipif(
    not (sys.platform == "linux" and os.path.exists("/proc/self/clear_refs")),
    reason="this system does not say how much memory a process needed",
)
@pytest.mark.parametrize(
    "value",
    [
        "bytes(10_000_000)",
        '"\\u6f22" * 4_000_000',
        "[n % 100_000 for n in range(700_000)]",
        "[n / 7 for n in range(400_000)]",
        '[{"a": n, "b": [n]} for n in range(60_000)]',
        "[str(n % 1000) for n in range(400_000)]",
    ],
)
def test_peaks(value):
    wrote, read = map(float, run_python(PEAK.replace("VALUE", value)).split())
    assert wrote < 2.4
    # What the interpreter's allocator rounds up is the result's own, and counted here.
    assert read < (4.3 if sys.version_info >= (3, 12) else 6.5)
