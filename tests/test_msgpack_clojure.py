"""`ext_table="clojure"`: what vectors/ext-codes.md says of codes 32 to 45, both ways.

What may surprise: `Keyword("a")`, `Symbol("a")`, `Character("a")` and `"a"` are four different values, since a map may have
all of them as keys; and values are compared by `lossless.exact`, which knows each of them from the others.
"""

import copy
import datetime as dt
import pickle
import random
import re
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

import lossless
from clojure_values import READING, TABLE, comparable, is_body, made_up, ours, refused
from lossless import Said

import vectors
from oxwire import DecodeError, EncodeError
from oxwire.msgpack import (
    Character,
    Date,
    Decoder,
    Encoder,
    Ext,
    Keyword,
    List,
    Record,
    StreamDecoder,
    Symbol,
    decode,
    decode_prefix,
    encode,
    encode_many,
    iter_messages,
)

pytestmark = pytest.mark.usefixtures("deep")


def there_and_back(value, **options):
    return decode(encode(value, **TABLE, **options), **TABLE)


@pytest.fixture(scope="module")
def cases():
    """The cases of the table; those of typed arrays need numpy."""
    try:
        import numpy  # noqa: F401
    except ImportError:
        return [case for case in lossless.cases() if not isinstance(case.value, vectors.Typed)]
    return list(lossless.cases())


# The vectors.


def test_the_vectors_agree_with_themselves(capsys):
    assert lossless.main() == 0, capsys.readouterr().out


def test_values_are_written(cases):
    for case in cases:
        if case.why is None and case.way != "read":
            value = ours(case.value)
            assert encode(value, **TABLE) == case.data, case.name
            assert encode(value, **TABLE, canonical=True) == (case.canonical or case.data), case.name
            assert Encoder(**TABLE).encode(value) == case.data, case.name
            assert encode([value], **TABLE) == b"\x91" + case.data, case.name


def test_bytes_are_read(cases):
    for case in cases:
        if case.why is None:
            for form in (case.data, *case.also):
                for made in (
                    decode(form, **READING),
                    Decoder(**READING).decode(form),
                    decode_prefix(form + b"\xc1", **READING)[0],
                ):
                    assert comparable(made) == lossless.exact(case.value), (case.name, form[:40])
                    assert encode(made, **TABLE) == case.data, (case.name, form[:40])
                if form in case.also:
                    assert refused(form, strict=True), case.name
                else:
                    assert comparable(decode(form, strict=True, **READING)) == lossless.exact(case.value)


def test_without_the_table_exts_are_code_and_body(cases):
    for case in cases:
        if case.why is None and isinstance(case.value, Said):
            assert type(decode(case.data)) is Ext
            assert encode(decode(case.data)) == case.data


def test_bytes_are_refused(cases):
    for case in cases:
        if case.why is not None:
            assert is_body(refused(case.data), case.offset), case.name
            assert is_body(refused(b"\x93\x01\x02" + case.data), case.offset + 3), case.name
            assert decode(case.data)
            stream = StreamDecoder(**READING)
            stream.feed(b"\x01" + case.data + b"\x02")
            assert stream.read() == 1
            with pytest.raises(DecodeError) as caught:
                stream.read()
            assert is_body(caught.value, case.offset + 1), case.name
            assert stream.read() == 2


def test_bytes_are_read_in_pieces(cases):
    for case in cases:
        if case.why is None and len(case.data) < 40:
            for n in range(len(case.data) + 1):
                stream = StreamDecoder(**READING, max_buffer=1000)
                stream.feed(case.data[:n])
                made = list(stream)
                stream.feed(case.data[n:])
                made += list(stream)
                stream.close()
                assert [comparable(one) for one in made] == [lossless.exact(case.value)], (case.name, n)


def test_many_messages(tmp_path):
    values = [Keyword("a"), {Symbol("b"): Fraction(1, 2)}, [List((1,))]]
    path = tmp_path / "values.msgpack"
    path.write_bytes(encode_many(values, **TABLE))
    assert list(iter_messages(path, **TABLE)) == values


def agreed(data):
    """Whether this decoder and the small codec of the vectors agree on a message."""
    try:
        wanted = lossless.exact(lossless.read(data))
    except (vectors.Refused, ValueError):
        wanted = None
    try:
        made = comparable(decode(data, **READING))
    except DecodeError:
        made = None
    return made, wanted


