"""The MessagePack half of `make bench`: its peers, what is checked before anything is timed, the timing, the tables.

Timed with the machinery of the JSON half (python/oxwire/_bench.py). What differs: libraries here need other options
for other values, so the peers are made for each row; every ratio says how many times as fast as a peer oxwire
is; and beside each peer stands the best of them, whichever that is on a row.

This module must not be called like one of the peers: its folder comes first where modules are looked for.
"""

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from operator import methodcaller
from typing import Any, NamedTuple

from packed_rows import MAIN, Make, Row, messages
from tables import geometric_mean, markdown

from oxwire import DecodeError, EncodeError, __version__, _bench
from oxwire import msgpack as ours

PIECE = 4096
STREAMS = ("stream_whole", "stream_pieces")
"""Many messages that lie one behind the other, fed at once and in pieces of 4 KiB."""

# What ormsgpack must be told.
OPTIONS = {
    "keys": "OPT_NON_STR_KEYS",
    "moments": "OPT_DATETIME_AS_TIMESTAMP_EXT",
    "pydantic": "OPT_SERIALIZE_PYDANTIC",
    "numpy": "OPT_SERIALIZE_NUMPY",
}


class Peer(NamedTuple):
    """A library, and its ways between bytes and a value, as far as they are measured."""

    name: str
    decode: Callable[[Any], Any] | None
    encode: Callable[[Any], bytes] | None


def _found(name: str) -> Any:
    # None if it is not installed, or not whole.
    try:
        version(name)
        return import_module("msgspec.msgpack" if name == "msgspec" else name)
    except (ImportError, PackageNotFoundError):
        return None


def versions() -> dict[str, str]:
    """Ourselves and the peers that are installed."""
    return {"oxwire": __version__} | {
        name: version(name) for name in ("ormsgpack", "msgspec", "msgpack") if _found(name)
    }


def peers(needs: str = "") -> list[Peer]:
    """Ourselves, then the installed peers, each in its fastest documented way for a row's values.

    Objects that can be reused are. msgpack's `packb` stands apart, since it is how most programs call it. A
    library that does not know models is given what the models' own method makes of them.
    """
    found = [Peer("oxwire", ours.decode, ours.encode)]
    arrays, models = needs == "numpy", needs == "pydantic"
    if module := _found("ormsgpack"):
        name = OPTIONS.get(needs)
        chosen = {"option": getattr(module, name)} if name else {}
        encode = _with(module.packb, chosen)
        found.append(Peer("ormsgpack", _with(module.unpackb, {} if arrays or models else chosen), encode))
    hook = methodcaller("model_dump") if models else None
    if module := _found("msgspec"):
        encode = None if arrays else module.Encoder(enc_hook=hook).encode
        found.append(Peer("msgspec", module.Decoder().decode, encode))
    if module := _found("msgpack"):
        writes = {"default": vars if needs == "dataclass" else hook, "datetime": needs == "moments"}
        writes = {key: value for key, value in writes.items() if value}
        reads = {"keys": {"strict_map_key": False}, "moments": {"timestamp": 3}}.get(needs, {})
        encode = None if arrays else module.Packer(**writes).pack
        found.append(Peer("msgpack", _with(module.unpackb, reads), encode))
        found.append(Peer("msgpack.packb", None, None if arrays else _with(module.packb, writes)))
    return found


