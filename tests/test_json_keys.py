"""Keys: what may be one, how it is spelled, and what happens when two are spelled alike."""

import enum
import uuid
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oxwire import EncodeError, Raw
from oxwire.json import decode, encode


class Colour(enum.Enum):
    """Written by value."""

    RED = "r"
    TWO = 2
    NONE = None
    PAIR = (1, 2)


class Size(enum.IntEnum):
    """Members are integers."""

    SMALL = 1


class Word(enum.StrEnum):
    """Members are text."""

    A = "a\n"


class Str(str):
    """A subclass."""

    __slots__ = ()


class Int(int):
    """A subclass whose text is not what is written."""

    def __str__(self):
        return "wrong"


SPELLINGS = [
    ("", ""),
    ('é\n"', 'é\n"'),
    (Str("sub"), "sub"),
    (0, "0"),
    (-5, "-5"),
    (2**64, "18446744073709551616"),
    (-(10**30), "-1" + "0" * 30),
    (Int(7), "7"),
    (1.0, "1.0"),
    (-0.0, "-0.0"),
    (0.1, "0.1"),
    (1e16, "1e+16"),
    (True, "true"),
    (False, "false"),
    (None, "null"),
    (datetime(2000, 1, 2, 3, 4, 5, 6), "2000-01-02T03:04:05.000006"),
    (datetime(2000, 1, 2, tzinfo=timezone.utc), "2000-01-02T00:00:00+00:00"),
    (date(2000, 1, 2), "2000-01-02"),
    (time(1, 2), "01:02:00"),
    (time(1, 2, tzinfo=timezone.utc), "01:02:00+00:00"),
    (timedelta(days=1), "P1D"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (Decimal("1.50"), "1.50"),
    (b"ab", "YWI="),
    (b"", ""),
    (Colour.RED, "r"),
    (Colour.TWO, "2"),
    (Colour.NONE, "null"),
    (Size.SMALL, "1"),
    (Word.A, "a\n"),
]


@pytest.mark.parametrize(("key", "spelling"), SPELLINGS, ids=lambda value: repr(value)[:40])
def test_spelling(key, spelling):
    assert encode({key: 1}) == b"{" + encode(spelling) + b":1}"
    assert encode({"a": {key: []}}, indent=2) == encode({"a": {spelling: []}}, indent=2)
    assert encode({key: 1, "zzz": 2}, order="sorted") == encode(dict(sorted({spelling: 1, "zzz": 2}.items())))
    assert encode({key: 1}, ensure_ascii=True) == encode({spelling: 1}, ensure_ascii=True)


def test_options_hold_for_keys():
    moment = datetime(2000, 1, 1, 0, 0, 0, 5)
    assert (
        encode({moment: 1}, naive_utc=True, utc_z=True, omit_microseconds=True)
        == b'{"2000-01-01T00:00:00Z":1}'
    )
    with pytest.raises(EncodeError):
        encode({2**53: 1}, int_bits=53)
    with pytest.raises(EncodeError):
        encode({float("nan"): 1})
    with pytest.raises(EncodeError):
        encode({float("inf"): 1})


@pytest.mark.parametrize(
    "value",
    [
        {1: "a", "1": "b"},
        {"1": "a", 1: "b"},
        {True: 1, "true": 2},
        {None: 1, "null": 2},
        {1.5: 1, "1.5": 2},
        {uuid.UUID(int=0): 1, str(uuid.UUID(int=0)): 2},
        {date(2000, 1, 1): 1, "2000-01-01": 2},
        {Colour.RED: 1, "r": 2},
        {Colour.TWO: 1, 2: 2},
        {Decimal("1.0"): 1, "1.0": 2},
        {b"ab": 1, "YWI=": 2},
        {datetime(2000, 1, 1): 1, datetime(2000, 1, 1, tzinfo=timezone.utc).isoformat()[:19]: 2},
        {"x": 0, **{n: n for n in range(500)}, "250": 0},
        {**{str(n): n for n in range(500)}, 250: 0},
    ],
    ids=lambda value: repr(value)[:50],
)
@pytest.mark.parametrize("options", [{}, {"order": "sorted"}, {"canonical": True}, {"indent": 1}], ids=repr)
def test_keys_that_are_spelled_alike_are_refused(value, options):
    with pytest.raises(EncodeError) as caught:
        encode({"outer": [value]}, **options)
    assert caught.value.path.startswith("$.outer[0]")


def test_moments_that_become_equal_when_spelled_are_refused():
    value = {datetime(2000, 1, 1, 0, 0, 0, 1): 1, datetime(2000, 1, 1, 0, 0, 0, 2): 2}
    assert len(decode(encode(value))) == 2
    with pytest.raises(EncodeError):
        encode(value, omit_microseconds=True)


def test_keys_of_several_types_side_by_side():
    value = {"a": 1, 2: 2, None: 3, 4.5: 4, True: 5, b"x": 6}
    assert encode(value) == b'{"a":1,"2":2,"null":3,"4.5":4,"true":5,"eA==":6}'
    assert encode(value, sort=True) == b'{"2":2,"4.5":4,"a":1,"eA==":6,"null":3,"true":5}'
    assert encode({n: n for n in range(1000)}) == encode({str(n): n for n in range(1000)})


@pytest.mark.parametrize(
    "key", [(), (1, 2), frozenset(), 1j, object(), len, int, Raw(b"1"), range(3), Colour.PAIR], ids=repr
)
def test_unsupported_keys(key):
    for value in ({key: 1}, {"a": 1, key: 2}):
        with pytest.raises(EncodeError) as caught:
            encode({"x": [value]})
        assert caught.value.path.startswith("$.x[0]")
        # The hook is for values.
        with pytest.raises(EncodeError):
            encode({"x": [value]}, enc_hook=lambda value: "hook")


@given(
    st.dictionaries(
        st.one_of(
            st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.none(), st.text(max_size=3)
        ),
        st.none(),
    )
)
def test_no_two_keys_are_ever_the_same(value):
    try:
        result = encode(value)
    except EncodeError:
        return
    assert len(decode(result, duplicate_keys="error")) == len(value)


def test_keys_of_equal_hash():
    # 2**61 - 1 is the modulus of the interpreter's numeric hash.
    value = {n * (2**61 - 1): n for n in range(1, 200)}
    assert len({hash(key) for key in value}) == 1
    assert decode(encode(value)) == {str(key): n for key, n in value.items()}


@pytest.mark.parametrize("at", [0, 1, 2, 50, 99, 100])
@pytest.mark.parametrize("odd", ["a", None, 2.5, 2**70, date(2020, 1, 1), True])
def test_integers_with_another_key_among_them(at, odd):
    """What stands before it is written by then, or is not."""
    numbers = list(range(100, 200))
    for value in (1, [2], {"x": {3: {"y": 4}}}):
        keys = [*numbers[:at], odd, *numbers[at:]]
        given = dict.fromkeys(keys, value)
        got = decode(encode({"in": given, 1: given}))
        assert list(got["in"]) == [next(iter(decode(encode({key: 0})))) for key in keys]
        assert got["in"] == got["1"]
    spelled = {"100": 0, 100: 1} if at == 0 else {**dict.fromkeys(numbers[:at], 0), str(numbers[0]): 1}
    with pytest.raises(EncodeError, match="spelled"):
        encode(spelled)


def test_a_dict_of_integers_that_changes():
    given: dict = {}

    class Hooked:
        pass

    def grow(value):
        given[len(given) + 1000] = 1
        return 1

    def shrink(value):
        given.popitem()
        return 1

    for hook in (grow, shrink):
        for keys in (range(5), [0, 1, "a", 2]):
            given.clear()
            given.update(dict.fromkeys(keys, Hooked()))
            with pytest.raises(EncodeError, match="changed size"):
                encode(given, enc_hook=hook)