def test_every_mutation_is_read_as_the_small_codec_reads_it(cases):
    pick = random.Random(5)
    differing = []
    for case in cases:
        if case.data is None or len(case.data) > 60 or isinstance(case.value, vectors.Typed):
            continue
        for at in range(len(case.data)):
            for byte in (0, 1, 0x80, 0x90, 0xC0, 0xC1, 0xD4, 0xFF, pick.randrange(256)):
                data = case.data[:at] + bytes([byte]) + case.data[at + 1 :]
                made, wanted = agreed(data)
                if made != wanted:
                    differing.append((case.name, data, made, wanted))
    # Only where Python's own types are other than MessagePack's: 1 is True in a set, a pattern is another's dialect,
    # and the fields of a record are read whatever its name is.
    for _, data, _, wanted in differing:
        assert wanted is not None, data
        assert any(code in data for code in b"\x22\x29\x2a"), data


def test_every_cut_is_refused(cases):
    for case in cases:
        if case.why is None:
            for n in range(1, min(len(case.data), 40)):
                assert refused(case.data[:n]).offset == n, case.name


# Words.


def test_words_are_text_of_a_kind():
    for kind in (Keyword, Symbol, Character):
        word = kind("a")
        assert isinstance(word, str)
        assert str(word) == "a"
        assert type(str(word)) is str
        assert word == kind("a")
        assert hash(word) == hash(kind("a"))
        assert word != "a"
        assert "a" != word
        assert not word == "a"
        assert repr(word) == f"{kind.__name__}('a')"
        assert kind.__module__ == "oxwire.msgpack"
        with pytest.raises(AttributeError):
            word.x = 1
        with pytest.raises(TypeError):
            kind(5)
        with pytest.raises(ValueError):
            kind("\ud800")
    assert len({Keyword("a"): 1, Symbol("a"): 2, Character("a"): 3, "a": 4}) == 4
    assert not isinstance(Keyword("a"), Symbol)
    for text in ("", "ab"):
        with pytest.raises(ValueError):
            Character(text)


@pytest.mark.parametrize("kind", [Keyword, Symbol])
def test_namespaces(kind):
    for text, namespace, name in (
        ("a", None, "a"),
        ("a/b", "a", "b"),
        ("a.b/c/d", "a.b", "c/d"),
        ("/", None, "/"),
        ("", None, ""),
    ):
        word = kind(text)
        assert (word.namespace, word.name) == (namespace, name)
        assert type(word.name) is str


