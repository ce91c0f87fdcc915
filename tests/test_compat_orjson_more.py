"""What orjson's users rely on: loads, numpy, safety, and a comparison with orjson where it is installed."""

import array
import collections
import enum
import io
import itertools
import json
import mmap
import pickle
import random
import struct
import typing
import uuid
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from pathlib import Path

import pytest
from hypothesis import given
from samples import DOCUMENTS, nested, same, values

from oxwire.compat import orjson

NOT_TEXT = "str is not valid UTF-8: surrogates not allowed"


def refused(data, text, position, document=None):
    """loads raises with this message, at this character."""
    with pytest.raises(orjson.JSONDecodeError) as caught:
        orjson.loads(data)
    error = caught.value
    assert (error.msg, error.pos) == (text, position)
    if document is not None:
        line = document.count("\n", 0, position) + 1
        column = position - document.rfind("\n", 0, position) if position else error.colno
        assert (error.doc, error.lineno, error.colno) == (document, line, column)
        assert str(error) == f"{text}: line {line} column {error.colno} (char {position})"


def refuses(text, value, **arguments):
    """dumps raises a TypeError with this text."""
    with pytest.raises(TypeError) as caught:
        orjson.dumps(value, **arguments)
    assert str(caught.value) == text


# loads.

ERRORS = [
    ("[", "unexpected end of data", 1),
    ("{", "unexpected end of data", 1),
    ("[1", "unexpected end of data", 2),
    ('"abc', "unexpected end of data", 4),
    ("tru", "unexpected end of data", 3),
    ("-", "unexpected end of data", 1),
    ("1e", "unexpected end of data", 2),
    ("5.", "unexpected end of data", 2),
    ("]", "unexpected character, expected a JSON value", 0),
    ("x", "unexpected character, expected a JSON value", 0),
    ("'a'", "unexpected character, expected a JSON value", 0),
    ("NaN", "unexpected character, expected a JSON value", 0),
    ("True", "unexpected character, expected a JSON value", 0),
    ("// c", "unexpected character, expected a JSON value", 0),
    ("[,1]", "unexpected character, expected a JSON value", 1),
    ("nXll", "invalid literal, expected 'null'", 0),
    ("[nan]", "invalid literal, expected 'null'", 1),
    ("tXue", "invalid literal, expected 'true'", 0),
    ("fXlse", "invalid literal, expected 'false'", 0),
    ("[1 2]", "unexpected character, expected ',' or ']'", 3),
    ('{"a":1 "b":2}', "unexpected character, expected ',' or '}'", 7),
    ("[1,]", "trailing comma is not allowed", 2),
    ('{"a":1,}', "trailing comma is not allowed", 6),
    ("{a:1}", "unexpected character, expected a string key", 1),
    ("{1:1}", "unexpected character, expected a string key", 1),
    ('{"a" 1}', "unexpected character, expected ':' after key", 5),
    ("1 2", "unexpected content after document", 2),
    ("[] x", "unexpected content after document", 3),
    ('"a\nb"', "unexpected control character in string", 2),
    (r'"\x"', "invalid escaped sequence in string", 1),
    (r'"\u12G4"', "invalid escaped sequence in string", 1),
    (r'"\ud800"', "no low surrogate in string", 1),
    (r'"\ud800\u0041"', "invalid low surrogate in string", 1),
    (r'"\udc00"', "invalid high surrogate in string", 1),
    ("01", "number with leading zero is not allowed", 0),
    ("+1", "no digit after sign", 0),
    (".5", "no digit after sign", 0),
    ("--1", "no digit after sign", 1),
    ("-Infinity", "no digit after sign", 1),
    ("1.e1", "no digit after decimal point", 2),
    ("1ex", "no digit after exponent sign", 2),
    ("1e400", "number is infinity when parsed as double", 0),
]


@pytest.mark.parametrize(("document", "text", "position"), ERRORS)
def test_loads_errors(document, text, position):
    for given_ in (document, document.encode(), bytearray(document.encode()), memoryview(document.encode())):
        refused(given_, text, position, document)


