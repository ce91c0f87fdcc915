"""Encoder, Decoder and errors: reuse, options, copies, pickling, that they stay what they are; and the module's names."""

import copy
import inspect
import pickle
import sys
import types
from collections import deque, namedtuple
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from uuid import UUID

import pytest
from samples import MESSAGES, STRANGE, same

import oxwire
from oxwire import DecodeError, EncodeError, Error, Raw
from oxwire import msgpack as module
from oxwire.msgpack import Decoder, Encoder, Ext, StreamDecoder, decode, encode, encode_many

WHEN = datetime(2000, 1, 1, tzinfo=timezone.utc)


def hook(*values):
    """Can be pickled, since it stands in a module."""
    return {"hook": str(values)}


ENCODING = {
    "enc_hook": hook,
    "order": "sorted",
    "float32": True,
    "datetime_format": "text",
    "naive_utc": True,
    "utc_z": True,
    "omit_microseconds": True,
    "int_bits": 64,
    "big_int_ext": 5,
    "ndarray_ext": True,
    "str_errors": "surrogateescape",
    "old_spec": True,
    "max_depth": 7,
    "passthrough": (UUID, "enum"),
}
DECODING = {
    "duplicate_keys": "error",
    "str_errors": "raw",
    "timestamp": "ns",
    "ext_hook": hook,
    "object_hook": hook,
    "list_hook": hook,
    "use_list": False,
    "big_int_ext": 5,
    "ndarray_ext": None,
    "max_depth": 7,
    "max_str_len": 100,
    "max_bin_len": 100,
    "max_array_len": None,
    "max_map_len": 50,
    "max_ext_len": 0,
}
VALUES = [
    1,
    "é\udc80" * 20,
    [STRANGE, WHEN, 0.1],
    {"b": 2**70, "a": datetime(2000, 1, 1)},
    {(1, b"x"): UUID(int=1)},
]


def outcome(function, *args, **options):
    """A result or an error, as something to compare."""
    try:
        return function(*args, **options)
    except Error as error:
        return type(error), str(error)


def test_coders_do_what_functions_do():
    encoder, decoder = Encoder(**ENCODING), Decoder(**DECODING)
    for value in VALUES * 3:
        assert outcome(encoder.encode, value) == outcome(encode, value, **ENCODING)
        assert outcome(encoder.encode_many, [value]) == outcome(encode_many, [value], **ENCODING)
    for message in [*MESSAGES, b"", b"\xc1", *map(encode, [1, [Ext(1, b"")]])] * 2:
        assert same(outcome(decoder.decode, message), outcome(decode, message, **DECODING))
        assert same(
            outcome(decoder.decode_prefix, message), outcome(module.decode_prefix, message, **DECODING)
        )
    for name in ENCODING:
        one = {name: ENCODING[name]}
        assert [outcome(Encoder(**one).encode, v) for v in VALUES] == [
            outcome(encode, v, **one) for v in VALUES
        ]


def test_options():
    for kind, given in ((Encoder, ENCODING), (Decoder, DECODING)):
        coder = kind(**given)
        options = coder.options
        assert {name: options[name] for name in given} == given
        options["max_depth"] = 1
        options.clear()
        assert coder.options == kind(**given).options
        assert coder.__getnewargs_ex__() == ((), coder.options)
        again = kind(**coder.options)
        assert again.options == coder.options
        for name in ("options", "max_depth", "anything"):
            with pytest.raises((AttributeError, TypeError)):
                setattr(coder, name, {})
    kinds = {UUID}
    encoder = Encoder(passthrough=kinds, enc_hook=lambda value: "hook")
    kinds.clear()
    assert encoder.encode([UUID(int=1)]) == b"\x91\xa4hook"
    assert Decoder(raw=True).options["raw"] is True


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol):
    encoder, decoder = Encoder(**ENCODING), Decoder(**DECODING)
    for made in (
        pickle.loads(pickle.dumps(encoder, protocol)),
        copy.copy(encoder),
        copy.deepcopy(encoder),
    ):
        assert type(made) is Encoder
        assert [outcome(made.encode, v) for v in VALUES] == [outcome(encoder.encode, v) for v in VALUES]
    for made in (
        pickle.loads(pickle.dumps(decoder, protocol)),
        copy.copy(decoder),
        copy.deepcopy(decoder),
    ):
        assert type(made) is Decoder
        for message in MESSAGES:
            assert same(outcome(made.decode, message), outcome(decoder.decode, message))
    for kind in (Encoder, Decoder):
        assert type(pickle.loads(pickle.dumps(kind(), protocol))) is kind
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError)):
        pickle.dumps(Encoder(enc_hook=lambda value: 1), protocol)
    with pytest.raises(TypeError):
        pickle.dumps(StreamDecoder(), protocol)


def test_repr():
    for coder, words in (
        (Encoder(), ["Encoder()"]),
        (Encoder(canonical=True, max_depth=5), ["Encoder", "canonical=True", "max_depth=5"]),
        (Decoder(timestamp="ns", raw=True), ["Decoder", "timestamp='ns'", "raw=True"]),
        (StreamDecoder(), ["StreamDecoder", "0"]),
    ):
        assert all(word in repr(coder) for word in words), repr(coder)


def test_final():
    for kind in (Encoder, Decoder, StreamDecoder, Raw):
        with pytest.raises(TypeError):
            type("Sub", (kind,), {})
        with pytest.raises(TypeError):
            kind.new_attribute = 1
    for kind in (Encoder, Decoder, StreamDecoder):
        assert kind.__module__ == "oxwire.msgpack"
        assert getattr(module, kind.__name__) is kind
        assert kind is not getattr(oxwire.json, kind.__name__)


