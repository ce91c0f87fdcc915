"""Reading JSON: the grammar of RFC 8259, UTF-8 of RFC 3629, numbers, kinds of input, and every option."""

import array
import json
import mmap

import pytest
from samples import DOCUMENTS, EDGES, same

import oxwire
from oxwire import DecodeError, Raw
from oxwire.json import decode

VALID = [
    ("null", None),
    ("true", True),
    ("false", False),
    ("0", 0),
    ("-0", 0),
    ("7", 7),
    ("-1", -1),
    ("10", 10),
    ("1234567890", 1234567890),
    ("9007199254740993", 9007199254740993),
    ("9223372036854775807", 2**63 - 1),
    ("9223372036854775808", 2**63),
    ("-9223372036854775808", -(2**63)),
    ("-9223372036854775809", -(2**63) - 1),
    ("18446744073709551615", 2**64 - 1),
    ("18446744073709551616", 2**64),
    ("99999999999999999999999", 99999999999999999999999),
    ("-99999999999999999999999", -99999999999999999999999),
    ("0.0", 0.0),
    ("-0.0", -0.0),
    ("-0e0", -0.0),
    ("0e5", 0.0),
    ("0E+5", 0.0),
    ("0.5", 0.5),
    ("-2.25", -2.25),
    ("1e0", 1.0),
    ("1E0", 1.0),
    ("1e+2", 100.0),
    ("1e-2", 0.01),
    ("1.5E+3", 1500.0),
    ("1e00002", 100.0),
    ("0.00000000000000000000000000000000000001", 1e-38),
    ("1e-400", 0.0),
    ("-1e-400", -0.0),
    ("5e-324", 5e-324),
    ("1.7976931348623157e308", 1.7976931348623157e308),
    ("0e999999999999999999999", 0.0),
    ("1e-999999999999999999999", 0.0),
    ('""', ""),
    ('"a"', "a"),
    ('"\x7f"', "\x7f"),
    ('"é"', "é"),
    ('"€"', "€"),
    ('"\U0001f600"', "\U0001f600"),
    ('"\U0010ffff"', "\U0010ffff"),
    ('"\u2028\u2029"', "\u2028\u2029"),
    ('"\ufeff"', "\ufeff"),
    ('"\ufffe\uffff"', "\ufffe\uffff"),
    (r'"\""', '"'),
    (r'"\\"', "\\"),
    (r'"\/"', "/"),
    (r'"\b\f\n\r\t"', "\b\f\n\r\t"),
    (r'"\u0000"', "\0"),
    (r'"\u0041\u00e9\u20ac"', "Aé€"),
    (r'"\uABCD\uabcd"', "\uabcd\uabcd"),
    (r'"\ud83d\ude00"', "\U0001f600"),
    (r'"\uD83D\uDE00"', "\U0001f600"),
    (r'"\ud800\udc00\udbff\udfff"', "\U00010000\U0010ffff"),
    (r'"\ud7ff\ue000"', "\ud7ff\ue000"),
    (r'"\\u0041"', "\\u0041"),
    (r'"é\n€\\😀\u0000x"', "é\n€\\😀\0x"),
    ("[]", []),
    ("[ ]", []),
    ("[1]", [1]),
    ("[1,2]", [1, 2]),
    ("[[],[[]],{}]", [[], [[]], {}]),
    ('[null,true,false,0,0.5,""]', [None, True, False, 0, 0.5, ""]),
    ("{}", {}),
    ("{\t}", {}),
    ('{"":0}', {"": 0}),
    ('{"a":{"a":{"a":[]}}}', {"a": {"a": {"a": []}}}),
    ('{"a":1,"b":2}', {"a": 1, "b": 2}),
    (r'{"\u0061\n":1}', {"a\n": 1}),
    ('{"é":1,"€":2,"😀":3}', {"é": 1, "€": 2, "😀": 3}),
    (" \t\r\n1 \t\r\n", 1),
    ("[ 1\t,\n2\r, 3 ]", [1, 2, 3]),
    ('\n{\n"a"\n:\n1\n,\n"b"\n:\n2\n}\n', {"a": 1, "b": 2}),
]


@pytest.mark.parametrize(("document", "value"), VALID)
def test_valid(document, value):
    assert same(decode(document), value)
    assert same(decode(document.encode()), value)


