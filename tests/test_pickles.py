"""oxwire._pickles: plain data of every protocol comes back, and nothing that a pickle names is run."""

import array
import collections
import datetime
import decimal
import fractions
import ipaddress
import os
import pathlib
import pickle
import random
import types
import uuid
import zoneinfo

import pytest

from oxwire import DecodeError, native
from oxwire._cli import main
from oxwire._pickles import loads

VALUES = [
    None, True, False, 0, -1, 300, 70000, -(1 << 40), 1 << 900, 1.5, -0.0, 1j, "é\nx\\", "\ud800", "k" * 300,
    b"", b"\x00\xff", b"x" * 300, bytearray(b"ab"), bytearray(), (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], [1], [1, 2],
    {}, {"a": 1}, {"a": [1], (1, 2): {}}, set(), {1, 2}, frozenset(), frozenset({1, (2,)}), range(1, 9, 2),
    datetime.date(2020, 1, 2), datetime.time(1, 2, 3, 4, fold=1), datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC),
    datetime.timedelta(-1, 2, 3), decimal.Decimal("1.50"), fractions.Fraction(1, 3),
    collections.OrderedDict(a=1, b=2), collections.deque([1, 2], 3), collections.Counter("aab"),
    collections.defaultdict(list, {"a": [1]}), pathlib.PurePosixPath("/a/b"), ipaddress.ip_address("::1"),
    uuid.UUID(int=5), types.SimpleNamespace(a=1, b=[2]), array.array("i", [1, 2]), slice(1, None, 2),
    zoneinfo.ZoneInfo("UTC"), [datetime.timezone(datetime.timedelta(hours=2), "x")] * 2,
]  # fmt: skip


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_plain_data(value: object, protocol: int) -> None:
    data = pickle.dumps(value, protocol)
    got, want = loads(data), pickle.loads(data)  # protocols below 4 lose the fold of a time
    assert (type(got), repr(got)) == (type(want), repr(want))


@pytest.mark.parametrize("protocol", range(6))
def test_identity_and_cycles(protocol: int) -> None:
    shared: list[object] = []
    shared.append((shared,))
    got = loads(pickle.dumps([shared, shared], protocol))
    assert got[0] is got[1]
    assert got[0][0][0] is got[0]


@pytest.mark.parametrize("data", [b"cos\nsystem\n(S'x'\ntR.", pickle.dumps(os.system), pickle.dumps([print])])
def test_names_are_refused(data: bytes) -> None:
    with pytest.raises(DecodeError, match=r"`(os|posix|nt|builtins)\.(system|print)` would be called"):
        loads(data)


def test_known_names_are_no_values() -> None:
    with pytest.raises(DecodeError, match="is used as a value"):
        loads(pickle.dumps([list]))


@pytest.mark.parametrize(
    "data",
    [
        b"\x8e" + b"\xff" * 8 + b".",
        b"\x96" + b"\xff" * 7 + b"\x7f.",
        b"\x8b\xff\xff\xff\x7f.",
        b"Nr\xff\xff\xff\xff",
    ],
)
def test_huge_lengths_are_cut_off(data: bytes) -> None:
    with pytest.raises(DecodeError, match="cut off"):
        loads(data)


def test_a_key_of_shared_tuples_is_refused() -> None:
    with pytest.raises(DecodeError, match="takes too long to hash"):
        loads(b"}" + b")" + b"2\x86" * 60 + b"Ns.")


@pytest.mark.parametrize("name", ["datetime\ndate", "builtins\nset", "builtins\nbytearray"])
def test_missing_arguments_are_values_or_errors(name: str) -> None:
    try:
        loads(f"c{name}\n)R.".encode())
    except DecodeError:
        pass


def test_bytearrays_of_a_number_are_refused() -> None:
    with pytest.raises(DecodeError):
        loads(b"cbuiltins\nbytearray\n(I9999999999\ntR.")


def test_truncations_and_mutations() -> None:
    data = pickle.dumps(VALUES, 4)
    for end in range(len(data)):
        with pytest.raises(DecodeError):
            loads(data[:end])
    rng = random.Random(1)
    for at in range(len(data)):
        try:
            loads(data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :])
        except DecodeError:
            pass


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"(i__main__\nA\n.", "INST would run code"),
        (b"c__main__\nA\n)\x81}b.", "`__main__.A` would be called"),
        (b"cbuiltins\ngetattr\n(czoneinfo\nZoneInfo\nV__class__\ntR.", "needs no attribute `__class__`"),
        (b"]}b.", "Invalid BUILD"),
        (b"\x80\x06N.", "newer than 5"),
        (b"cuuid\nUUID\n)\x81}X\x03\0\0\0intJ\xff\xff\xff\xffsb.", "invalid pickle"),
        (b"ccollections\ndeque\n((cbuiltins\nlist\nttR.", "is used as a value"),
    ],
)
def test_programs_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(DecodeError, match=said):
        loads(data)