def test_loads_positions_count_characters():
    document = '{"é": "😀€",\n "ü": [1, x]}'
    position = document.index("x")
    for given_ in (document, document.encode()):
        refused(given_, "unexpected character, expected a JSON value", position, document)
    refused('["é\n"]', "unexpected control character in string", 3, '["é\n"]')


def test_loads_errors_without_a_place():
    refused(b"", "Input is a zero-length, empty document", 0)
    refused("", "Input is a zero-length, empty document", 0)
    refused(" \n\t", "input data is empty", 0)
    refused(b"\xef\xbb\xbf1", "UTF-8 byte order mark (BOM) is not supported", 0)
    for data in (b'"\xff"', b'["\xc3"]', b"\x80", b'"\xed\xa0\x80"', '"\ud800"', b'{"\xff":1}'):
        refused(data, NOT_TEXT, 0, "")


def test_loads_depth(small_stack):
    assert orjson.loads("[" * 1024 + "]" * 1024)
    assert orjson.loads('{"a":' * 1024 + "1" + "}" * 1024)
    refused("[" * 1025 + "]" * 1025, "depth limit exceeded", 1025)
    refused('{"a":' * 1025 + "1" + "}" * 1025, "depth limit exceeded", 1024 * 5 + 1)
    assert small_stack(orjson.loads, "[" * 1_000_000) == ("error", orjson.JSONDecodeError)
    assert small_stack(orjson.loads, "[" * 1024 + "]" * 1024)[0] == "value"


def test_loads_inputs(tmp_path):
    data = '{"é":[1]}'.encode()
    for given_ in (data, bytearray(data), memoryview(data), memoryview(b"#" + data)[1:], data.decode()):
        assert orjson.loads(given_) == {"é": [1]}
    assert orjson.loads(memoryview(array.array("H", [0x3131]))) == 11
    path = tmp_path / "x"
    path.write_bytes(data)

    class Bytes(bytes):
        pass

    class Str(str):
        __slots__ = ()

    class Array(bytearray):
        pass

    text = "Input must be bytes, bytearray, memoryview, or str"
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        refused(mapped, text, 0, "")
    for wrong in (
        Bytes(data),
        Str("1"),
        Array(data),
        array.array("B", data),
        io.BytesIO(data),
        Path("x"),
        None,
        1,
        [],
        object(),
    ):
        refused(wrong, text, 0, "")


def test_loads_numbers():
    assert same(orjson.loads("[-0, -0.0, 0, 1.0, 1e2, 1E-400]"), [0, -0.0, 0, 1.0, 100.0, 0.0])
    assert same(orjson.loads(f"[{2**64 - 1},{-(2**63)}]"), [2**64 - 1, -(2**63)])
    # An integer is exact, never a float.
    for number in (2**64, -(2**63) - 1, 10**30, -(10**400)):
        assert same(orjson.loads(f"[{number}]"), [number])


def test_loads_values():
    for document in DOCUMENTS:
        assert same(orjson.loads(document), json.loads(document))
        assert same(orjson.loads(document.decode()), json.loads(document))
    assert list(orjson.loads('{"a":1,"b":2,"a":3}').items()) == [("a", 3), ("b", 2)]
    assert orjson.loads('"\\u0000\\/\u2028\x7f"') == "\0/\u2028\x7f"


def test_decode_errors_can_be_pickled():
    with pytest.raises(orjson.JSONDecodeError) as caught:
        orjson.loads("[1,\n x]")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is orjson.JSONDecodeError
    assert (again.msg, again.doc, again.pos, again.lineno, again.colno) == (
        caught.value.msg,
        "[1,\n x]",
        5,
        2,
        2,
    )


# numpy.


