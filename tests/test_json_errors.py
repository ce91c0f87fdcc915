"""Errors: their classes, the path to a bad value, the place of a bad byte, and that they can be pickled."""

import copy
import pickle
from collections import deque, namedtuple
from dataclasses import dataclass

import pytest
from samples import DOCUMENTS, STRANGE, place

import oxwire
from oxwire import DecodeError, EncodeError, Error
from oxwire.json import decode, encode


def test_classes():
    assert EncodeError.__mro__[1:] == (Error, TypeError, ValueError, Exception, BaseException, object)
    assert issubclass(DecodeError, Error)
    assert issubclass(DecodeError, ValueError)
    assert not issubclass(DecodeError, TypeError)
    assert issubclass(Error, Exception)
    assert oxwire.json.EncodeError is EncodeError
    assert oxwire.json.DecodeError is DecodeError
    for kind in (Error, EncodeError, DecodeError):
        assert kind.__module__ == "oxwire"
        assert getattr(oxwire, kind.__name__) is kind


@dataclass
class Record:
    """A step of a path."""

    born: object


pair = namedtuple("pair", "left right")


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (STRANGE, "$"),
        ([STRANGE], "$[0]"),
        ([0] * 1000 + [STRANGE], "$[1000]"),
        ((0, STRANGE), "$[1]"),
        ({"a": STRANGE}, "$.a"),
        ({"users": [0, 1, 2, Record(STRANGE)]}, "$.users[3].born"),
        ({"a_1": {"B2": {"_": STRANGE}}}, "$.a_1.B2._"),
        ({"a b": STRANGE}, '$["a b"]'),
        ({"": STRANGE}, '$[""]'),
        ({"1a": STRANGE}, '$["1a"]'),
        ({"a.b": [STRANGE]}, '$["a.b"][0]'),
        ({'q"q': STRANGE}, '$["q\\"q"]'),
        ({"x-y": {"z": STRANGE}}, '$["x-y"].z'),
        ([[[[STRANGE]]]], "$[0][0][0][0]"),
        (pair(1, {"k": STRANGE}), "$[1].k"),
        (deque([0, STRANGE]), "$[1]"),
        ((item for item in [0, STRANGE]), "$[1]"),
        ({"a": 1, "b": STRANGE}.values(), "$[1]"),
    ],
    ids=repr,
)
def test_paths(value, path):
    with pytest.raises(EncodeError) as caught:
        encode(value)
    assert caught.value.path == path
    assert path in str(caught.value)
    assert caught.value.msg in str(caught.value)
    assert path not in caught.value.msg or path == "$"


def test_paths_through_sets_and_odd_keys():
    for value in (
        {STRANGE},
        frozenset([STRANGE]),
        {"é": STRANGE},
        {5: STRANGE},
        {None: [STRANGE]},
        {(1,): 1},
        {"a": {(1,): 1}},
    ):
        with pytest.raises(EncodeError) as caught:
            encode(value)
        assert caught.value.path.startswith("$")
    with pytest.raises(EncodeError) as caught:
        encode({"s": {STRANGE}})
    assert caught.value.path.startswith("$.s[")


def test_paths_do_not_change_with_the_layout():
    for options in ({"indent": 2}, {"sort": True}, {"canonical": True}, {"ensure_ascii": True}):
        with pytest.raises(EncodeError) as caught:
            encode({"b": [1, {"a": STRANGE}], "c": 0}, **options)
        assert caught.value.path == "$.b[1].a"


def test_a_very_long_path_is_not_a_problem():
    value = STRANGE
    for _ in range(450):
        value = [{"some key": value}]
    with pytest.raises(EncodeError) as caught:
        encode(value)
    path = caught.value.path
    assert path == "$" + '[0]["some key"]' * 450
    # The message can be read: it shows the two ends.
    assert str(caught.value) == f"{caught.value.msg} - at `{path[:100]} ... {path[-101:]}`"
    for length in range(90, 320):
        key = "é" * length
        with pytest.raises(EncodeError) as caught:
            encode({key: STRANGE})
        path = caught.value.path
        assert path == f"$.{key}"
        shown = path if len(path) <= 201 else f"{path[:100]} ... {path[-101:]}"
        assert str(caught.value).endswith(f" - at `{shown}`")