def test_what_calls_are_given_is_bounded() -> None:
    text = b"V" + b"x" * 10_000 + b"\np0\n"
    call = b"c_codecs\nencode\n(g0\ntR"
    with pytest.raises(DecodeError, match="calls are given too much"):
        loads(b"(" + text + call * 10_000 + b"t.")


def test_pickles_of_python_2() -> None:
    assert loads(b"(dp0\nS'a\\n'\nL12L\nsU\x01bI01\ns.") == {"a\n": 12, "b": True}


def test_the_command_makes_a_file(tmp_path, capsys) -> None:
    old, new = tmp_path / "a.pickle", tmp_path / "a.oxn"
    shared = [1]
    old.write_bytes(pickle.dumps({"a": shared, "b": shared, "c": datetime.date(2020, 1, 2)}))
    assert main(["convert", str(old), str(new)]) == 0
    [got] = native.read(new)
    assert got == {"a": [1], "b": [1], "c": datetime.date(2020, 1, 2)}
    assert got["a"] is got["b"]
    old.write_bytes(b"cos\nsystem\n(S'x'\ntR.")
    assert main(["convert", str(old), str(new)]) == 1
    assert (
        "`os.system` would be called: only plain data can be converted (byte 10)" in capsys.readouterr().err
    )
    assert [*native.read(new)] == [got]


def test_only_pickles_become_native_files(tmp_path) -> None:
    (tmp_path / "a.json").write_bytes(b"1")
    for names in (["a.json", "a.oxn"], ["a.pickle", "a.json"]):
        with pytest.raises(SystemExit) as caught:
            main(["convert", *(str(tmp_path / name) for name in names)])
        assert caught.value.code == 2


ARRAYS = [
    "np.arange(6, dtype='<i4').reshape(2, 3)", "np.arange(6, dtype='>f8').reshape(2, 3, order='F')", "np.array(1.5)",
    "np.array([True, False])", "np.array([1 + 2j], 'c8')", "np.zeros((0, 3), 'u2')", "np.arange(10)[::2]",
    "np.array(['2020', 'NaT'], 'M8[ns]')", "np.array([1, 2], 'm8[25s]')", "np.array(['ab', 'é'])", "np.array([b'ab', b'c'])",
    "np.float32(1.5)", "np.int64(-1)", "np.bool_(True)", "np.datetime64('2020-01-02', 'D')", "np.datetime64('NaT', 's')", "np.str_('a')",
    "np.frombuffer(b'abcd', 'u1')",
]  # fmt: skip


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("spelled", ARRAYS)
def test_arrays(spelled: str, protocol: int) -> None:
    np = pytest.importorskip("numpy")
    value = eval(spelled, {"np": np})
    for old in (False, True):
        data = pickle.dumps(value, protocol)
        if old and b"_core" in data and protocol < 4:
            # As numpy before 2 spells it.
            data = data.replace(b"numpy._core", b"numpy.core")
        got, want = loads(data), pickle.loads(pickle.dumps(value, protocol))
        assert (type(got), got.dtype, got.shape) == (type(want), want.dtype, want.shape)
        assert got.tobytes() == want.tobytes()
        assert str(got.flags) == str(want.flags)
        again = native.decode(native.encode(got))
        assert (again.dtype, again.tobytes()) == (want.dtype, want.tobytes())


@pytest.mark.parametrize("protocol", range(6))
def test_arrays_among_other_things(protocol: int) -> None:
    np = pytest.importorskip("numpy")
    shared = np.arange(4)
    value = {"a": [shared, shared], "b": (np.float64(2.5), {"c": np.ones((2, 2))})}
    got = loads(pickle.dumps(value, protocol))
    assert got["a"][0] is got["a"][1]
    got["a"][0][0] = 9
    assert (got["a"][1][0], shared[0], got["b"][0]) == (9, 0, 2.5)
    assert (got["b"][1]["c"] == 1).all()


