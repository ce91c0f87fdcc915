"""The generated documents: the same on every machine, and of the kinds that they claim to be.

The digests are pinned because figures of different days and machines are compared by the name of the
document: a change of its bytes is a new document, and old records no longer speak of it.
"""

import importlib
import json
import os
import subprocess
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace

import generated
import pytest

import oxwire
from oxwire import _bench, msgpack

BENCH = Path(__file__).resolve().parent.parent / "bench"

DIGESTS = {
    "timeline": "8a3d3584",
    "feed": "8b7d6364",
    "catalogue": "b7cc603b",
    "coordinates": "72f37785",
    "message": "65a626f2",
    "people": "cd74df04",
    "ints_small": "e46324f1",
    "ints_large": "d72776d8",
    "floats": "129ec5f2",
    "bools": "cc829bab",
    "short_ascii": "7ba27bb1",
    "long_ascii": "bd373388",
    "short_latin1": "3159c7ca",
    "long_latin1": "1a1ad895",
    "short_greek": "099475c2",
    "long_greek": "43ca1e0e",
    "short_cjk": "37d50db5",
    "long_cjk": "4da4dff6",
    "short_emoji": "8dd2e436",
    "long_emoji": "76732de1",
    "short_escapes": "67e77b37",
    "long_escapes": "95cb0658",
    "code": "2ce9384f",
}


@pytest.fixture(scope="module", params=list(generated.ALL))
def document(request):
    return generated.ALL[request.param]()


def test_name_and_digest(document):
    assert f"{zlib.crc32(document.data):08x}" == DIGESTS[document.name]


def test_data_holds_the_value(document):
    assert _bench.identical(json.loads(document.data), document.value)


def test_every_call_gives_a_fresh_value(document):
    again = generated.ALL[document.name]()
    assert again.value is not document.value
    assert again.data == document.data


def test_does_not_depend_on_hash_seed():
    code = f"import sys; sys.path.append({str(BENCH)!r}); import generated as d; import zlib; print(zlib.crc32(b''.join(d.ALL[n]().data for n in ('timeline', 'feed'))))"
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("timeline", 560_000, 680_000),
        ("feed", 50_000, 65_000),
        ("catalogue", 1_600_000, 1_800_000),
        ("coordinates", 2_100_000, 2_300_000),
        ("message", 150, 170),
        ("people", 140_000, 170_000),
    ],
)
def test_sizes(name, least, most):
    assert least <= len(generated.ALL[name]().data) <= most


def test_people_takes_a_number():
    assert len(generated.people(3).value) == 3
    assert generated.people(3).value == generated.people(5).value[:3]


def _strings(value):
    if isinstance(value, dict):
        return sum(map(_strings, value.values()), list(value))
    if isinstance(value, list):
        return sum(map(_strings, value), [])
    return [value] if isinstance(value, str) else []


def test_timeline_is_indented_and_full_of_wide_text():
    document = generated.timeline()
    assert document.data.startswith(b'{\n  "statuses": [\n    {\n      "')
    wide = [s for s in _strings(document.value["statuses"][:5]) if not s.isascii()]
    assert wide
    assert any("\u3042" <= c <= "\u9fff" for c in wide[0])


def test_catalogue_has_numbers_for_keys():
    document = generated.catalogue()
    assert document.data.startswith(b'{\n    "')
    assert all(key.isdecimal() for key in document.value["events"])


def test_coordinates_are_long_floats():
    points = [
        p for ring in generated.coordinates().value["features"][0]["geometry"]["coordinates"] for p in ring
    ]
    digits = [len(repr(x).lstrip("-").replace(".", "")) for p in points[:2000] for x in p]
    assert all(isinstance(x, float) for p in points for x in p)
    assert sum(n >= 15 for n in digits) > 0.8 * len(digits)


def test_texts_are_of_their_script():
    widest = {
        name: max(map(ord, "".join(make().value)))
        for name, make in generated.ALL.items()
        if "_" in name and name[0] in "sl"
    }
    for length in ("short", "long"):
        assert widest[f"{length}_ascii"] < 0x80
        assert 0x80 <= widest[f"{length}_latin1"] < 0x100
        assert 0x370 <= widest[f"{length}_greek"] < 0x500
        assert 0x3040 <= widest[f"{length}_cjk"] < 0x10000
        assert widest[f"{length}_emoji"] >= 0x10000
        assert widest[f"{length}_escapes"] < 0x80


