"""What only a process of its own can show: leaks, debug allocators, sub-interpreters, and a clean exit."""

import gc
from datetime import datetime, timezone

import pytest
from hostile import Odd
from process import (
    INTERPRETERS,
    OWN_LOCKS,
    check_new_keys_are_forgotten,
    check_nothing_is_left,
    check_resident_size,
    resident,
    run_in_interpreters,
    swallow,
)
from samples import DOCUMENTS, run_python

from oxwire import Raw
from oxwire.json import (
    Decoder,
    Encoder,
    StreamDecoder,
    decode,
    decode_lines,
    encode,
    encode_into,
    encode_lines,
    format,
)

ROWS = [
    {
        "id": n,
        "name": f"name {n}",
        "é": [n / 7, None, True],
        "when": datetime(2000, 1, 1, tzinfo=timezone.utc),
    }
    for n in range(20)
]
DATA = encode(ROWS)


def fail(value):
    raise LookupError


ODD = Odd()

ACTIONS = {
    "encode": lambda: encode(ROWS),
    "encode indented": lambda: encode(ROWS, indent=2, sort=True),
    "encode canonical": lambda: encode({"b": 1.5, "a": [ODD]}, canonical=True, enc_hook=lambda v: "x"),
    "encode hook": lambda: encode([ODD, {"k": ODD}], enc_hook=lambda v: ["fresh", {"é": str(1.5)}]),
    "encode keys": lambda: encode({1: 1, 2.5: 2, None: 3, b"x": 4, datetime(2000, 1, 1): 5, 10**30: 6}),
    "encode big": lambda: encode([10**50, "x" * 5000, b"y" * 500]),
    "encode iterators": lambda: encode([map(str, range(5)), {"a": 1}.items(), {1}, frozenset([2]), range(3)]),
    "encode error": lambda: swallow(encode, {"a": [1, {"b c": ODD}]}),
    "encode surrogate": lambda: swallow(encode, ["é" * 50 + "\ud800"]),
    "encode key error": lambda: swallow(encode, {"a": {(1, 2): 1}}),
    "encode clash": lambda: swallow(encode, {"a": {1: 1, "1": 2}}),
    "encode hook error": lambda: swallow(encode, [{"a": ODD}], enc_hook=fail),
    "encode depth": lambda: swallow(encode, [[[[1]]]], max_depth=3),
    "encode options": lambda: swallow(encode, 1, nothing=2),
    "encode bad option": lambda: swallow(encode, 1, indent="x"),
    "encode raw": lambda: encode([Raw(b"[1]"), Raw("2")]),
    "encode bad raw": lambda: swallow(encode, [Raw(b"[1")]),
    "encode into": lambda: encode_into(ROWS, bytearray(b"x"), -1),
    "encode lines": lambda: encode_lines(iter(ROWS)),
    "decode": lambda: decode(DATA),
    "decode text": lambda: decode(DATA.decode()),
    "decode corpus": lambda: [decode(document) for document in DOCUMENTS],
    "decode duplicate keys": lambda: decode(b'{"a":[1,"x"],"a":{"b":"y"},"a":"zzzz"}'),
    "decode hook": lambda: decode(b'[1.5,{"a":2.5}]', float_hook=lambda text: [text, text * 2]),
    "decode error": lambda: swallow(decode, DATA[:-1]),
    "decode error deep": lambda: swallow(decode, b'[{"a":["b",{"c":["d",x'),
    "decode key error": lambda: swallow(decode, b'[{"a":["b",{"c":1,"d"'),
    "decode duplicate error": lambda: swallow(decode, b'{"aaaa":["x"],"aaaa":["y"]}', duplicate_keys="error"),
    "decode utf-8 error": lambda: swallow(decode, b'["good","\xff"]'),
    "decode hook error": lambda: swallow(decode, b'[1,"x",{"a":1.5}]', float_hook=fail),
    "decode raw": lambda: [bytes(decode(DATA, raw=True)), hash(decode(b"1", raw=True))],
    "decode lines": lambda: decode_lines(b"1\n[2]\n"),
    "decode wrong type": lambda: swallow(decode, 5),
    "format": lambda: [format(DATA), swallow(format, b"[1,")],
    "coders": lambda: Decoder(float_hook=float).decode(
        Encoder(sort=True, enc_hook=str, passthrough={Odd}).encode([ODD])
    ),
    "coder options": lambda: [Encoder(indent=2, passthrough=["enum"]).options, repr(Decoder(nan="null"))],
    "stream": lambda: feed(),
}


def feed():
    decoder = StreamDecoder(float_hook=str)
    for at in range(0, len(DATA), 100):
        decoder.feed(DATA[at : at + 100])
        list(decoder)
    decoder.feed(b"[1,")
    swallow(decoder.close)


@pytest.mark.parametrize("name", ACTIONS)
def test_no_reference_is_lost_or_left(name):
    watched = [ODD, ROWS, ROWS[0], Odd, fail, DATA, *DOCUMENTS, *ROWS[0]]
    check_nothing_is_left(ACTIONS[name], watched)


def test_resident_size_does_not_grow():
    def all_of_it():
        for action in ACTIONS.values():
            action()
        encode(["x" * 200_000, "\n" * 50_000])
        decode(b'["' + b"y" * 200_000 + b'"]')
        swallow(decode, b'["' + b"y" * 200_000)
        swallow(encode, ["x" * 200_000, ODD])

    check_resident_size(all_of_it)


def test_new_keys_are_not_kept_for_ever():
    check_new_keys_are_forgotten(lambda keys: decode(encode(dict.fromkeys(keys, 1))))