def test_arrays_of_other_things_are_refused() -> None:
    np = pytest.importorskip("numpy")
    for value in (
        np.array([object()]), np.array([None, 1]), np.zeros(2, [("a", "i4")]), np.ma.array([1]), np.dtype("f8"),
        [np.dtype("f8")], np.zeros(2, "V3"), np.random.default_rng(1), np.poly1d([1]), np.array([1]).view(np.recarray), np.ndarray,
        np.sum,
    ):  # fmt: skip
        for protocol in range(2, 6):
            with pytest.raises(DecodeError):
                loads(pickle.dumps(value, protocol))


def test_hostile_arrays() -> None:
    np = pytest.importorskip("numpy")
    value = np.arange(4, dtype="<i4")
    data = pickle.dumps(value, 3)
    for old, new in (
        (b"K\x04\x85", b"K\x05\x85"), (b"K\x04\x85", b"J\xff\xff\xff\x7f\x85"), (b"K\x04\x85", b"J\xff\xff\xff\xff\x85"),
        (b"i4", b"O8"), (b"i4", b"i8"), (b"i4", b"V4"), (b"i4", b"U1"), (b"C\x10", b"C\x0f"), (b"ndarray", b"fromstr"),
    ):  # fmt: skip
        assert old in data
        wrong = data.replace(old, new) if (old, new) != (b"i4", b"U1") else data.replace(b"C\x10", b"C\x11\0")
        with pytest.raises(DecodeError):
            loads(wrong)
    # What a dtype is made of must not make another of it.
    data = pickle.dumps(np.zeros(2, "M8[s]"), 4)
    for old, new in (
        (b"\x8c\x01<", b"\x8c\x03O,<"), (b"C\x01s", b"C\x08s],O,M8["), (b"C\x01s", b"C\x06s],O,<"), (b"\x8c\x02M8", b"\x8c\x04O,M8"),
        (b"\x8c\x02M8", b"\x8c\x03M8\n"),
    ):  # fmt: skip
        assert old in data
        with pytest.raises(DecodeError, match="is no dtype of plain data"):
            loads(data.replace(old, new))
    # Whatever bytes are other ones: an error, or data.
    for protocol in (2, 5):
        data = pickle.dumps([value, np.float32(1)], protocol)
        for at in range(len(data)):
            for byte in (0, 0x29, 0x30, 0x62, 0x7F, 0x85, 0x88, 0xFF):
                try:
                    loads(data[:at] + bytes((byte,)) + data[at + 1 :])
                except DecodeError:
                    pass


def test_what_arrays_are_told_last_counts() -> None:
    np = pytest.importorskip("numpy")
    made = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntC\x01btR"
    dtype = b"cnumpy\ndtype\n(Vu1\ntR(I3\nV|\nNNNI0\nI0\nI0\ntb"
    states = [b"(I1\n(I%d\nt" % n + dtype + b"I00\nC" + bytes([n, *range(n)]) + b"tb" for n in (2, 3)]
    for data in (made + b".", made + states[0] + b".", made + b"".join(states) + b"."):
        ours, theirs = loads(data), pickle.loads(data)
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)
    # One that is told of nothing is shared as others are.
    first, second = loads(b"]" + made + b"q\x01ah\x01a.")
    assert first is second


def test_what_arrays_are_told_is_bounded() -> None:
    pytest.importorskip("numpy")
    made = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntC\x01btR"
    dtype = b"cnumpy\ndtype\n(Vu1\ntR(I3\nV|\nNNNI0\nI0\nI0\ntb"
    shared = b"V" + b"x" * 10_000 + b"\np0\n0" + dtype + b"p1\n0"
    array = made + b"(I1\n(I10000\ntg1\nI00\ng0\ntb"
    assert len(loads(shared + array + b".")) == 10_000
    with pytest.raises(DecodeError, match="calls are given too much"):
        loads(shared + b"(" + array * 5_000 + b"t.")
    order = b"V" + b"|" * 10_000 + b"\np0\n0"
    with pytest.raises(DecodeError, match="calls are given too much"):
        loads(order + b"cnumpy\ndtype\n(Vu1\ntR" + b"(I3\ng0\nNNNI0\nI0\nI0\ntb" * 2_000 + b".")
    # Dimensions that take long to multiply.
    for dims in (b"I9\n" * 100_000, b"L" + b"9" * 4_000 + b"L\n"):
        with pytest.raises(DecodeError, match="another size than its items"):
            loads(shared + made + b"(I1\n(" + dims + b"tg1\nI00\ng0\ntb.")
