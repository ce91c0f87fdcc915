"""What holds for every value: round trips, agreement with the standard library, equal layouts."""

import json
import math

from hypothesis import given, settings
from hypothesis import strategies as st
from samples import canonical_scalars, same, text, values

from oxwire import DecodeError
from oxwire.json import Decoder, Encoder, decode, decode_lines, encode, encode_lines, format


@settings(max_examples=200)
@given(values())
def test_round_trip_is_exact(value):
    assert same(decode(encode(value)), value)
    assert same(decode(encode(value).decode()), value)


@given(values())
def test_every_layout_means_the_same(value):
    compact = encode(value)
    for options in (
        {"indent": 0},
        {"indent": 3},
        {"indent": "\t"},
        {"newline": True},
        {"ensure_ascii": True},
    ):
        assert same(decode(encode(value, **options)), value)
    assert encode(value, indent=2) == format(compact, indent=2)
    assert format(encode(value, indent=4), indent=None) == compact


@given(values())
def test_decode_agrees_with_the_standard_library(value):
    for document in (json.dumps(value), json.dumps(value, ensure_ascii=False), json.dumps(value, indent=1)):
        assert same(decode(document), json.loads(document))
        assert same(decode(document.encode()), json.loads(document))


@given(values())
def test_encode_agrees_with_the_standard_library(value):
    assert same(json.loads(encode(value)), value)
    assert same(json.loads(encode(value, ensure_ascii=True)), value)
    ordered = json.dumps(value, sort_keys=True, ensure_ascii=False)
    assert json.loads(encode(value, order="sorted")) == json.loads(ordered)
    assert list_of_keys(decode(encode(value, order="sorted"))) == list_of_keys(json.loads(ordered))


def list_of_keys(value):
    """Every key, in the order of the document."""
    if isinstance(value, dict):
        return [(key, list_of_keys(item)) for key, item in value.items()]
    return [list_of_keys(item) for item in value] if isinstance(value, list) else None


@given(values(leaves=canonical_scalars))
def test_canonical_is_idempotent_and_blind_to_order(value):
    result = encode(value, canonical=True)
    assert encode(decode(result), canonical=True) == result
    assert encode(turned(value), canonical=True) == result
    assert format(result, indent=None) == result


def turned(value):
    """The same value with its dicts in the opposite order."""
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(value)}
    return list(map(turned, value)) if isinstance(value, list) else value


@given(values())
def test_sorted_is_idempotent_and_blind_to_order(value):
    result = encode(value, sort=True)
    assert encode(turned(value), sort=True) == result
    assert encode(decode(result), sort=True) == encode(decode(result)) == result


@given(st.lists(values(), max_size=5))
def test_lines_round_trip(items):
    data = encode_lines(items)
    assert data.count(b"\n") == len(items)
    assert same(decode_lines(data), items)


@given(values())
def test_coders_agree_with_functions(value):
    assert ENCODER.encode(value) == encode(value, sort=True, indent=1)
    assert same(DECODER.decode(encode(value)), value)


ENCODER, DECODER = Encoder(sort=True, indent=1), Decoder(duplicate_keys="error")


@settings(max_examples=300)
@given(st.binary(max_size=40))
def test_any_bytes(data):
    agree(data)


fragments = st.sampled_from(
    list('[]{},:"\\/')
    + ["1", "0", "-", ".", "e", "E", "+", "true", "null", '"a"', " ", "\n", "\\u00", "é", "\0"]
)


@settings(max_examples=500)
@given(st.lists(fragments, max_size=12).map("".join))
def test_almost_json(document):
    agree(document.encode())


def refuse_constant(name):
    raise ValueError(name)


def agree(data):
    """Ours and the standard library's reader take the same documents, save those where the latter is lax."""
    try:
        ours = decode(data)
    except DecodeError:
        ours = DecodeError
    try:
        theirs = json.loads(data.decode("utf-8"), parse_constant=refuse_constant)
    except ValueError:
        theirs = DecodeError
    if ours is DecodeError:
        assert theirs is DecodeError or lax(data)
    else:
        assert same(ours, theirs)


def lax(data):
    """Whether only the standard library would take it: lone surrogates and numbers that overflow."""
    return (
        b"\\ud" in data.lower() or math.inf in flat(json.loads(data)) or -math.inf in flat(json.loads(data))
    )


def flat(value):
    """Every scalar in a value."""
    if isinstance(value, dict):
        value = list(value.values())
    return [one for item in value for one in flat(item)] if isinstance(value, list) else [value]


@given(text, text)
def test_documents_side_by_side_are_refused(left, right):
    try:
        decode(encode(left) + encode(right))
    except DecodeError as error:
        assert error.offset == len(encode(left))
    else:
        raise AssertionError("two documents are not one")
