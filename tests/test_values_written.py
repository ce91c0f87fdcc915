"""Values that stand for others, and moments: each is written where it is met, and what is wrong in it is told by its path.

What may surprise: most of it is asked of both formats and of the compatible faces, since each of these has rules of its own for
what a hook gives.
"""

import contextlib
import dataclasses
import enum
import json as stdlib
import weakref
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oxwire import EncodeError, Struct, json, msgpack, to_builtins
from oxwire.compat import orjson, ormsgpack


class Size(enum.IntEnum):
    """Members are integers."""

    SMALL = 1
    HUGE = 2**70


class Named(int, enum.Enum):
    """Its value is not its number."""

    def __new__(cls, number: int, value: Any) -> "Named":
        """Given last, and after another attribute."""
        member = int.__new__(cls, number)
        member.first = number
        member._value_ = value
        return member

    ONE = (1, "one")
    MANY = (2, [1, 2])


class Text(str, enum.Enum):
    """Members are text."""

    A = "a\n"


class Pair(NamedTuple):
    """A tuple with names."""

    first: Any
    second: Any = None


@dataclasses.dataclass
class Record:
    """Any field."""

    field: Any


@dataclasses.dataclass(frozen=True)
class Frozen:
    """One that sets take."""

    field: Any


class Holder(Struct):
    """The same."""

    field: Any


class Box:
    """What only a hook knows."""

    def __init__(self, value: Any) -> None:
        self.value = value


def opened(box: Any) -> Any:
    """What is in a box."""
    if isinstance(box, Box):
        return box.value
    raise TypeError


def opened_more(o: Any) -> Any:
    """The same, and of what that face leaves to hooks."""
    if isinstance(o, Holder):
        return {"field": o.field}
    return list(o) if isinstance(o, tuple) else opened(o)


WRAPS: list[Callable[[Any], Any]] = [
    lambda value: [value],
    lambda value: (value,),
    lambda value: {"k": value},
    Pair,
    Record,
    Holder,
    Box,
]


def bare(value: Any) -> Any:
    """The same out of what JSON has."""
    if isinstance(value, Box):
        return bare(value.value)
    if isinstance(value, (Record, Holder)):
        return {"field": bare(value.field)}
    if isinstance(value, (list, tuple)):
        return [bare(item) for item in value]
    return {key: bare(item) for key, item in value.items()} if isinstance(value, dict) else value


@given(st.lists(st.sampled_from(WRAPS), max_size=60), st.lists(st.sampled_from(WRAPS), max_size=4))
def test_containers_of_all_sorts_stand_in_each_other(outer: Any, inner: Any) -> None:
    """However deep, and whoever gave them."""
    value: Any = 1
    for wrap in inner:
        value = wrap(value)
    value = [value, 2, value]
    for wrap in outer:
        value = wrap(value)
    expected = bare(value)
    assert json.decode(json.encode(value, enc_hook=opened)) == expected
    assert msgpack.decode(msgpack.encode(value, enc_hook=opened)) == expected
    assert orjson.loads(orjson.dumps(value, default=opened_more)) == expected


def test_hooks_are_counted_by_chain() -> None:
    """Not beyond the value that they gave: containers of many such values are no chain."""
    many = Box([Box([Box(i), Box({"k": Box(i)})]) for i in range(1000)])
    assert json.decode(json.encode(many, enc_hook=opened)) == bare(many)
    assert stdlib.loads(orjson.dumps(many, default=opened)) == bare(many)
    chain: Any = 1
    for _ in range(300):
        chain = Box(chain)
    with pytest.raises(EncodeError, match="without an end"):
        json.encode([chain], enc_hook=opened)

    with pytest.raises(TypeError):
        ormsgpack.packb(
            [(1,)],
            default=lambda o: 2**70 if isinstance(o, tuple) else (o,),
            option=ormsgpack.OPT_PASSTHROUGH_TUPLE | ormsgpack.OPT_PASSTHROUGH_BIG_INT,
        )