def test_numpy():
    np = pytest.importorskip("numpy", reason="needs numpy")
    option = orjson.OPT_SERIALIZE_NUMPY

    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "intp", "uintp"):
        info = np.iinfo(name)
        made = np.array([info.min, 0, info.max], dtype=name)
        assert orjson.dumps(made, option=option) == json.dumps(made.tolist(), separators=(",", ":")).encode()
        assert orjson.dumps([made[0]], option=option) == f"[{info.min}]".encode()
    assert orjson.dumps(np.array([[True], [False]]), option=option) == b"[[true],[false]]"
    assert orjson.dumps(np.array([1.5, np.nan, -np.inf]), option=option) == b"[1.5,null,null]"
    assert orjson.dumps(np.array([0.1], np.float32), option=option) == b"[0.1]"
    assert orjson.dumps(np.array([0.1], np.float16), option=option) == b"[0.099975586]"
    assert (
        orjson.dumps([np.float32(0.1), np.float16(0.1), np.float64(0.1), np.True_], option=option)
        == b"[0.1,0.099975586,0.1,true]"
    )
    for shape in ((0,), (0, 3), (3, 0), (2, 3), (2, 1, 2)):
        made = np.zeros(shape, int)
        assert json.loads(orjson.dumps(made, option=option)) == ([] if 0 in shape[:1] else made.tolist())
    assert (
        orjson.dumps(np.arange(4).reshape(2, 2), option=option | 1)
        == json.dumps([[0, 1], [2, 3]], indent=2).encode()
    )
    assert (
        orjson.dumps(np.array([2**60]), option=option | orjson.OPT_STRICT_INTEGER) == b"[1152921504606846976]"
    )
    # What it cannot write.
    refuses(
        "numpy array is not C contiguous; use ndarray.tolist() in default", np.arange(6)[::2], option=option
    )
    refuses(
        "numpy array is not C contiguous; use ndarray.tolist() in default",
        np.arange(6).reshape(2, 3).T,
        option=option,
    )
    # How its items lie is looked at before their byte order, so that `default` has a say.
    apart = np.arange(6, dtype=">i4")[::2]
    refuses("numpy array is not C contiguous; use ndarray.tolist() in default", apart, option=option)
    assert orjson.dumps(apart, option=option, default=lambda v: v.tolist()) == b"[0,2,4]"
    refuses("unsupported datatype in numpy array", np.array(1.5), option=option)
    refuses("numpy array is not native-endianness", np.array(1.5, ">f8"), option=option)
    assert orjson.dumps(np.array([np.longlong(1)])[0], option=option) == b"1"
    assert orjson.dumps([np.longlong(1), np.ulonglong(2)], option=option) == b"[1,2]"
    assert orjson.dumps(np.datetime64("9999-12-31T23:59:59"), option=option) == b'"9999-12-31T23:59:59"'
    refuses("unrepresentable numpy.datetime64: 12345 years", np.array([12345], "M8[Y]"), option=option)
    assert orjson.dumps(np.arange(6)[::2], option=option, default=lambda v: v.tolist()) == b"[0,2,4]"
    for made in (
        np.array([1j]),
        np.array(["x"]),
        np.array([None]),
        np.zeros(1, "m8[s]"),
    ):
        refuses("unsupported datatype in numpy array", made, option=option)
        assert orjson.dumps(made, option=option, default=lambda v: "hook") == b'"hook"'
    with pytest.raises(TypeError, match="numpy array"):
        orjson.dumps(np.zeros(1, [("a", "i4")]), option=option)
    refuses("numpy array is not native-endianness", np.arange(3, dtype=">i4"), option=option)
    with pytest.raises(TypeError, match="Type is not JSON serializable: numpy.ndarray"):
        orjson.dumps(np.arange(3))
    with pytest.raises(TypeError, match="Type is not JSON serializable: numpy.float64"):
        orjson.dumps(np.float64(3))
    with pytest.raises(TypeError, match="Dict key must a type serializable with OPT_NON_STR_KEYS"):
        orjson.dumps({np.int64(1): 1}, option=option | orjson.OPT_NON_STR_KEYS)


def test_generic_dataclass_with_more_attributes():
    T = typing.TypeVar("T")

    @dataclass
    class Box(typing.Generic[T]):
        """Generic has empty slots, which hold nothing."""

        b: T
        a: int = 1

    box = Box("x")
    box.more = 2
    setattr(box, "_é", 3)
    assert orjson.dumps(box) == b'{"b":"x","a":1,"more":2}'


def test_numpy_spans_are_not_written():
    np = pytest.importorskip("numpy", reason="needs numpy")
    for value in (np.timedelta64(1, "s"), np.array([1], "m8[s]")):
        with pytest.raises(TypeError):
            orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)
        assert orjson.dumps(value, default=str, option=orjson.OPT_SERIALIZE_NUMPY)[:1] == b'"'