# The document, and where the fault may be said to stand: its first wrong byte, or what that byte belongs to.
INVALID = [
    (b"", 0),
    (b" ", (0, 1)),
    (b"\n\t \r", (0, 4)),
    # What begins no value.
    (b"x", 0),
    (b"]", 0),
    (b"}", 0),
    (b",", 0),
    (b":", 0),
    (b"'a'", 0),
    (b"\x00", 0),
    (b"\x0b1", 0),
    (b"\x0c1", 0),
    (b"\xa01", 0),
    (b"\xc2\xa01", 0),
    (b"\xe2\x80\xa81", 0),
    (b"// x\n1", 0),
    (b"/* x */1", 0),
    (b"# x\n1", 0),
    (b"None", 0),
    (b"True", 0),
    (b"undefined", 0),
    (b"\xff", 0),
    # Literals.
    (b"nul", (0, 3)),
    (b"nulL", (0, 3)),
    (b"NULL", 0),
    (b"tru", (0, 3)),
    (b"truE", (0, 3)),
    (b"fals", (0, 4)),
    (b"falsy", (0, 4)),
    (b"nullx", 4),
    (b"truefalse", 4),
    (b"null0", 4),
    # Numbers.
    (b"-", 1),
    (b"+1", 0),
    (b"+", 0),
    (b"--1", 1),
    (b"-x", 1),
    (b"-.5", 1),
    (b".5", 0),
    (b"5.", 2),
    (b"5.e1", 2),
    (b"5.x", 2),
    (b"[5.]", 3),
    (b"1e", 2),
    (b"1e+", 3),
    (b"1e-", 3),
    (b"1ex", 2),
    (b"1e+x", 3),
    (b"1e1.5", 3),
    (b"1.5.5", 3),
    (b"1e5e5", 3),
    (b"01", (0, 1)),
    (b"00", (0, 1)),
    (b"-01", (0, 1, 2)),
    (b"-00", (0, 1, 2)),
    (b"[012]", (1, 2)),
    (b"0x10", 1),
    (b"0b1", 1),
    (b"1_000", 1),
    (b"1,000", 1),
    (b"1 000", 2),
    (b"1L", 1),
    (b"1.0f", 3),
    (b"- 1", 1),
    (b"1 .5", 2),
    ("\uff11".encode(), 0),
    ("1\u0660".encode(), 1),
    (b"NaN", 0),
    (b"nan", 0),
    (b"Infinity", 0),
    (b"-Infinity", (0, 1)),
    (b"[NaN]", 1),
    (b"1e400", 0),
    (b"-1e400", 0),
    (b"[1, 1e309]", 4),
    (b"1e999999999999999999999", 0),
    (b"179769313486231590000" + b"0" * 288 + b".0", 0),
    # Strings.
    (b'"', 1),
    (b'"abc', 4),
    (b'"abc\\"', 6),
    (b'"a\nb"', 2),
    (b'"a\tb"', 2),
    (b'"\x00"', 1),
    (b'"\x1f"', 1),
    (b'"\\', (1, 2)),
    (b'"\\x"', (1, 2)),
    (b'"\\a"', (1, 2)),
    (b'"\\0"', (1, 2)),
    (b'"\\\'"', (1, 2)),
    (b'"\\U0041"', (1, 2)),
    (b'"\\ "', (1, 2)),
    (b'"\\\n"', (1, 2)),
    (b'"\\\xc3\xa9"', (1, 2)),
    (b'"\\u"', (1, 3)),
    (b'"\\u004"', (1, 6)),
    (b'"\\u00g1"', (1, 5)),
    (b'"\\u+041"', (1, 3)),
    (b'"\\u 041"', (1, 3)),
    (b'"\\u00', (1, 5)),
    (b'"\\u{41}"', (1, 3)),
    (b'"\\ud800"', (1, 7)),
    (b'"\\udc00"', (1, 7)),
    (b'"\\ud800x"', (1, 7)),
    (b'"\\ud800\\n"', (1, 7)),
    (b'"\\ud800\\u0041"', (1, 7)),
    (b'"\\ud800\\ud800"', (1, 7)),
    (b'"\\udc00\\ud800"', (1, 7)),
    (b'"\\ud83d\\ude0"', (1, 7, 12)),
    (b'"ab" "cd"', 5),
    # Arrays.
    (b"[", 1),
    (b"[1", 2),
    (b"[1,", 3),
    (b"[1 ", 3),
    (b"[,", 1),
    (b"[,1]", 1),
    (b"[1,,2]", 3),
    (b"[1,]", (2, 3)),
    (b"[1 2]", 3),
    (b'["a" "b"]', 5),
    (b"[1:2]", 2),
    (b"[1}", 2),
    (b"[}", 1),
    (b"[1;2]", 2),
    (b"[1]]", 3),
    (b"[[1]", 4),
    (b"[] x", 3),
    (b"[],", 2),
    (b"[1\x00]", 2),
    (b"[\x0c1]", 1),
    # Objects.
    (b"{", 1),
    (b'{"a"', 4),
    (b'{"a":', 5),
    (b'{"a":1', 6),
    (b'{"a":1,', 7),
    (b'{"a', 3),
    (b"{a:1}", 1),
    (b"{1:1}", 1),
    (b"{'a':1}", 1),
    (b"{null:1}", 1),
    (b"{[]:1}", 1),
    (b"{,}", 1),
    (b'{"a":1,}', (6, 7)),
    (b'{"a":1,,"b":2}', 7),
    (b'{"a" 1}', 5),
    (b'{"a",1}', 4),
    (b'{"a"}', 4),
    (b'{"a":}', 5),
    (b'{"a":,}', 5),
    (b'{"a"::1}', 5),
    (b'{"a"=1}', 4),
    (b'{"a":1 "b":2}', 7),
    (b'{"a":1;"b":2}', 6),
    (b'{"a":1]', 6),
    (b"{]", 1),
    (b'{"a":1}}', 7),
    (b'{"a":1} {}', 8),
    (b"{:1}", 1),
    # More than one value.
    (b"1 2", 2),
    (b"1,2", 1),
    (b"null null", 5),
    (b'""""', 2),
    (b"1\x00", 1),
    (b"1\xff", 1),
    (b"\xef\xbb\xbf1", 0),
    (b"\xef\xbb\xbf", 0),
    (b"\xef\xbb1", 0),
    (b"\xff\xfe1\x00", 0),
    (b"\xfe\xff\x001", 0),
    (b"1\x002\x00", 1),
]