def test_a_large_result_is_let_go():
    encode("x" * 1000)
    before = resident()
    for _ in range(5):
        decode(encode("x" * 20_000_000))
        decode(encode([1.5] * 500_000))
    gc.collect()
    assert resident() - before < 40_000_000


SMOKE = """
import gc, sys, threading
from datetime import datetime, timezone
from samples import DOCUMENTS, nested
from oxwire import DecodeError, EncodeError, Raw
from oxwire.json import *
from oxwire import json
from oxwire.compat import orjson

class Odd: pass

value = {"a": [1, 2.5, None, True, "x" * 300, "\\xe9\\u20ac\\U0001f600" * 30, 10**40]}
value["b"] = {"c": (1, {2}, b"zz")}
value[5] = datetime.now(timezone.utc)
for options in ({}, {"indent": 2}, {"sort": True}, {"ensure_ascii": True}):
    for _ in range(5):
        data = json.encode(value, **options)
        json.decode(data)
for document in DOCUMENTS:
    json.encode(json.decode(document))
    for end in range(len(document)):
        try:
            json.decode(document[:end])
        except DecodeError:
            pass
    orjson.loads(orjson.dumps(json.decode(document), default=str)) if len(document) < 25 else None
target = [Odd(), "x" * 100]
def hook(value):
    target.clear()
    return [json.decode(b'{"k":"v"}')]
for _ in range(10):
    target[:] = [Odd(), "x" * 100]
    try:
        json.encode(target, enc_hook=hook)
    except EncodeError:
        pass
json.decode(json.encode(nested(1000, "mixed")))
buffer = bytearray(b"head")
for n in range(50):
    json.encode_into(["x" * n * 10], buffer, 4)
stream = json.StreamDecoder()
for document in DOCUMENTS:
    for at in range(len(document)):
        stream.feed(document[at:at + 1])
    stream.feed(b" ")
    assert len(list(stream)) == 1
encoder, decoder = json.Encoder(enc_hook=str), json.Decoder(float_hook=str)
def work():
    for n in range(50):
        decoder.decode(encoder.encode([n, Odd(), 1.5]))
threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
raw = Raw(b"[1]")
json.encode(raw), json.format(b"[1,2]"), hash(raw)
gc.collect()
print("well")
"""


@INTERPRETERS
def test_smoke_in_another_interpreter(flags, env):
    assert run_python(SMOKE, *flags, env=env).strip() == "well"


def test_exit_with_everything_alive():
    code = """
import atexit, threading, oxwire, oxwire.json as j, oxwire.compat.orjson as o
class Hook:
    def __call__(self, value): return [str(value), j.decode(b'{"a":1}')]
    def __del__(self):
        try:
            j.encode(j.decode(b'{"deleted":[1,2.5]}'))
        except (TypeError, AttributeError):
            pass
kept = [j.Encoder(enc_hook=Hook()), j.Decoder(float_hook=Hook()), j.StreamDecoder(float_hook=Hook())]
kept.append(kept)
kept[2].feed(b"[1.5")
raw = j.decode(b"[1,2]", raw=True)
lines = j.iter_lines(__import__("io").BytesIO(b"1\\n2\\n"))
next(lines)
fragment = o.Fragment(b"1")
j.encode({f"k{n}": n for n in range(3000)})
atexit.register(lambda: j.encode(j.decode(b'{"exit":true}')))
view = memoryview(raw)
def endless():
    while True:
        j.decode(j.encode({"x": [1, "y"]}))
threading.Thread(target=endless, daemon=True).start()
print("last")
"""
    for _ in range(3):
        assert run_python(code).strip() == "last"


def test_exit_in_the_middle_of_a_call():
    code = """
import sys, oxwire.json as j
def hook(value): sys.exit(0)
print("last", flush=True)
j.encode([{"a": [object()]}], enc_hook=hook)
"""
    assert run_python(code).strip() == "last"


def test_import_is_repeatable():
    code = """
import sys, importlib
import oxwire, oxwire.json
first = oxwire.DecodeError
for name in [name for name in sys.modules if name.partition(".")[0] == "oxwire"]:
    del sys.modules[name]
import oxwire, oxwire.json
for _ in range(2):
    try:
        oxwire.json.decode(b"[")
    except ValueError as error:
        assert type(error).__name__ == "DecodeError"
    assert oxwire.json.decode(oxwire.json.encode({"a": [1, "x"]})) == {"a": [1, "x"]}
print("well")
"""
    assert run_python(code).strip() == "well"


INNER = """
import oxwire, oxwire.json as j
from datetime import datetime, timezone
for n in range(200):
    value = {"a": [n, 2.5, None, "é" * n], "b": {str(n): True}}
    assert j.decode(j.encode(value)) == value
when = datetime(2000, 1, 1, tzinfo=timezone.utc)
assert j.encode([object(), when], enc_hook=lambda o: "1j") == b'["1j","2000-01-01T00:00:00+00:00"]'
try:
    j.decode(b"[1,")
except oxwire.DecodeError as error:
    assert error.offset == 3
else:
    raise SystemExit("no error")
try:
    j.encode(object())
except oxwire.EncodeError:
    pass
j.Encoder(sort=True).encode({"b": 1, "a": j.Raw(b"2")})
"""


@OWN_LOCKS
def test_sub_interpreters_with_their_own_lock():
    run_in_interpreters(
        'import oxwire.json as j; assert j.decode(j.encode({"main": ["x" * 50, "é"]})) == {"main": ["x" * 50, "é"]}',
        INNER,
    )