def _with(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    # Without options the function itself, since calling through a partial costs more than a small message may.
    return partial(function, **options) if options else function


class Verdict(NamedTuple):
    """What was found before timing. `faults` are ours and fatal; `notes` say why a peer is left out."""

    encoded: bytes
    faults: list[str]
    notes: list[str]
    encoders: list[Peer]
    decoders: list[Peer]


def verify(row: Row, among: list[Peer]) -> Verdict:
    """Check our round trip, and that the peers read and write the same.

    What a row's values are is known without any library, so a peer that reads our bytes differently is left out with
    a note. But if none of them reads these as we do, the fault is taken to be ours.
    """
    faults: list[str] = []
    notes: list[str] = []
    encoders: list[Peer] = []
    decoders: list[Peer] = []
    encoded = b""
    try:
        encoded = ours.encode(row.value)
        if not _bench.identical(row.plain, ours.decode(encoded)):
            faults.append("the round trip is not exact")
    except (EncodeError, DecodeError) as error:
        faults.append(f"no round trip ({_brief(error)})")
    if faults:
        return Verdict(encoded, faults, notes, encoders, decoders)
    differ = 0
    # A peer may fail with whatever it likes; what matters here is only that it did.
    for peer in among:
        if peer.decode is not None:
            try:
                agrees = _bench.identical(row.plain, peer.decode(encoded))
            except Exception as error:
                notes.append(f"{peer.name} cannot read it ({_brief(error)})")
            else:
                if agrees:
                    decoders.append(peer)
                else:
                    differ += 1
                    notes.append(f"{peer.name} reads it differently")
        if peer.encode is None:
            continue
        try:
            written = peer.encode(row.value)
            agrees = _bench.identical(row.plain, ours.decode(written))
        except Exception as error:
            notes.append(f"{peer.name} cannot write it ({_brief(error)})")
        else:
            if agrees:
                encoders.append(peer)
                if len(written) != len(encoded):
                    notes.append(f"{peer.name} writes {len(written)} bytes, oxwire {len(encoded)}")
            else:
                notes.append(f"{peer.name} writes it differently")
    if differ and all(p.name == "oxwire" for p in decoders):
        faults.append("no other library reads it as oxwire does")
    return Verdict(encoded, faults, notes, encoders, decoders)


def _brief(error: Exception) -> str:
    text = (f"{type(error).__name__}: {error}".splitlines() or [""])[0]
    return text if len(text) <= 90 else text[:87] + "..."


def time_row(name: str, make: Make, seconds: float) -> dict[str, Any]:
    """Check one row, then time it. Gives an entry of results.json."""
    try:
        row = make()
    except ImportError as error:
        return {"document": name, "bytes": 0, "faults": [], "notes": [f"{error.name} is not installed"]}
    ops = row.ops
    verdict = verify(row, peers(row.needs))
    data = verdict.encoded
    entry: dict[str, Any] = {
        "document": name,
        "bytes": len(data),
        "faults": verdict.faults,
        "notes": verdict.notes,
    }
    if verdict.faults:
        return entry
    value, encoders, decoders = row.value, verdict.encoders, verdict.decoders
    if "encode" in ops:
        timed = _bench.compare({p.name: partial(p.encode, value) for p in encoders}, seconds / len(ops))
        entry["encode"] = {n: t._asdict() for n, t in timed.items()}
    # A large value that lives on would make the collector's work in decode larger than a program's.
    del value, row, verdict
    if "decode" in ops:
        timed = _bench.compare({p.name: partial(p.decode, data) for p in decoders}, seconds / len(ops))
        entry["decode"] = {n: t._asdict() for n, t in timed.items()}
    return entry


def _consume(messages: Iterable[Any]) -> None:
    # Each is dropped before the next one, as in a program that handles them one by one.
    for _ in messages:
        pass


def _streamed(make: Callable[[], Any], pieces: list[bytes], take: Callable[..., Any] = _consume) -> None:
    stream = make()
    for piece in pieces:
        stream.feed(piece)
        take(stream)


def _one_by_one(
    decode: Callable[[bytes], Any], packed: list[bytes], take: Callable[..., Any] = _consume
) -> None:
    take(map(decode, packed))


def stream_ways(name: str) -> dict[str, Callable[..., None]]:
    """The ways to read the messages of a stream, each a call that reads them all.

    Calls "one by one" are given each message apart: somebody must have found out where it ends.
    """
    packed = [ours.encode(value) for value in messages()]
    whole = b"".join(packed)
    size = len(whole) if name == "stream_whole" else PIECE
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    ways: dict[str, Callable[..., None]] = {"oxwire": partial(_streamed, ours.StreamDecoder, pieces)}
    if module := _found("msgpack"):
        ways["msgpack.Unpacker"] = partial(_streamed, module.Unpacker, pieces)
    for peer in peers():
        if peer.decode is not None:
            ways[f"{peer.name} one by one"] = partial(_one_by_one, peer.decode, packed)
    return ways


def time_stream(name: str, seconds: float) -> dict[str, Any]:
    """Check one stream, then time it: what a message takes. Gives an entry of results.json."""
    values = messages()
    count, size = len(values), sum(len(ours.encode(value)) for value in values)
    entry: dict[str, Any] = {
        "document": name,
        "bytes": size,
        "messages": count,
        "faults": [],
        "notes": [],
    }
    ways = stream_ways(name)
    for who, read in list(ways.items()):
        seen: list[Any] = []
        try:
            read(seen.extend)
            agrees = _bench.identical(values, seen)
        except Exception as error:
            entry["notes"].append(f"{who} cannot read it ({_brief(error)})")
            agrees = False
        if not agrees:
            entry["faults" if who.startswith("oxwire") else "notes"].append(f"{who} reads it differently")
            del ways[who]
    del values, seen
    if not entry["faults"]:
        timed = _bench.compare(ways, seconds)
        entry["stream"] = {
            n: {k: v if k == "slices" else v / count for k, v in t._asdict().items()}
            for n, t in timed.items()
        }
    return entry


def ratios(entry: dict[str, Any], op: str) -> dict[str, float]:
    """How many times as fast as each peer oxwire is, and as the `best` of them; nothing if it was not timed."""
    times = entry.get(op, {})
    if "oxwire" not in times:
        return {}
    mine = times["oxwire"]["p25"]
    beside = {n: t["p25"] / mine for n, t in times.items() if n != "oxwire"}
    return beside | ({"best": min(beside.values())} if beside else {})


def means(entries: list[dict[str, Any]], op: str) -> dict[str, float]:
    """Geometric means over the main rows, for whoever was timed on each of them; nothing if one is missing."""
    groups = [ratios(e, op) for e in entries if e["document"] in MAIN]
    if len(groups) < len(MAIN):
        return {}
    names = [n for n in groups[0] if all(n in g for g in groups)]
    return {n: geometric_mean([g[n] for g in groups]) for n in names}


def _cells(beside: dict[str, float], names: list[str]) -> list[str]:
    return [f"{beside[n]:.2f}" if n in beside else "-" for n in names]


def render(entries: list[dict[str, Any]]) -> str:
    """The tables of table.md."""
    out = []
    for op in ("decode", "encode", "stream"):
        rows = [e for e in entries if op in e]
        if not rows:
            continue
        seen = dict.fromkeys(n for e in rows for n in ratios(e, op) if n != "best")
        # A stream is compared with one peer and with other ways, of which the best is no measure.
        names = list(seen) if op == "stream" else [*seen, "best"]
        table = [
            [
                e["document"],
                _bench.size(e["bytes"]),
                _bench.duration(e[op]["oxwire"]["p25"]),
                *_cells(ratios(e, op), names),
            ]
            for e in rows
        ]
        if mean := means(entries, op):
            table.append([f"mean of {len(MAIN)}", "", "", *_cells(mean, names)])
        time = "a message takes" if op == "stream" else "oxwire takes"
        out.append(
            f"## MessagePack: {op}\n\nHow many times as fast as each oxwire is (more than 1.00: faster).\n"
        )
        out.append(markdown(["row", "bytes", time, *names], table))
        if behind := _behind(rows, op):
            out.append(f"Slower than the best peer: {behind}.\n")
    faults = [f"- {e['document']}: {fault}" for e in entries for fault in e["faults"]]
    if faults:
        out.append("## MessagePack: not timed\n\n" + "\n".join(faults) + "\n")
    notes = [f"- {e['document']}: {note}" for e in entries for note in e["notes"]]
    if notes:
        out.append("## MessagePack: left out, or different\n\n" + "\n".join(notes) + "\n")
    return "\n".join(out)


def _behind(rows: list[dict[str, Any]], op: str) -> str:
    if op == "stream":
        return ""
    slow = [(e["document"], ratios(e, op).get("best", 1.0)) for e in rows]
    return ", ".join(
        f"{name} {ratio:.2f}" for name, ratio in sorted(slow, key=lambda s: s[1]) if ratio < 0.995
    )


def panels(entries: list[dict[str, Any]], base: str) -> list[dict[str, dict[str, float]]]:
    """What the plot shows of decode and of encode: speeds beside `base`, of the main rows or of what was run."""
    chosen = [e for e in entries if e["document"] in MAIN] or [e for e in entries if "stream" not in e][:12]
    shown = []
    for op in ("decode", "encode"):
        panel = {}
        for entry in chosen:
            times = entry.get(op, {})
            if base in times:
                panel[entry["document"]] = {n: times[base]["p25"] / t["p25"] for n, t in times.items()}
        shown.append(panel)
    return shown
