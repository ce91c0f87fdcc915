"""Random types: what is written is read as it was, and what is changed is of the type or refused."""

import dataclasses
import datetime as dt
import enum
import random
import re
import struct
import typing
from decimal import Decimal
from typing import Any, NamedTuple, Optional, TypedDict
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from oxwire import DecodeError, Struct, convert, json, msgpack, to_builtins


class Color(enum.Enum):
    RED = "red"


def check_type(value, t):
    """Whether a value is of a type, as far as random types go."""
    origin, args = typing.get_origin(t), typing.get_args(t)
    if t is Any:
        return True
    if t is None:
        return value is None
    if origin is typing.Union or type(t).__name__ == "UnionType":
        return any(check_type(value, one) for one in args)
    if origin is typing.Literal:
        return any(value is one or (type(value) is type(one) and value == one) for one in args)
    if origin is dict:
        return type(value) is dict and all(
            check_type(k, args[0]) and check_type(v, args[1]) for k, v in value.items()
        )
    if origin is tuple and args[-1:] != (...,):
        return type(value) is tuple and len(value) == len(args) and all(map(check_type, value, args))
    if origin in (list, set, frozenset, tuple):
        return type(value) is origin and all(check_type(one, args[0]) for one in value)
    if typing.is_typeddict(t):
        return type(value) is dict and all(check_type(one, _hints(t)[key]) for key, one in value.items())
    if type(value) is not t:
        return False
    return (
        all(check_type(getattr(value, name), one) for name, one in _hints(t).items())
        if hasattr(t, "__annotations__")
        else True
    )


def _hints(t):
    return typing.get_type_hints(t) if not isinstance(t, type(enum.Enum)) else {}


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
names = st.sampled_from(["a", "b", "long_name", "camelCase", "x1"])
SCALARS = {
    int: st.integers(-(2**63), 2**64 - 1),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    str: texts,
    bytes: st.binary(max_size=8),
    None: st.none(),
    dt.date: st.dates(),
    dt.datetime: st.datetimes(timezones=st.none() | st.just(dt.UTC)),
    dt.time: st.times(),
    dt.timedelta: st.timedeltas(),
    UUID: st.uuids(),
    Decimal: st.decimals(allow_nan=False, allow_infinity=False),
    Color: st.sampled_from(Color),
    typing.Literal["x", 3, None]: st.sampled_from(["x", 3, None]),
}
STRINGS = [str, bytes, dt.date, dt.datetime, dt.time, dt.timedelta, UUID, Decimal, Color]


def _shape(draw, inner, make):
    t, values = draw(inner)
    return make(t, values)


@st.composite
def records(draw, inner):
    """A class with fields of random types, and its instances."""
    fields = draw(st.dictionaries(names, inner, max_size=4))
    annotations = {name: t for name, (t, _) in fields.items()}
    values = {name: one for name, (_, one) in fields.items()}
    kind = draw(st.sampled_from(["struct", "row", "dataclass", "typeddict", "namedtuple", "tagged"]))
    if kind == "typeddict":
        return TypedDict("Keys", annotations), st.fixed_dictionaries(values)
    if kind == "namedtuple":
        t = NamedTuple("Names", list(annotations.items()))
    elif kind == "dataclass":
        t = dataclasses.make_dataclass("Data", list(annotations.items()))
    else:
        options = {"row": {"array_like": True}, "tagged": {"tag": "it's", "tag_field": "kind"}}.get(kind, {})
        options["rename"] = draw(st.sampled_from([None, "upper"]))
        options["forbid_unknown_fields"] = draw(st.booleans())
        t = type(Struct)(
            "Made", (Struct,), {"__annotations__": annotations, "__module__": __name__}, **options
        )
    return t, st.builds(t, **values)


