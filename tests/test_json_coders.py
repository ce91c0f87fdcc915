"""Encoder, Decoder and Raw: reuse, options, equality, copies, pickling, and that they stay what they are."""

import copy
import gc
import io
import pickle
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from decimal import Decimal
from uuid import UUID

import pytest
from samples import DOCUMENTS, STRANGE, same

import oxwire
from oxwire import DecodeError, EncodeError, Raw
from oxwire.json import Decoder, Encoder, StreamDecoder, decode, encode

WHEN = datetime(2000, 1, 1, tzinfo=timezone.utc)


def hook(value):
    """Can be pickled, since it stands in a module."""
    return {"hook": str(value)}


def test_an_encoder_does_what_encode_does():
    options = {
        "order": "sorted",
        "indent": 2,
        "newline": True,
        "utc_z": True,
        "enc_hook": hook,
        "nan": "null",
    }
    encoder = Encoder(**options)
    for value in (1, "é", [STRANGE, WHEN], {"b": 1, "a": float("nan")}, {}):
        for _ in range(3):
            assert encoder.encode(value) == encode(value, **options)
    items = [1, {"b": 1, "a": 2}]
    with pytest.raises(ValueError, match="indent"):
        encoder.encode_lines(items)
    flat = {**options, "indent": None}
    assert Encoder(**flat).encode_lines(items) == oxwire.json.encode_lines(items, **flat)
    buffer = bytearray(b"x")
    encoder.encode_into([1], buffer, -1)
    assert buffer == b"x[\n  1\n]\n"
    with pytest.raises(EncodeError) as caught:
        Encoder().encode({"a": [STRANGE]})
    assert caught.value.path == "$.a[0]"


def test_a_decoder_does_what_decode_does():
    options = {"float_hook": Decimal, "nan": "literal", "duplicate_keys": "error", "max_depth": 5}
    decoder = Decoder(**options)
    for _ in range(3):
        assert decoder.decode(b'{"a":[1.50,2]}') == {"a": [Decimal("1.50"), 2]}
        assert repr(decoder.decode("[NaN,-Infinity]")) == "[Decimal('NaN'), Decimal('-Infinity')]"
        for bad in (b'{"a":1,"a":2}', b"[[[[[[]]]]]]", b"["):
            with pytest.raises(DecodeError):
                decoder.decode(bad)
    assert decoder.decode_lines(b"1\n2.5\n") == [1, Decimal("2.5")]
    raw = Decoder(raw=True).decode(b"[1, 2]")
    assert type(raw) is Raw
    assert bytes(raw) == b"[1, 2]"
    assert [bytes(one) for one in Decoder(raw=True).decode_lines(b"1\n2")] == [b"1", b"2"]
    plain = Decoder()
    for document in DOCUMENTS:
        assert same(plain.decode(document), decode(document))


def test_arguments():
    for kind in (Encoder, Decoder, StreamDecoder):
        with pytest.raises(TypeError):
            kind(1)
        with pytest.raises(TypeError, match="no_such_option"):
            kind(no_such_option=1)
    for options in ({"indent": 9}, {"order": "up"}, {"max_depth": -1}):
        with pytest.raises((TypeError, ValueError)):
            Encoder(**options)
    for options in ({"nan": "x"}, {"int_bits": 8}, {"float_hook": 5}):
        with pytest.raises((TypeError, ValueError)):
            Decoder(**options)
    with pytest.raises(TypeError):
        Encoder().encode()
    with pytest.raises(TypeError):
        Encoder().encode(1, indent=2)
    with pytest.raises(TypeError):
        Decoder().decode(b"1", nan="null")