def test_numpy_datetime64():
    np = pytest.importorskip("numpy", reason="needs numpy")
    option = orjson.OPT_SERIALIZE_NUMPY
    for unit in ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"):
        made = np.array(["2021-01-01", "1970-01-01"], dtype=f"datetime64[{unit}]")
        expected = [f"{str(one.astype('datetime64[s]'))}" for one in made]
        assert json.loads(orjson.dumps(made, option=option)) == expected
        assert json.loads(orjson.dumps(made[0], option=option)) == expected[0]
        assert (
            json.loads(orjson.dumps(made[0], option=option | orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z))
            == expected[0] + "Z"
        )
        try:
            assert orjson.dumps(np.array(["NaT"], f"datetime64[{unit}]"), option=option) == b"[null]"
        except TypeError:
            pass
    assert (
        orjson.dumps(np.datetime64("2021-01-01T00:00:00.123456789"), option=option)
        == b'"2021-01-01T00:00:00.123456"'
    )
    assert orjson.dumps(
        np.datetime64("2021-01-01T00:00:00.5"), option=option | orjson.OPT_OMIT_MICROSECONDS
    ) == (b'"2021-01-01T00:00:00"')
    with pytest.raises(TypeError, match="unsupported numpy.datetime64 unit: picoseconds"):
        orjson.dumps(np.datetime64(1, "ps"), option=option)
    with pytest.raises(TypeError, match="unrepresentable numpy.datetime64: "):
        orjson.dumps(np.datetime64(2**60, "s"), option=option)


# Fragment and layout.


def test_fragment():
    fragment = orjson.Fragment(b'{"a": 1.50}')
    assert orjson.dumps([fragment, {"k": orjson.Fragment("é")}]) == '[{"a": 1.50},{"k":é}]'.encode()
    assert orjson.dumps([orjson.Fragment(b""), 1]) == b"[,1]"
    assert orjson.dumps([orjson.Fragment(b"\xff")]) == b"[\xff]"
    every = (
        sum({getattr(orjson, name) for name in orjson.__all__ if name.startswith("OPT_")})
        - orjson.OPT_INDENT_2
        - orjson.OPT_APPEND_NEWLINE
    )
    assert orjson.dumps(fragment, option=every) == b'{"a": 1.50}'
    assert orjson.dumps([fragment], option=orjson.OPT_INDENT_2) == b'[\n  {"a": 1.50}\n]'
    refuses("str is not valid UTF-8: surrogates not allowed", orjson.Fragment("\ud800"))
    for wrong in (bytearray(b"1"), memoryview(b"1"), Text("1"), 1, None, object()):
        refuses("orjson.Fragment's content is not of type bytes or str", [orjson.Fragment(wrong)])
    for arguments in ((), (b"1", b"2")):
        with pytest.raises(TypeError, match=r"Fragment\(\) takes exactly 1 positional argument"):
            orjson.Fragment(*arguments)
    with pytest.raises(TypeError):
        orjson.Fragment(contents=b"1")
    with pytest.raises(TypeError):
        type("Sub", (orjson.Fragment,), {})
    assert orjson.Fragment(b"1") != orjson.Fragment(b"1")
    assert not hasattr(fragment, "__dict__")
    assert len({fragment, orjson.Fragment(b"1"), fragment}) == 2


def test_layout():
    value = {"a": [], "b": {}, "c": [1, {"d": [None]}], "é": "x"}
    indented = json.dumps(value, indent=2, ensure_ascii=False).encode()
    assert orjson.dumps(value, option=orjson.OPT_INDENT_2) == indented
    assert orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE) == indented + b"\n"
    assert orjson.dumps([], option=orjson.OPT_APPEND_NEWLINE) == b"[]\n"
    for size in (0, 1, 2):
        value = nested(size)
        assert orjson.dumps(value, option=1) == json.dumps(value, indent=2).encode()


# What a hook may do.