@pytest.mark.parametrize(("document", "where"), INVALID)
def test_invalid(document, where):
    where = where if isinstance(where, tuple) else (where,)
    with pytest.raises(DecodeError) as caught:
        decode(document)
    error = caught.value
    assert error.offset in where
    assert error.msg
    assert error.msg in str(error)
    assert error.line == document[: error.offset].count(b"\n") + 1
    # A fault does not depend on what the document is handed over as, nor on what stands around it.
    try:
        as_text = document.decode()
    except UnicodeDecodeError:
        pass
    else:
        with pytest.raises(DecodeError) as again:
            decode(as_text)
        assert (again.value.msg, again.value.offset) == (error.msg, error.offset)
    with pytest.raises(DecodeError):
        decode(b"[" + document + b"}")


def test_every_byte_alone_and_after_a_value():
    for byte in range(256):
        one = bytes([byte])
        if one.isdigit():
            assert decode(one) == int(one)
        else:
            with pytest.raises(DecodeError):
                decode(one)
        if one in b" \t\r\n":
            assert decode(b"[]" + one) == decode(one + b"[]") == decode(b"[" + one + b"]") == []
        else:
            with pytest.raises(DecodeError) as caught:
                decode(b"[]" + one)
            assert caught.value.offset == 2


def test_every_escape_letter():
    good = dict(zip(b'"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True))
    for byte in range(256):
        document = b'"\\' + bytes([byte]) + b'"'
        if byte in good:
            assert decode(document) == good[byte]
        else:
            with pytest.raises(DecodeError):
                decode(document)


def test_every_code_point_by_escape():
    for start in range(0, 0x10000, 0x400):
        if 0xD800 <= start < 0xE000:
            continue
        points = range(start, start + 0x400)
        expected = "".join(map(chr, points))
        assert decode('"' + "".join(f"\\u{p:04x}" for p in points) + '"') == expected
        assert decode('"' + "".join(f"\\u{p:04X}" for p in points) + '"') == expected
    for start in range(0x10000, 0x110000, 0x4000):
        points = range(start, start + 0x4000, 0x11)
        expected = "".join(map(chr, points))
        assert decode(json.dumps(expected)) == expected


def test_every_lone_surrogate_is_refused():
    for point in range(0xD800, 0xE000):
        with pytest.raises(DecodeError):
            decode(f'"\\u{point:04x}"')
        with pytest.raises(DecodeError):
            decode(f'"a\\u{point:04x}\\u0061"')


def check_utf8(content, prefix=b""):
    """A string of these bytes is read as the standard library reads them, or refused at the same byte."""
    document = b'"' + prefix + content + b'"'
    try:
        expected = (prefix + content).decode()
    except UnicodeDecodeError as wrong:
        with pytest.raises(DecodeError) as caught:
            decode(document)
        assert caught.value.offset == 1 + wrong.start
    else:
        assert decode(document) == expected


def test_utf8_two_bytes():
    for first in range(0x80, 0x100):
        for second in range(0x20, 0x100):
            if second not in b'"\\':
                check_utf8(bytes([first, second]))


MARKS = (0x20, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF)


def test_utf8_three_bytes():
    for first in range(0xE0, 0xF0):
        for second in MARKS:
            for third in MARKS:
                check_utf8(bytes([first, second, third]))


def test_utf8_four_bytes():
    for first in range(0xF0, 0x100):
        for second in MARKS:
            for third in MARKS:
                for fourth in (0x20, 0x7F, 0x80, 0xBF, 0xC0):
                    check_utf8(bytes([first, second, third, fourth]))


@pytest.mark.parametrize(
    "bad", [b"\x80", b"\xc3", b"\xc0\xaf", b"\xe2\x82", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xff"]
)
def test_utf8_faults_anywhere_in_long_strings(bad):
    for before in range(0, 131):
        for after in (0, 1, 15, 40):
            prefix = b"x" * before
            check_utf8(bad + b"y" * after, prefix)
    for before in (0, 5, 31, 64):
        check_utf8(bad + b"y" * 70, "é€😀".encode() * before)
        with pytest.raises(DecodeError):
            decode(b'{"' + b"k" * before + bad + b'":1}')
        with pytest.raises(DecodeError):
            decode(b'["\\n' + b"k" * before + bad + b'"]')


@pytest.mark.parametrize(
    "character", ["\x7f", "é", "ÿ", "Ā", "\u07ff", "\u0800", "€", "\uffff", "\U00010000", "😀"]
)
def test_strings_around_block_sizes(character):
    for length in range(131):
        for at in sorted({0, length // 2, max(length - 1, 0), length}):
            expected = "a" * at + character + "b" * (length - at)
            assert decode(f'"{expected}"') == expected
            assert decode(f'["{expected}"]'.encode()) == [expected]
            assert decode(f'{{"{expected}":1}}'.encode()) == {expected: 1}


@pytest.mark.parametrize(
    ("escape", "meant"), [("\\n", "\n"), ('\\"', '"'), ("\\u20ac", "€"), ("\\ud83d\\ude00", "😀")]
)
def test_escapes_around_block_sizes(escape, meant):
    for length in range(131):
        for at in sorted({0, length // 3, length}):
            for fill in "aé中":
                head, tail = fill * at, fill * (length - at)
                assert decode(f'"{head}{escape}{tail}"'.encode()) == head + meant + tail
    assert decode('"' + escape * 100 + '"') == meant * 100


def test_control_characters_anywhere_are_refused():
    for length in EDGES:
        for control in (0, 1, 10, 31):
            content = b"a" * length + bytes([control]) + b"b" * 40
            with pytest.raises(DecodeError) as caught:
                decode(b'"' + content + b'"')
            assert caught.value.offset == 1 + length


def test_white_space_runs():
    for length in EDGES:
        for character in " \t\r\n":
            space = character * length
            assert decode(
                f'{space}{{{space}"a"{space}:{space}[{space}1{space},{space}2{space}]{space}}}{space}'
            ) == {"a": [1, 2]}
    assert decode(b" " * 100_000 + b"1" + b"\n" * 100_000) == 1


def test_corpus_agrees_with_the_standard_library():
    for document in DOCUMENTS:
        assert same(decode(document), json.loads(document))


# Input.


def test_kinds_of_input(tmp_path):
    document = '{"é":[1,2.5,"x"]}'
    data = document.encode()
    expected = {"é": [1, 2.5, "x"]}
    padded = b"###" + data + b"###"
    path = tmp_path / "document"
    path.write_bytes(data)

    class Str(str):
        """A subclass of str."""

        __slots__ = ()

    class Bytes(bytes):
        """A subclass of bytes."""

    class Array(bytearray):
        """A subclass of bytearray."""

    inputs = [
        data,
        bytearray(data),
        memoryview(data),
        memoryview(bytearray(data)),
        memoryview(bytearray(data)).toreadonly(),
        memoryview(padded)[3:-3],
        memoryview(memoryview(padded)[1:])[2:-3],
        array.array("B", data),
        array.array("b", [b - 256 if b > 127 else b for b in data]),
        document,
        Str(document),
        Bytes(data),
        Array(data),
        Raw(data),
    ]
    for given in inputs:
        assert decode(given) == expected, type(given)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert decode(mapped) == expected
        assert oxwire.json.decode(memoryview(mapped)[:]) == expected
    # The bytes of a buffer count, whatever its items are: 1, 1, 1 and 1 in bytes of digits.
    assert decode(array.array("H", [0x3131, 0x3131])) == 1111
    assert decode(memoryview(b"[1,22]").cast("H")) == [1, 22]
    assert decode(memoryview(b"[1,22]").cast("B", (2, 3))) == [1, 22]


def test_a_buffer_that_is_not_contiguous_is_refused():
    view = memoryview(b"[,1,]")[::2]
    with pytest.raises((TypeError, ValueError, BufferError), match=r"(?i)contig"):
        decode(view)


def test_a_released_view_is_refused():
    view = memoryview(b"1")
    view.release()
    with pytest.raises(ValueError, match="released"):
        decode(view)


def test_a_buffer_is_let_go():
    data = bytearray(b"[1]")
    decode(data)
    data.append(32)
    data[:] = b"[1"
    with pytest.raises(DecodeError):
        decode(data)
    data.append(93)
    assert decode(data) == [1]


@pytest.mark.parametrize("wrong", [None, 1, 1.5, [], {}, object(), ["1"], Exception, range(3)])
def test_wrong_types_of_input(wrong):
    with pytest.raises(TypeError):
        decode(wrong)


def test_arguments():
    with pytest.raises(TypeError):
        decode()
    with pytest.raises(TypeError):
        decode(b"1", b"2")
    with pytest.raises(TypeError):
        decode(buf=b"1")
    with pytest.raises(TypeError, match="no_such_option"):
        decode(b"1", no_such_option=1)


@pytest.mark.parametrize("document", ['"\ud800"', '["\udfff"]', "\ud83d", '{"\udc00":1}', '"é\ud800"'])
def test_text_with_lone_surrogates(document):
    with pytest.raises(DecodeError):
        decode(document)


def test_the_same_object_can_be_shared_but_not_confused():
    document = b'[{"key":"key"},{"key":"kez"},{"kez":"key"}]'
    for _ in range(3):
        assert decode(document) == [{"key": "key"}, {"key": "kez"}, {"kez": "key"}]


def test_results_are_fresh():
    document = b'[[],{},[1],{"a":[]}]'
    first, second = decode(document), decode(document)
    first[0].append(1)
    first[3]["a"].append(2)
    assert second == [[], {}, [1], {"a": []}]
    assert decode(b"[[],[]]")[0] is not decode(b"[[],[]]")[1]


def test_hashes_of_decoded_text_are_right():
    words = ["", "a", "é", "€", "😀", "plain words", "x" * 64, "x" * 65, "naïve", "日本語"]
    result = decode(json.dumps({word: word for word in words}))
    assert {hash(key) for key in result} == {hash(word) for word in words}
    for word in words:
        assert result[word] == word
        assert decode(json.dumps(word)) in {word}


def test_text_has_its_narrowest_form():
    # A str wider than it need be would be unequal to itself elsewhere in the interpreter.
    for word in ("ascii", "\x80", "ÿ", "Ā", "\uffff", "\U00010000"):
        for padding in (0, 20, 100):
            made = decode(json.dumps("a" * padding + word))
            assert made.__sizeof__() <= ("a" * padding + word).__sizeof__()
            assert made.isascii() == word.isascii()
            assert made.encode() == ("a" * padding + word).encode()