@pytest.mark.parametrize(
    ("wrap", "path"),
    [
        (lambda o: [0, o], "$[1]"),
        (lambda o: Pair(0, o), "$[1]"),
        (Record, "$.field"),
        (lambda o: [Holder({"a": o})], "$[0].field.a"),
        (lambda o: Box([Box({"k": [o]})]), "$[0].k[0]"),
        (lambda o: [[[[[[[[[[[Record(o)]]]]]]]]]]], "$[0][0][0][0][0][0][0][0][0][0][0].field"),
    ],
)
def test_paths(wrap: Callable[[Any], Any], path: str) -> None:
    """What cannot be written is told with where it stands, whatever it stands in."""

    def hook(o: Any) -> Any:
        if isinstance(o, Box):
            return o.value
        raise TypeError("no")

    for encode in (json.encode, msgpack.encode):
        with pytest.raises(EncodeError) as raised:
            encode(wrap(2**70 if encode is json.encode else 2**64), int_bits=64, enc_hook=hook)
        assert raised.value.path == path


@pytest.mark.parametrize(
    ("member", "value"),
    [
        (Size.SMALL, 1),
        (Named.ONE, "one"),
        (Named.MANY, [1, 2]),
        (Text.A, "a\n"),
    ],
)
def test_members(member: Any, value: Any) -> None:
    """By their value, which need be neither their number nor what they were given first."""
    for around in (lambda o: o, lambda o: [o, o], lambda o: {"k": o}, Record, Holder):
        expected = bare(around(value))
        assert json.decode(json.encode(around(member))) == expected
        assert msgpack.decode(msgpack.encode(around(member))) == expected
        assert to_builtins(around(member)) == expected


def test_members_given_another_value() -> None:
    """It is asked for each time."""

    class Changed(enum.IntEnum):
        ONE = 1

    assert json.encode([Changed.ONE]) == b"[1]"
    Changed.ONE._value_ = 5
    assert json.encode([Changed.ONE]) == b"[5]"
    assert json.encode([Size.HUGE]) == b"[1180591620717411303424]"