def test_where_a_document_is_wrong():
    document = '{\n  "naïve": [1, 2],\n  "😀é": ["中文", oops]\n}'
    data = document.encode()
    offset = data.index(b"oops")
    for given in (document, data, bytearray(data), memoryview(data)):
        with pytest.raises(DecodeError) as caught:
            decode(given)
        assert caught.value.offset == offset
        assert (caught.value.line, caught.value.column) == (3, 16) == place(data, offset)


def test_lines_end_with_line_feeds_only():
    for document, line, column in [
        (b"\r\r\n[1,\r\n\r x]", 3, 3),
        (b"[\n\n\n,", 4, 1),
        (b'["\xe2\x80\xa8", x]', 1, 7),
        (b"x", 1, 1),
        (b"\nx", 2, 1),
        (b"\n x", 2, 2),
        (b"[\n1\n", 3, 1),
    ]:
        for given in (document, document.decode()):
            with pytest.raises(DecodeError) as caught:
                decode(given)
            assert (caught.value.line, caught.value.column) == (line, column)


def test_places_in_every_truncated_document():
    for document in DOCUMENTS:
        for end in range(len(document)):
            cut = document[:end]
            try:
                decode(cut)
            except DecodeError as error:
                assert 0 <= error.offset <= end
                assert error.line == cut[: error.offset].count(b"\n") + 1
                try:
                    cut.decode()
                except UnicodeDecodeError:
                    continue
                assert (error.line, error.column) == place(cut, error.offset)


def test_places_far_into_a_document():
    lines = [f'{{"é{n}": "中{n}"}}' for n in range(3000)]
    document = ("[" + ",\n".join(lines) + ",\n  ?]").encode()
    with pytest.raises(DecodeError) as caught:
        decode(document)
    assert (caught.value.line, caught.value.column) == (3001, 3)
    assert caught.value.offset == len(document) - 2


def test_no_cause_and_no_context():
    for action in (
        lambda: decode(b"[1,"),
        lambda: encode([STRANGE]),
        lambda: decode('"\ud800"'),
        lambda: encode("\ud800"),
    ):
        with pytest.raises(Error) as caught:
            action()
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None
    # What is being handled already is still the context, as everywhere.
    with pytest.raises(DecodeError) as caught:
        try:
            raise LookupError("first")
        except LookupError:
            decode(b"[1,")
    assert isinstance(caught.value.__context__, LookupError)


def failures():
    """One error of each class."""
    for action in (lambda: decode("\n[1,é]"), lambda: encode({"a": [STRANGE]})):
        try:
            action()
        except Error as error:
            yield error


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol):
    for error in failures():
        again = pickle.loads(pickle.dumps(error, protocol))
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert again.args == error.args
        names = ("msg", "offset", "line", "column") if isinstance(error, DecodeError) else ("msg", "path")
        assert [getattr(again, name) for name in names] == [getattr(error, name) for name in names]


def test_copy():
    for error in failures():
        for again in (copy.copy(error), copy.deepcopy(error)):
            assert type(again) is type(error)
            assert str(again) == str(error)
            assert again.msg == error.msg


def test_errors_can_be_raised_by_others():
    for kind in (EncodeError, DecodeError):
        with pytest.raises(kind, match="mine"):
            raise kind("mine")

        class Sub(kind):
            """A subclass."""

        with pytest.raises(kind):
            raise Sub("mine")
        assert type(pickle.loads(pickle.dumps(kind("plain")))) is kind


def test_messages_are_of_bounded_length():
    with pytest.raises(DecodeError) as caught:
        decode(b"[" + b"9" * 50_000 + b"x]")
    assert len(str(caught.value)) < 1000
    with pytest.raises(EncodeError) as caught:
        encode(type("T" * 50_000, (), {})())
    assert len(str(caught.value)) < 100_000