def containers(inner):
    def one(make):
        return inner.map(lambda pair: make(*pair))

    scalar_keys = st.sampled_from([str, int, dt.date, UUID, Color]).map(lambda t: (t, SCALARS[t]))
    return st.one_of(
        one(lambda t, v: (list[t], st.lists(v, max_size=3))),
        one(lambda t, v: (tuple[t, ...], st.lists(v, max_size=3).map(tuple))),
        st.tuples(inner, inner).map(
            lambda two: (tuple[two[0][0], two[1][0]], st.tuples(two[0][1], two[1][1]))
        ),
        st.tuples(scalar_keys, inner).map(
            lambda two: (dict[two[0][0], two[1][0]], st.dictionaries(two[0][1], two[1][1], max_size=3))
        ),
        st.sampled_from([int, str, UUID]).map(lambda t: (set[t], st.sets(SCALARS[t], max_size=3))),
        st.sampled_from([int, str]).map(lambda t: (frozenset[t], st.frozensets(SCALARS[t], max_size=3))),
        one(lambda t, v: (Optional[t] if t is not None else None, st.none() | v)),
        st.sampled_from(STRINGS).map(lambda t: (int | t | None, SCALARS[int] | SCALARS[t] | st.none())),
        records(inner),
        records(inner),
    )


typed = st.recursive(st.sampled_from(list(SCALARS)).map(lambda t: (t, SCALARS[t])), containers, max_leaves=6)


@given(typed, st.data())
def test_what_is_written_is_read(pair, data):
    t, values = pair
    value = data.draw(values)
    for format in (json, msgpack):
        written = format.encode(value)
        for _ in range(2):
            assert format.decode(written, type=t) == value
        assert format.Decoder(t).decode(written) == value
        assert check_type(format.decode(written, type=t), t)
        # What is read laxly is the same, or what a text or number may stand for as well.
        format.decode(written, type=t, strict=False)
    assert convert(to_builtins(value), t) == value
    assert convert(value, t) == value
    assert convert(json.decode(json.encode(value)), t, str_keys=True) == value


def mutated(data, own):
    kind = own.randrange(7)
    at = own.randrange(len(data) + 1)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + bytes([own.randrange(256)]) + data[at + 1 :]
    if kind == 2:
        return data[:at] + data[at + 1 :]
    if kind == 3:
        return (
            data[:at]
            + own.choice(
                [b'"', b"[", b"{", b",", b"null", b"\\u0061", b"\x91", b"\x81", b"\xc0", b"-", b"1e400"]
            )
            + data[at:]
        )
    if kind == 4:
        return data[:at] + data[at:][::-1]
    if kind == 5:
        other = own.randrange(len(data) + 1)
        return data[:at] + data[min(at, other) : max(at, other)] + data[at:]
    return data[:at] + struct.pack(">d", own.random()) + data[at:]


@given(typed, st.data(), st.integers(0, 2**32))
def test_what_is_changed_is_of_the_type_or_refused(pair, data, seed):
    t, values = pair
    value = data.draw(values)
    own = random.Random(seed)
    for format in (json, msgpack):
        written = format.encode(value)
        cases = [written[:n] for n in range(min(len(written), 60))]
        cases += [mutated(written, own) for _ in range(60)]
        decoders = [format.Decoder(t, strict=strict) for strict in (True, False)]
        for case in cases:
            for decoder in decoders:
                try:
                    made = decoder.decode(case)
                except DecodeError:
                    continue
                assert check_type(made, t), (t, case, made)


@given(typed, typed, st.data())
def test_values_of_one_type_as_another(one, other, data):
    value = data.draw(one[1])
    for attempt in (
        lambda t: json.decode(json.encode(value), type=t),
        lambda t: msgpack.decode(msgpack.encode(value), type=t, strict=False),
        lambda t: convert(value, t, from_attributes=True),
        lambda t: convert(value, t, strict=False),
    ):
        try:
            made = attempt(other[0])
        except DecodeError:
            continue
        assert check_type(made, other[0]) or made is value


NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
SPELLED = st.one_of(
    st.text("-+.eE0123456789 _", max_size=8),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(2**90), 2**90).map(str),
    st.builds("{}.{}e{}".format, st.integers(-99, 99), st.integers(0, 10**25), st.integers(-350, 350)),
)


@given(text=SPELLED)
def test_keys_are_numbers_as_json_writes_them(text):
    match = NUMBER.fullmatch(text)
    whole = match is not None and not match[1] and not match[2]
    number = float(text) if match else None
    if number is not None and abs(number) == float("inf"):
        number = "Number out of range - at `key` in `$`"
    for t, wanted in ((int, int(text) if whole else None), (float, number)):
        try:
            made = next(iter(json.decode(json.encode({text: 0}), type=dict[t, int])))
        except DecodeError as error:
            made = str(error)
        if wanted is None:
            wanted = f"Expected `{t.__name__}`, got `str` - at `key` in `$`"
        assert (type(made), str(made)) == (type(wanted), str(wanted))