@pytest.mark.parametrize("n", [0, 1, 3, 31, 32, 255, 256, 70_000])
def test_bytearrays(n: int) -> None:
    """They are written as bytes are, and can be changed afterwards."""
    data = bytearray(range(256)) * (n // 256 + 1)
    del data[n:]
    for value in (data, [data], {"k": data}):
        as_bytes = (
            bytes(data) if value is data else [bytes(data)] if isinstance(value, list) else {"k": bytes(data)}
        )
        assert json.encode(value) == json.encode(as_bytes)
        assert msgpack.encode(value) == msgpack.encode(as_bytes)
    data.extend(b"more")


MOMENTS = st.one_of(
    st.datetimes(),
    st.datetimes(
        timezones=st.sampled_from(
            [timezone.utc, timezone(timedelta(hours=5, minutes=45)), timezone(-timedelta(hours=3))]
        )
    ),
    st.dates(),
    st.times(),
)


@given(MOMENTS, st.booleans())
def test_moments(moment: date | datetime | time, whole: bool) -> None:
    """As `isoformat` spells them, alone and in whatever holds them."""
    if whole and not type(moment) is date:
        moment = moment.replace(microsecond=0)
    text = moment.isoformat().replace("+00:00", "Z")
    for around in (lambda o: o, lambda o: [o, o], lambda o: {"k": o}, Record, Holder):
        expected = bare(around(text))
        assert json.decode(json.encode(around(moment), utc_z=True)) == expected
        assert msgpack.decode(msgpack.encode(around(moment), datetime_format="text", utc_z=True)) == expected


@given(st.timedeltas())
def test_spans(span: timedelta) -> None:
    """They are read back as what they were."""
    for encode, decode in ((json.encode, json.decode), (msgpack.encode, msgpack.decode)):
        assert decode(encode([span]), type=list[timedelta]) == [span]


@given(
    st.one_of(st.integers(-(10**9), 10**9), st.integers()), st.sampled_from(["", " ", ",", " ,1", "]", "\t]"])
)
def test_integers_that_are_read(number: int, behind: str) -> None:
    """Of any length, with or without room behind them, by type and without one."""
    text = (
        str(number)
        if behind in ("", " ")
        else f"[{number}{behind}" + ("" if behind.endswith("]") else " 0]" if behind == "," else "]")
    )
    expected = stdlib.loads(text)
    assert json.decode(text) == expected
    assert json.decode(text, type=int | list[int]) == expected
    floats = float(expected) if isinstance(expected, int) else [float(item) for item in expected]
    assert json.decode(text, type=float | list[float]) == floats


@pytest.mark.parametrize(
    "text",
    ["01", "00", "-01", "1.", "1e", "1.e1", "0123456", "012345678", "1_0", "1a", "--1", "+1", "1-", "٣"],
)
@pytest.mark.parametrize(
    "frame", ["{}", "[{}]", "[{}        ]", "[{},1,2,3,4,5]", '{{"k":{}}}', '{{"k":{}           }}']
)
def test_what_is_no_number(text: str, frame: str) -> None:
    """It is refused wherever it stands, and the same with and without a type."""
    wrong = frame.format(text)
    told = []
    for of in (Any, int | list[int] | dict[str, int], float | list[float] | dict[str, float]):
        with pytest.raises(json.DecodeError) as raised:
            json.decode(wrong, type=of)
        told.append((str(raised.value), raised.value.offset))
    assert told[0] == told[1] == told[2]


@pytest.mark.parametrize("encode", [json.encode, msgpack.encode, to_builtins, orjson.dumps, ormsgpack.packb])
@pytest.mark.parametrize("shape", ["list", "dict", "inner"])
def test_classes_whose_metaclass_lets_go_of_the_instance(encode: Callable[[Any], Any], shape: str) -> None:
    """It lives until it is written, though what held it was emptied when its class was looked at."""
    emptied: list[Any] = []

    class Meta(type):
        """Empties a container when anything of a class is asked for."""

        def __getattribute__(cls, name: str) -> Any:
            for container in emptied:
                container.clear()
            return super().__getattribute__(name)

    def made() -> Any:
        class Fields(metaclass=Meta):
            field: Any

            def __init__(self) -> None:
                self.field = "x" * 100

        return dataclasses.dataclass(Fields)()

    instance = made()
    gone = weakref.ref(instance)
    container: Any = {"a": instance, "b": 2} if shape == "dict" else [instance, 2]
    del instance
    emptied.append(container)
    with contextlib.suppress(EncodeError, TypeError, RuntimeError):
        encode({"k": container} if shape == "inner" else container)
    assert not container
    assert gone() is None


@pytest.mark.parametrize("encode", [json.encode, msgpack.encode, to_builtins])
def test_instances_that_have_another_class_whenever_theirs_is_looked_at(encode: Callable[[Any], Any]) -> None:
    """They are written as one of these, or refused, and looking comes to an end."""
    flipped: list[Any] = []

    class Meta(type):
        """Gives the instance a class that nobody has met."""

        def __getattribute__(cls, name: str) -> Any:
            if flipped:
                instance = flipped.pop()
                object.__setattr__(instance, "__class__", made())
                flipped.append(instance)
            return super().__getattribute__(name)

    def made() -> Any:
        class Fields(metaclass=Meta):
            field: Any = 1

        return dataclasses.dataclass(Fields)

    instance = made()()
    flipped.append(instance)
    with contextlib.suppress(EncodeError):
        assert encode([instance])


@pytest.mark.parametrize("wrap", [lambda o: (o,), Pair, Frozen])
def test_sets_in_containers_in_sets_small_stack(
    small_stack: Callable[..., Any], wrap: Callable[[Any], Any]
) -> None:
    """Each set in canonical order writes its members apart; together they need no more than any thread has."""
    value: Any = 1
    for _ in range(60):
        for _ in range(7):
            value = wrap(value)
        value = frozenset([value])
    told, message = small_stack(msgpack.encode, value, canonical=True)
    assert told == "value"
    assert len(message) > 60