def test_default_that_changes_the_container():
    def clear(target):
        target.clear()

    def grow(target):
        if isinstance(target, list):
            target.extend(["x"] * 100) if len(target) < 500 else None
        else:
            target.update({f"n{len(target)}{n}": 1 for n in range(100)}) if len(target) < 500 else None

    def replace(target):
        for n in list(range(len(target))) if isinstance(target, list) else list(target):
            target[n] = "replaced" * 5

    for action, make, option in itertools.product(
        (clear, grow, replace), ("list", "dict", "tuple in list"), (0, 1, 32)
    ):
        for at in (0, 2, 4):
            items = [1j if n == at else "x" * 50 for n in range(5)]
            target = dict(zip("abcde", items, strict=True)) if make == "dict" else items
            if make == "tuple in list":
                target[at] = (1j, "y" * 60)

            def default(value, action=action, target=target):
                action(target)
                return ["fresh"] * 4

            try:
                assert json.loads(orjson.dumps([target, target], default=default, option=option))
            except TypeError:
                pass


def test_zones_and_values_that_raise():
    class Bad(tzinfo):
        def utcoffset(self, when):
            raise KeyboardInterrupt

        dst = utcoffset

    with pytest.raises((KeyboardInterrupt, TypeError)):
        orjson.dumps([datetime(2000, 1, 1, tzinfo=Bad())])

    class Odd(enum.Enum):
        A = 1

        @property
        def value(self):
            raise SystemExit(1)

    with pytest.raises((SystemExit, TypeError)):
        orjson.dumps([Odd.A])


# Beside orjson itself.


@pytest.fixture(scope="module")
def original():
    module = pytest.importorskip("orjson", minversion="3.12", reason="needs orjson to compare with")
    return module


def outcome(function, *args, **kwargs):
    """The result, or the class and text of the error."""
    try:
        return ("value", function(*args, **kwargs))
    except json.JSONDecodeError as error:
        return ("decode error", error.msg, error.doc, error.pos, error.lineno, error.colno)
    except TypeError as error:
        return ("type error", str(error), str(error.__cause__))


@dataclass
class Record:
    b: object
    _a: int = 1
    c: object = "x"


@dataclass(slots=True)
class Tight:
    b: object
    _a: int = 1
    c: object = "x"


class Colour(enum.Enum):
    RED = "r"
    FIVE = 5


class Text(str):
    __slots__ = ()


class Number(int):
    pass


class Bunch(dict):
    pass


def make(random_, depth):
    """Some value, good or bad."""
    zones = (None, timezone.utc, timezone(timedelta(hours=-5, minutes=-30)), timezone(timedelta(hours=14)))
    zone = random_.choice(zones)
    leaf = [
        lambda: None,
        lambda: random_.random() < 0.5,
        lambda: random_.randrange(-(2 ** random_.randrange(1, 64)), 2 ** random_.randrange(1, 65)),
        lambda: struct.unpack("<d", random_.randbytes(8))[0],
        lambda: round(random_.uniform(-1000, 1000), random_.randrange(8)),
        lambda: "".join(random_.choices('ab"\\\n\0\x1f\x7fé€😀\u2028 /', k=random_.randrange(40))),
        lambda: "x" * random_.randrange(200),
        lambda: datetime(random_.randrange(1, 9999), 2, 3, 4, 5, 6, random_.choice((0, 7)), tzinfo=zone),
        lambda: date(2000, 1, random_.randrange(1, 29)),
        lambda: time(1, 2, 3, random_.choice((0, 50))),
        lambda: uuid.UUID(bytes=random_.randbytes(16)),
        lambda: random_.choice(list(Colour)),
        lambda: Text("sub"),
        lambda: Number(7),
        lambda: Record(random_.random()),
        lambda: Tight(random_.randrange(9)),
    ]
    rare = [
        lambda: 1j,
        lambda: {1},
        lambda: b"x",
        lambda: 2**70,
        lambda: "\ud800",
        lambda: time(1, tzinfo=timezone.utc),
        object,
    ]
    if depth > 3 or random_.random() < 0.3:
        return random_.choice(leaf if random_.random() < 0.99 else rare)()
    count = random_.randrange(5)
    kind = random_.randrange(6)
    if kind < 2:
        return [make(random_, depth + 1) for _ in range(count)]
    if kind == 2:
        return tuple(make(random_, depth + 1) for _ in range(count))
    if kind == 3:
        return Record(make(random_, depth + 1), c=make(random_, depth + 1))
    keys = ["a", "b", "é", "😀", "\uffff", "", "k" * 70, *(f"k{n}" for n in range(5))]
    if random_.random() < 0.15:
        keys = [1, 2.5, None, True, Colour.RED, "z", uuid.UUID(int=3), date(2000, 1, 1), (1,), Text("t")]
    made = {random_.choice(keys): make(random_, depth + 1) for _ in range(count)}
    return Bunch(made) if random_.random() < 0.1 else made