VALUES = [
    Keyword("a/b"),
    Symbol("a"),
    Character("é"),
    List((1, [2])),
    Date(2026, 11, 22, tzinfo=dt.UTC),
    Record("point", {Keyword("x"): 1}),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_values_are_pickled_and_copied(value, protocol):
    for again in (pickle.loads(pickle.dumps(value, protocol)), copy.copy(value), copy.deepcopy(value)):
        assert type(again) is type(value)
        assert again == value
        assert repr(again) == repr(value)


def test_without_the_table_they_are_what_they_inherit_from():
    assert encode([Keyword("a"), Symbol("b"), Character("c"), List((1,))]) == encode(["a", "b", "c", [1]])
    assert encode(Date(2026, 1, 1, tzinfo=dt.UTC)) == encode(dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    with pytest.raises(EncodeError):
        encode(Record("a", {}))


def test_words_are_keys():
    value = {Keyword("a"): 1, "a": 2, Symbol("a"): 3, Character("a"): 4, (Keyword("a"), "a"): 5}
    assert there_and_back(value) == value
    assert there_and_back(value, canonical=True) == value
    assert there_and_back(value, sort=True) == value
    twice = b"\x82" + encode(Keyword("a"), **TABLE) + b"\x01" + encode(Keyword("a"), **TABLE) + b"\x02"
    assert decode(twice, **TABLE) == {Keyword("a"): 2}
    assert refused(twice, duplicate_keys="error").offset == 5


def test_long_words_are_not_kept():
    text = "k" * 5000
    assert there_and_back(Keyword(text)) == Keyword(text)
    assert decode(encode(Keyword("kept"), **TABLE), **TABLE) is decode(
        encode(Keyword("kept"), **TABLE), **TABLE
    )


# Containers.


def test_sets():
    for value in ({1, "a", None}, {frozenset({1}), (1, frozenset())}, set()):
        made = there_and_back(value)
        assert made == value
        assert type(made) is set
    assert type(there_and_back(frozenset({1}))) is set
    made = there_and_back({frozenset({(1, 2)}): 0, 1: {2}})
    assert made == {frozenset({(1, 2)}): 0, 1: {2}}
    assert type(next(iter(made))) is frozenset
    assert encode({3, 1, 2}, canonical=True, **TABLE) == b"\xd6\x22\x93\x01\x02\x03"
    inner = frozenset({frozenset({2, 1}), 3})
    assert encode({inner}, canonical=True, **TABLE) == lossless.write(
        Said("set", (Said("set", (3, Said("set", (1, 2)))),)), canonical=True
    )


def test_a_set_that_python_cannot_hold_is_refused():
    assert is_body(refused(b"\xc7\x0b\x22\x92\x01\xcb\x3f\xf0" + bytes(6)), 0)
    assert is_body(refused(b"\xc7\x03\x22\x92\x01\xc3"), 0)


def test_lists():
    value = [List((1, [2], List(), {"a": List("a")}))]
    made = there_and_back(value)
    assert made == value
    assert type(made[0]) is List
    assert type(made[0][1]) is list
    assert type(made[0][2]) is List
    assert there_and_back({List((1, (2,))): 0}) == {List((1, (2,))): 0}
    assert decode(encode([List((1, [2]))], **TABLE), use_list=False, **TABLE) == (List((1, (2,))),)
    assert List((1,)) == (1,)
    assert repr(List((1,))) == "List((1,))"


def test_hooks_see_containers_in_bodies():
    packed = encode([List((1, [2], {"a": 3})), {4}], **TABLE)
    seen = []
    made = decode(
        packed,
        list_hook=lambda one: seen.append(one) or tuple(one),
        object_hook=lambda one: frozenset(one.items()),
        **TABLE,
    )
    assert made == (List((1, (2,), frozenset({("a", 3)}))), {4})
    assert seen == [[2], [1, (2,), frozenset({("a", 3)})], [List((1, (2,), frozenset({("a", 3)}))), {4}]]
    assert decode(encode(List(({"a": 1},)), **TABLE), object_pairs_hook=list, **TABLE) == List(([("a", 1)],))


def test_what_cannot_be_a_key_stays_code_and_body():
    body = encode({1: 2})
    assert decode(b"\x81\xc7\x03\x2d" + body + b"\0", **TABLE) == {Ext(45, body): 0}
    assert decode(b"\xc7\x03\x2d" + body, **TABLE) == {1: 2}
    assert decode(b"\xc7\x03\x2d" + body, object_hook=repr, **TABLE) == "{1: 2}"
    hooked = decode(b"\x81\xc7\x03\x2d" + body + b"\0", ext_hook=lambda code, data: (code, data), **TABLE)
    assert hooked == {(45, body): 0}
    # What is wrong in it is wrong all the same, and no hook is asked about what nobody will see.
    assert is_body(refused(b"\x81\xc7\x03\x2d\x81\xc1\x02\0"), 1)
    inner = b"\x81\x01" + encode(Ext(5, b"x"))
    seen = []
    packed = b"\x81" + encode(Ext(45, inner)) + b"\0"
    assert decode(packed, ext_hook=lambda code, data: seen.append(code), **TABLE) == {None: 0}
    assert seen == [45]


def test_typed_arrays():
    np = pytest.importorskip("numpy")
    grid = np.arange(6, dtype=">i4").reshape(2, 3)
    made = there_and_back({"grid": grid})["grid"]
    assert (made == grid).all()
    assert made.dtype == np.dtype("<i4")
    assert not made.flags.writeable
    packed = encode(grid, **TABLE)
    assert decode(b"\x81" + packed + b"\0", **TABLE) == {decode(packed): 0}
    assert is_body(refused(packed[:-1].replace(b"\x2b", b"\x2b", 1)[:1] + b"\x05\x2b" + b"\x03<u2\x01"), 0)
    assert (there_and_back([List((grid,))])[0][0] == grid).all()


def test_typed_arrays_without_numpy(monkeypatch):
    packed = bytes.fromhex("c70e2b037c753101") + bytes(7) + b"\x01\x07"
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert decode(packed, **TABLE) == decode(packed)


# Numbers.


def test_numbers():
    big = 3**2000
    for value in (
        2**64, -(2**63) - 1, big, Fraction(1, 3), Fraction(-big, 2**64), Decimal("1.10"), Decimal("-5E+3"),
        Decimal(big), Decimal((1, (1,) * 5000, -7)), Decimal("1E-2147483647"), Decimal("0E+5"),
    ):  # fmt: skip
        made = there_and_back(value)
        assert made == value
        assert type(made) is type(value)
        assert str(made) == str(value)
        assert there_and_back({value: value}) == {value: value}
    assert encode(Fraction(4, 2), **TABLE) == b"\x02"
    assert encode(2**64, int_bits=None, **TABLE) == encode(2**64, big_int_ext=True)


@pytest.mark.parametrize(
    "value",
    [Decimal("NaN"), Decimal("Infinity"), Decimal("-0"), Decimal("-0.00"), Decimal("1E+2147483648"),
     Decimal(7**30000), Fraction(1, 7**30000), re.compile(b"a")],
)  # fmt: skip
def test_what_has_no_form_is_refused(value, capsys):
    with pytest.raises(EncodeError) as caught:
        encode({"a": [value]}, **TABLE)
    assert caught.value.path == "$.a[0]"
    assert caught.value.msg.startswith("Cannot encode an object of type")


def test_a_context_changes_nothing():
    from decimal import localcontext

    with localcontext(prec=2):
        assert there_and_back(Decimal("1.2345")) == Decimal("1.2345")


# Moments, patterns, records.


def test_dates():
    date = Date(2026, 11, 22, 9, 30, 0, 250000, tzinfo=dt.UTC)
    assert there_and_back([date, {date: 1}]) == [date, {date: 1}]
    assert type(there_and_back(date)) is Date
    assert date == dt.datetime(2026, 11, 22, 9, 30, 0, 250000, tzinfo=dt.UTC)
    shifted = date.astimezone(dt.timezone(dt.timedelta(hours=2)))
    assert encode(shifted, **TABLE) == encode(date, **TABLE)
    # What is finer than that, or without an offset, is what it would be otherwise.
    fine = date.replace(microsecond=1)
    assert there_and_back(fine) == fine
    assert type(there_and_back(fine)) is dt.datetime
    assert there_and_back(date.replace(tzinfo=None)) == "2026-11-22T09:30:00.250000"
    plain = dt.datetime(2026, 11, 22, tzinfo=dt.UTC)
    assert type(there_and_back(plain)) is dt.datetime
    assert there_and_back(plain) == plain
    beyond = b"\xd7\x2c\x7f" + b"\xff" * 7
    assert decode(beyond, **TABLE) == Ext(44, beyond[2:])


def test_patterns():
    for value in (
        re.compile("a+"),
        re.compile("a", re.I | re.X),
        re.compile("é", re.A),
        re.compile("a", re.M | re.S),
    ):
        made = there_and_back(value)
        assert made == value
        assert made.flags == value.flags
        assert there_and_back({value: 1}) == {value: 1}
    # Flags that are not Python's, dialects that are not, and what says its flags in the text.
    for text, letters in (
        ("a", "d"),
        ("(?<n>a", ""),
        ("(?i)a", ""),
        ("a{9999999999}", ""),
    ):
        body = encode(text) + encode(letters)
        assert decode(encode(Ext(42, body)), **TABLE) == Ext(42, body)
    assert is_body(refused(encode(Ext(42, encode("a") + encode("mi"))), strict=True), 0)
    with pytest.raises(EncodeError):
        encode(re.compile("\ud800"), **TABLE)


def test_records():
    value = Record("point", {Keyword("x"): 1, Keyword("y"): [{"a": Keyword("b")}]})
    packed = encode([value], **TABLE)
    assert decode(packed, record_hook=Record, **TABLE) == [value]
    [left] = decode(packed, **TABLE)
    assert left.code == 41
    assert encode([left], **TABLE) == packed
    assert decode(packed, ext_hook=lambda code, data: code, **TABLE) == [41]
    assert decode(packed, record_hook=lambda name, fields: NotImplemented, **TABLE) == [left]
    # A record may be a key where a map may not, and what is in it is in none.
    keyed = {Record("p", {1: 2}): 0, frozenset({Record("p", {Keyword("a"): None})}): 1}
    assert decode(encode(keyed, **TABLE), record_hook=Record, **TABLE) == keyed
    assert decode(encode({left: 0}, **TABLE), record_hook=Record, **TABLE) == {left: 0}

    class Point:
        def __init__(self, x):
            self.x = x

    made = encode(Point(5), enc_hook=lambda obj: Record("point", {Keyword("x"): obj.x}), **TABLE)
    assert decode(made, record_hook=lambda name, fields: (name, fields[Keyword("x")]), **TABLE) == (
        "point",
        5,
    )
    with pytest.raises(EncodeError):
        encode(Record("\ud800", {}), **TABLE)
    assert Record("a", {1: 2}) != Record("a", {1: 3})
    assert Record("a", {}) != ("a", {})


def test_values_made_up():
    pick = random.Random(11)
    for _ in range(1500):
        value = made_up(pick)
        packed = encode(value, **TABLE)
        made = decode(packed, strict=True, **TABLE)
        assert comparable(made) == comparable(value)
        assert lossless.exact(lossless.read(packed, "strict")) == comparable(value)
        canonical = encode(value, canonical=True, **TABLE)
        assert encode(decode(canonical, **TABLE), canonical=True, **TABLE) == canonical