def test_options():
    given = {"indent": 2, "order": "sorted", "enc_hook": hook, "int_bits": 53}
    encoder = Encoder(**given)
    options = encoder.options
    assert {name: options[name] for name in given} == given
    options["indent"] = 5
    options.clear()
    assert encoder.options["indent"] == 2
    again = Encoder(**encoder.options)
    assert again.encode({"b": STRANGE, "a": 1}) == encoder.encode({"b": STRANGE, "a": 1})
    decoder = Decoder(nan="null", max_int_digits=None, raw=False)
    assert decoder.options["nan"] == "null"
    assert decoder.options["max_int_digits"] is None
    assert Decoder(**decoder.options).decode(b"NaN") is None
    for coder in (encoder, decoder):
        with pytest.raises((AttributeError, TypeError)):
            coder.options = {}
        with pytest.raises((AttributeError, TypeError)):
            coder.indent = 4
        with pytest.raises((AttributeError, TypeError)):
            coder.anything = 4


def test_what_was_given_can_change_without_changing_the_coder():
    types = {UUID}
    encoder = Encoder(passthrough=types, enc_hook=lambda value: "hook")
    types.clear()
    types.add(int)
    assert encoder.encode([UUID(int=1), 5]) == b'["hook",5]'


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol):
    encoder = Encoder(indent="\t", enc_hook=hook, passthrough=[UUID, "enum"], sort=True)
    again = pickle.loads(pickle.dumps(encoder, protocol))
    assert type(again) is Encoder
    value = {"b": [UUID(int=1)], "a": STRANGE}
    assert again.encode(value) == encoder.encode(value)
    decoder = Decoder(float_hook=Decimal, nan="null", duplicate_keys="error", int_bits=53)
    again = pickle.loads(pickle.dumps(decoder, protocol))
    assert type(again) is Decoder
    assert again.decode(b"[1.10,NaN]") == [Decimal("1.10"), None]
    with pytest.raises(DecodeError):
        again.decode(b"9007199254740992")
    assert type(pickle.loads(pickle.dumps(Encoder(), protocol))) is Encoder
    for coder in (encoder, decoder):
        assert type(copy.copy(coder)) is type(coder)
        assert type(copy.deepcopy(coder)) is type(coder)
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError)):
        pickle.dumps(Encoder(enc_hook=lambda value: 1), protocol)


def test_repr():
    assert "Encoder" in repr(Encoder())
    assert "indent" in repr(Encoder(indent=3))
    assert "3" in repr(Encoder(indent=3))
    assert "Decoder" in repr(Decoder())
    assert "null" in repr(Decoder(nan="null"))


def test_final():
    for kind in (Encoder, Decoder, Raw):
        with pytest.raises(TypeError):
            type("Sub", (kind,), {})
        with pytest.raises(TypeError):
            kind.new_attribute = 1
        assert kind.__module__ in ("oxwire", "oxwire.json")


def test_threads_share():
    encoder, decoder = Encoder(sort=True, enc_hook=hook), Decoder(float_hook=Decimal)
    value = {"b": [1, STRANGE, {"é": "x" * 50}], "a": [None] * 20}
    expected = encoder.encode(value)

    def work(n):
        for _ in range(100):
            assert encoder.encode(value) == expected
            assert decoder.decode(b"[%d,1.5]" % n) == [n, Decimal("1.5")]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_coders_in_circles_are_collected():
    class Hook:
        """Holds the coder that holds it."""

        def __call__(self, value):
            return 1

    for make in (
        lambda h: Encoder(enc_hook=h),
        lambda h: Decoder(float_hook=h),
        lambda h: StreamDecoder(float_hook=h),
    ):
        held = Hook()
        held.coder = make(held)
        gone = weakref.ref(held)
        del held
        gc.collect()
        assert gone() is None


def test_coders_hold_what_they_were_given_once():
    def local(value):
        return 1

    before = sys.getrefcount(local)
    coder = Encoder(enc_hook=local)
    assert sys.getrefcount(local) > before
    coder.encode(STRANGE)
    del coder
    assert sys.getrefcount(local) == before


# Raw.