# What bench/packed_rows.py makes for MessagePack beyond the documents above, by the text of the plain values.
ROWS = {
    "tiny": "6138c60b",
    "small": "79a5bc00",
    "many_keys": "02bb8fc3",
    "ints_7bit": "57d00a53",
    "ints_40bit": "f508c1ee",
    "ints_mixed": "293112c0",
    "short_bytes": "f3b975bc",
    "long_bytes": "9c54bac9",
    "int_keys": "314b7308",
    "datetimes": "fec1c542",
    "dataclasses": "02126ba6",
    "numpy_f8": "abbf5cb3",
    "numpy_f4": "bd45eeee",
    "numpy_i8": "30244e81",
    "numpy_2d": "40c8e21b",
    "pydantic": "02126ba6",
}


@pytest.fixture(scope="module")
def bench_modules():
    """The modules of bench/ that know MessagePack, which are no part of the package."""
    names = ("tables", "packed_rows", "packed")
    sys.path.insert(0, str(BENCH))
    try:
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in names})
    finally:
        sys.path.remove(str(BENCH))
        for name in names:
            sys.modules.pop(name, None)


@pytest.mark.parametrize("name", list(ROWS))
def test_rows_of_msgpack(bench_modules, name):
    if name.startswith("numpy"):
        pytest.importorskip("numpy")
    if name == "pydantic":
        pytest.importorskip("pydantic")
    row = bench_modules.packed_rows.ROWS[name]()
    assert f"{zlib.crc32(repr(row.plain).encode()):08x}" == ROWS[name]
    assert _bench.identical(msgpack.decode(msgpack.encode(row.value)), row.plain)


def test_every_row_of_msgpack_is_pinned(bench_modules):
    assert set(bench_modules.packed_rows.ROWS) - set(generated.ALL) == set(ROWS)
    assert set(bench_modules.packed_rows.MAIN) <= set(bench_modules.packed_rows.ROWS)


def test_small_messages_are_small(bench_modules):
    rows = bench_modules.packed_rows
    assert len(msgpack.encode(rows.ROWS["tiny"]().value)) == 29
    assert {len(msgpack.encode(one)) for one in rows.messages()} == {52}
    assert rows.ROWS["small"]().value == rows.messages()[0]


def test_a_wrong_answer_is_seen_before_timing(bench_modules, monkeypatch):
    packed, rows = bench_modules.packed, bench_modules.packed_rows
    row, ours = rows.plain([1]), packed.peers()[0]
    assert not packed.verify(row, [ours]).faults
    other = packed.Peer("other", lambda data: [1.0], lambda value: b"\x91\xcc\x01")
    seen = packed.verify(row, [ours, other])
    assert [p.name for p in seen.encoders] == ["oxwire", "other"]
    assert seen.faults == ["no other library reads it as oxwire does"]
    assert seen.notes == ["other reads it differently", "other writes 3 bytes, oxwire 2"]
    other = packed.Peer("other", lambda data: [1], lambda value: b"\x91\xc3")
    seen = packed.verify(row, [ours, other])
    assert (seen.faults, seen.notes) == ([], ["other writes it differently"])
    monkeypatch.setattr(packed.ours, "decode", lambda data: [True])
    assert packed.verify(row, [ours]).faults == ["the round trip is not exact"]


def test_ratios_are_of_the_peers_time_to_ours(bench_modules):
    packed = bench_modules.packed
    entry = {"document": "x", "encode": {n: {"p25": t} for n, t in (("oxwire", 2), ("a", 3), ("b", 1))}}
    assert packed.ratios(entry, "encode") == {"a": 1.5, "b": 0.5, "best": 0.5}
    assert packed.ratios(entry, "decode") == {}
    main = [entry | {"document": name} for name in bench_modules.packed_rows.MAIN]
    assert packed.means(main, "encode") == pytest.approx({"a": 1.5, "b": 0.5, "best": 0.5})
    assert packed.means(main[1:], "encode") == {}


def test_bench_runs(tmp_path):
    names = ["message", "tiny", "int_keys", "stream_pieces"]
    done = subprocess.run(
        [
            sys.executable,
            BENCH / "run.py",
            "--only",
            *names,
            "--seconds",
            "0.01",
            "--no-memory",
            "--out",
            tmp_path,
        ],
        env={**os.environ, "PYTHONPATH": str(Path(oxwire.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    assert [row["document"] for row in results["json"]["documents"]] == ["message"]
    assert {row["document"] for row in results["msgpack"]["documents"]} == set(names)
    table = (tmp_path / "table.md").read_text()
    assert all(f"MessagePack: {op}" in table for op in ("decode", "encode", "stream"))
    assert (tmp_path / "plot-msgpack.svg").read_text().startswith("<svg")