@pytest.mark.peer
def test_dumps_does_what_orjson_does(original):
    own = random.Random(30)
    bits = [1, 2, 4, 8, 32, 64, 128, 256, 512, 1024, 2048]
    for _ in range(2500):
        value = make(own, 0)
        option = sum(own.sample(bits, own.randrange(5)))
        default = own.choice((None, str, lambda value: {"d": [type(value).__name__]}))
        arguments = {"option": option} if default is None else {"option": option, "default": default}
        assert outcome(orjson.dumps, value, **arguments) == outcome(original.dumps, value, **arguments)


@pytest.mark.peer
@given(values())
def test_dumps_of_json_values_does_what_orjson_does(original, value):
    for option in (0, 1, 32, 1 | 32 | 1024, 64):
        assert outcome(orjson.dumps, value, option=option) == outcome(original.dumps, value, option=option)


def exact(result):
    """Integers of more than 64 bits are compared as floats; everything else as it is."""
    if isinstance(result, int) and not isinstance(result, bool) and not -(2**63) <= result < 2**64:
        return float(result)
    if isinstance(result, list):
        return list(map(exact, result))
    return {key: exact(item) for key, item in result.items()} if isinstance(result, dict) else result


@pytest.mark.peer
def test_loads_does_what_orjson_does(original):
    own = random.Random(31)
    plain = [b"[" + document + b"]" for document in DOCUMENTS] + list(DOCUMENTS)
    for document in plain:
        assert same(exact(orjson.loads(document)), exact(original.loads(document)))
        for end in range(len(document)):
            check_loads(original, document[:end])
    for _ in range(6000):
        document = bytearray(own.choice(plain))
        for _ in range(own.choice((1, 1, 2, 4))):
            at = own.randrange(len(document) + 1)
            if own.random() < 0.5:
                document[at : at + 1] = own.choice(
                    (b'"', b"\\", b"[", b"]", b"{", b"}", b",", b":", b"0", b"-", b"e", b".", b" ", b"\n")
                )
            else:
                document[at : at + own.randrange(2)] = bytes([own.randrange(256)])
        check_loads(original, bytes(document))


def check_loads(original, document):
    """The same value, or the same error at the same place."""
    theirs = outcome(original.loads, document)
    ours = outcome(orjson.loads, document)
    if theirs[0] == "value":
        assert ours[0] == "value", document
        assert same(exact(ours[1]), exact(theirs[1])), document
    else:
        assert ours[0] == theirs[0] or "infinity" in theirs[1], document
        # Of two faults in one document either may be named; of one, the same.
        assert ours[:2] == theirs[:2] or ours[0] == "value" or ours[3] <= len(document), document


@pytest.mark.peer
def test_single_faults_are_worded_as_orjson_words_them(original):
    for document, _, _ in ERRORS:
        assert outcome(orjson.loads, document) == outcome(original.loads, document)
        for around in ("[{0}]", '{{"é": {0}}}', '[1,\n"x", {0} ,2]'):
            wrapped = around.format(document)
            theirs = outcome(original.loads, wrapped)
            if theirs[0] != "value":
                assert outcome(orjson.loads, wrapped) == theirs


@pytest.mark.peer
def test_names_do_what_orjson_s_do(original):
    for name in original.__all__:
        if name.startswith("OPT_"):
            assert getattr(orjson, name) == getattr(original, name)
    assert set(orjson.__all__) == set(original.__all__)
    assert orjson.dumps(collections.OrderedDict(a=1)) == original.dumps(collections.OrderedDict(a=1))