def test_raw_holds_bytes():
    for given in (b'{"a": 1}', bytearray(b'{"a": 1}'), memoryview(b'#{"a": 1}')[1:], '{"a": 1}'):
        raw = Raw(given)
        assert bytes(raw) == b'{"a": 1}'
        assert len(raw) == 8
        assert bytes(memoryview(raw)) == b'{"a": 1}'
        assert memoryview(raw).readonly
        assert raw == Raw(b'{"a": 1}')
        assert hash(raw) == hash(Raw(b'{"a": 1}'))
        assert raw != Raw(b'{"a":1}')
        assert raw != 5
        assert not raw == None  # noqa: E711 - the operator is the subject
        assert encode([raw, raw]) == b'[{"a": 1},{"a": 1}]'
        assert decode(raw) == {"a": 1}
        assert raw in {Raw(b'{"a": 1}')}
        assert "Raw" in repr(raw)
    assert bytes(Raw("é€😀")) == "é€😀".encode()
    assert bytes(Raw()) == b""
    assert len(Raw()) == 0


def test_raw_is_a_copy_of_what_can_change():
    data = bytearray(b"[1]")
    raw = Raw(data)
    data[1] = 50
    data.clear()
    assert bytes(raw) == b"[1]"


def test_raw_copies():
    raw = decode(b" [1, 2, 3] ", raw=True)
    for again in (raw.copy(), copy.copy(raw), copy.deepcopy(raw), pickle.loads(pickle.dumps(raw))):
        assert type(again) is Raw
        assert again == raw
        assert bytes(again).strip() == b"[1, 2, 3]"
        assert encode(again).strip() == b"[1, 2, 3]"


def test_a_copy_lets_the_document_go():
    document = b"[" + b"1," * 500_000 + b"2]"
    raws = list(oxwire.json.iter_items(io.BytesIO(b'[["x"],' + document + b"]"), raw=True))
    small = raws[0].copy()
    del raws
    assert sys.getsizeof(small) < 10_000
    assert bytes(small) == b'["x"]'


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" ",
        b"[1",
        b"[1,]",
        b"1 2",
        b"nan",
        b"NaN",
        b'"\xff"',
        b'"\\x"',
        b'{"a":1}x',
        b"tru",
        b'"\n"',
        b"\xef\xbb\xbf1",
        b"01",
        b"]",
        b"1,2",
    ],
)
def test_invalid_raw_is_refused_when_it_is_written(content):
    raw = Raw(content)
    for value, path in ((raw, "$"), ([1, raw], "$[1]"), ({"a": raw}, "$.a")):
        for options in ({}, {"indent": 2}):
            with pytest.raises(EncodeError) as caught:
                encode(value, **options)
            assert caught.value.path == path
    with pytest.raises(EncodeError):
        encode({"a": STRANGE}, enc_hook=lambda value: raw)


def test_raw_wrong_arguments():
    for wrong in (5, None, [], object()):
        with pytest.raises(TypeError):
            Raw(wrong)
    with pytest.raises((TypeError, ValueError, BufferError)):
        Raw(memoryview(b"[,1,]")[::2])
    with pytest.raises((ValueError, TypeError)):
        Raw("\ud800")
    with pytest.raises(TypeError):
        Raw(b"1", b"2")
    with pytest.raises(TypeError):
        Raw(data=b"1")


def test_raw_among_other_values():
    value = {"a": Raw(b'"\\u0041"'), "b": [Raw("1.50"), Raw(b"{}")], "c": (Raw(b"null"),)}
    assert encode(value) == b'{"a":"\\u0041","b":[1.50,{}],"c":[null]}'
    assert decode(encode(value, indent=2)) == {"a": "A", "b": [1.5, {}], "c": [None]}
    deep = Raw(b"[" * 900 + b"]" * 900)
    assert encode(deep) == bytes(deep)


def test_names():
    assert oxwire.json.Raw is Raw
    assert isinstance(oxwire.__version__, str)
    for name in (
        "encode",
        "decode",
        "encode_into",
        "encode_lines",
        "decode_lines",
        "format",
        "dump",
        "load",
        "iter_lines",
        "iter_items",
    ):
        function = getattr(oxwire.json, name)
        assert callable(function)
        assert function.__doc__
        assert function.__name__ == name
    for kind in (Encoder, Decoder, StreamDecoder, Raw):
        assert kind.__doc__