def test_threads_share():
    encoder, decoder = Encoder(canonical=True, enc_hook=hook), Decoder(ext_hook=lambda *a: a)
    value = {"b": [1, STRANGE, {"é": "x" * 50}], (1, "a"): [None] * 20}
    expected = encoder.encode(value)

    def work(n):
        for _ in range(100):
            assert encoder.encode(value) == expected
            assert decoder.decode(b"\x92" + bytes([n]) + encode(Ext(5, b"x"))) == [n, (5, b"x")]

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))


def test_coders_hold_what_they_were_given_once():
    def local(*values):
        return 1

    before = sys.getrefcount(local)
    for coder, call in (
        (Encoder(enc_hook=local), lambda c: c.encode(STRANGE)),
        (Decoder(list_hook=local, ext_hook=local), lambda c: c.decode(b"\x91\xd4\1\1")),
        (StreamDecoder(object_hook=local), lambda c: c.feed(b"\x80") or next(c)),
    ):
        assert sys.getrefcount(local) > before
        call(coder)
        del coder
    del call
    assert sys.getrefcount(local) == before


def test_names():
    assert {*module.__all__} <= {*dir(module)}
    assert module.Raw is Raw
    assert module.EncodeError is EncodeError
    assert module.DecodeError is DecodeError
    assert (module.EXT_BIG_INT, module.EXT_NDARRAY) == (38, 43)
    for name in module.__all__:
        made = getattr(module, name)
        if isinstance(made, (types.FunctionType, types.BuiltinFunctionType, type)):
            assert made.__doc__, name
            assert made.__name__ == name
    for function in (encode, decode, module.decode_prefix, module.encode_into, encode_many):
        assert inspect.signature(function)
    for kind in (Encoder, Decoder, StreamDecoder):
        for name, made in vars(kind).items():
            if not name.startswith("_"):
                assert made.__doc__, name


# Errors.


@dataclass
class Record:
    """A step of a path."""

    born: object


pair = namedtuple("pair", "left right")


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (STRANGE, "$"),
        ([0] * 1000 + [STRANGE], "$[1000]"),
        ({"users": [0, Record(STRANGE)]}, "$.users[1].born"),
        ({"a b": {"": [STRANGE]}}, '$["a b"][""][0]'),
        ({5: {-1: STRANGE}}, "$[5][-1]"),
        ({0.5: STRANGE}, "$[0.5]"),
        ({None: {True: STRANGE}}, "$[None][True]"),
        ({b"\xff": STRANGE}, "$[b'\\xff']"),
        ({(1, "x"): STRANGE}, "$[(1, 'x')]"),
        (pair(1, {"k": STRANGE}), "$[1].k"),
        (deque([0, STRANGE]), "$[1]"),
        ((item for item in [0, STRANGE]), "$[1]"),
        ({"s": [2**64]}, "$.s[0]"),
        ({"s": ["\ud800"]}, "$.s[0]"),
    ],
    ids=repr,
)
def test_paths(value, path):
    for options in ({}, {"sort": True}, {"canonical": True}):
        if isinstance(value, types.GeneratorType):
            value = (item for item in [0, STRANGE])
        with pytest.raises(EncodeError) as caught:
            encode(value, **options)
        assert caught.value.path == path
        assert str(caught.value) == f"{caught.value.msg} - at `{path}`"


def test_places():
    for message, offset in (
        (b"", 0),
        (b"\x92\1", 2),
        (b"\x92\1\xc1", 2),
        (b"\1\2", 1),
        (b"\x81\xa2a\xff\1", 3),
        (b"\x91" * 1000 + b"\xc1", 1000),
        (encode(["x" * 100_000]) + b"\1", 100_006),
    ):
        with pytest.raises(DecodeError) as caught:
            decode(message)
        assert caught.value.offset == offset
        assert f"(byte {offset})" in str(caught.value)
        assert caught.value.msg in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None


def failures():
    """One error of each class."""
    for action in (lambda: decode(b"\x92\1"), lambda: encode({(1, 2): [STRANGE]})):
        try:
            action()
        except Error as error:
            yield error


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_errors_are_pickled_and_copied(protocol):
    for error in failures():
        for again in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error), copy.deepcopy(error)):
            assert type(again) is type(error)
            assert str(again) == str(error)
            assert again.args == error.args
            names = ("msg", "offset") if isinstance(error, DecodeError) else ("msg", "path")
            assert [getattr(again, name) for name in names] == [getattr(error, name) for name in names]


def test_messages_are_of_bounded_length():
    for value in (
        {("x" * 50_000, 1): STRANGE},
        {b"x" * 50_000: STRANGE},
        {10**4000: STRANGE},
        {UUID(int=0): 1, str(UUID(int=0)): 2},
    ):
        with pytest.raises(EncodeError) as caught:
            encode(value, big_int_ext=True)
        assert len(str(caught.value)) < 1000
    value = STRANGE
    for n in range(450):
        value = [{(n, "some key"): value}]
    with pytest.raises(EncodeError) as caught:
        encode(value)
    assert caught.value.path.startswith("$[0][(449, 'some key')][0]")


def test_raw_is_pickled_and_copied():
    raw = decode(b"\x92\1\xa1x", raw=True)
    for again in (raw.copy(), copy.copy(raw), copy.deepcopy(raw), pickle.loads(pickle.dumps(raw))):
        assert type(again) is Raw
        assert again == raw
        assert encode(again) == b"\x92\1\xa1x"
    assert {raw, Raw(b"\x92\1\xa1x")} == {raw}
