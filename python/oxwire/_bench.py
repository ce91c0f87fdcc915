"""The measuring core of `python -m oxwire bench` and of `make bench`.

Candidates run interleaved: in each round every one gets a slice of about 1.5 ms, in an order drawn anew, so that a
neighbour's load or a change of clock rate hits all alike. A slice is timed with the thread's own CPU clock, which
stands still while another process has the core. Of the slices the lower quartile is kept: the minimum rewards one
lucky slice, the mean pays for every interruption. The garbage collector stays on and each result is dropped before
the next call, as in a program. Nothing is timed before it was found to be right: see `verify`.
"""

import gc
import json as _stdlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.metadata import version
from itertools import repeat
from platform import python_version
from random import Random
from typing import Any, NamedTuple

from . import __version__
from . import json as _json

SLICE_NS = 1_500_000
LEAST_ROUNDS = 3

# Some platforms have no clock per thread; there a quiet machine must do.
_clock: Callable[[], int] = getattr(time, "thread_time_ns", time.perf_counter_ns)


class Peer(NamedTuple):
    """A library, and its ways from bytes to a value and back."""

    name: str
    version: str
    decode: Callable[[Any], Any]
    encode: Callable[[Any], Any]


class Timing(NamedTuple):
    """What one call takes, in nanoseconds, and over how many slices that was seen."""

    p25: float
    least: float
    median: float
    slices: int


def _slice(call: Callable[[], object], times: int) -> int:
    # A partial of one argument is taken apart, since calling through it takes time too.
    if isinstance(call, partial) and len(call.args) == 1 and not call.keywords:
        function, argument = call.func, call.args[0]
        start = _clock()
        for _ in repeat(None, times):
            function(argument)
        return _clock() - start
    start = _clock()
    for _ in repeat(None, times):
        call()
    return _clock() - start


def _times(call: Callable[[], object]) -> int:
    # How many calls fill a slice. The first call warms caches and is not believed.
    call()
    times, spent = 1, max(_slice(call, 1), 1)
    while spent < SLICE_NS // 4:
        times *= 4
        spent = max(_slice(call, times), 1)
    return max(1, round(SLICE_NS * times / spent))


def compare(
    candidates: Mapping[str, Callable[[], object]],
    seconds: float = 1.0,
    tick: Callable[[float], object] = lambda share: None,
) -> dict[str, Timing]:
    """Time the candidates beside each other for about `seconds`; `tick` is told after each round which share is over."""
    gc.collect()
    times = {name: _times(call) for name, call in candidates.items()}
    slices: dict[str, list[float]] = {name: [] for name in candidates}
    order, random = list(candidates), Random(len(candidates))
    start, rounds, share = time.perf_counter(), 0, 0.0
    while rounds < LEAST_ROUNDS or share < 1:
        random.shuffle(order)
        for name in order:
            slices[name].append(_slice(candidates[name], times[name]) / times[name])
        rounds += 1
        share = (time.perf_counter() - start) / max(seconds, 1e-9)
        tick(min(share, rounds / LEAST_ROUNDS, 1.0))
    timings = {}
    for name, seen in slices.items():
        seen.sort()
        # Values that were measured, never one between two.
        last = len(seen) - 1
        timings[name] = Timing(seen[last // 4], seen[0], seen[last // 2], len(seen))
    return timings


def speeds(timings: Mapping[str, Timing], base: str) -> dict[str, float]:
    """How many times as fast as `base` each candidate is."""
    return {name: timings[base].p25 / timing.p25 for name, timing in timings.items()}


def duration(nanoseconds: float) -> str:
    """A time in three digits."""
    units = (("s", 1e9), ("ms", 1e6), ("us", 1e3))
    unit, size = next((pair for pair in units if nanoseconds >= pair[1]), ("ns", 1.0))
    value = nanoseconds / size
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"


def size(count: int) -> str:
    """A number of bytes."""
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"


# How each peer is used: in its faster documented way, from bytes and to compact UTF-8, as we do it.
_PEERS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "orjson": lambda m: (m.loads, m.dumps),
    "msgspec.json": lambda m: (m.Decoder().decode, m.Encoder().encode),
    "ujson": lambda m: (
        m.loads,
        lambda value: m.dumps(value, ensure_ascii=False, escape_forward_slashes=False).encode(),
    ),
}


def peers() -> list[Peer]:
    """Ourselves, then the installed peers, then the standard library."""
    found = [Peer("oxwire", __version__, _json.decode, _json.encode)]
    for module, ways in _PEERS.items():
        with suppress(ImportError):
            name = module.partition(".")[0]
            found.append(Peer(name, version(name), *ways(import_module(module))))
    write = _stdlib.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    found.append(Peer("json", python_version(), _stdlib.loads, lambda value: write(value).encode()))
    return found


def identical(a: Any, b: Any) -> bool:
    """Equal in value, type, sign of zero and order of keys. Takes any depth, since it keeps its own stack."""
    todo = [(a, b)]
    while todo:
        x, y = todo.pop()
        kind = type(x)
        if kind is not type(y):
            return False
        if kind is dict or kind is list or kind is tuple:
            if len(x) != len(y):
                return False
            if kind is dict:
                # The keys are looked at too: 1, 1.0 and True are equal and different keys.
                todo.append((list(x), list(y)))
                x, y = x.values(), y.values()
            todo.extend(zip(x, y, strict=True))
        elif kind is float:
            if (x != y and (x == x or y == y)) or math.copysign(1.0, x) != math.copysign(1.0, y):
                return False
        elif x != y:
            return False
    return True


class Verdict(NamedTuple):
    """What was found before timing. `faults` are ours and fatal; `notes` say why a peer is left out."""

    value: Any
    encoded: bytes
    faults: list[str]
    notes: list[str]
    decoders: list[Peer]
    encoders: list[Peer]


def verify(data: bytes, among: Sequence[Peer]) -> Verdict:
    """Check our round trip of `data` and our agreement with the peers. DecodeError if `data` is not JSON.

    What the standard library reads is the measure; what it cannot read is still held to the round trip.
    """
    value = _json.decode(data)
    verdict = Verdict(value, _json.encode(value), [], [], [], [])
    if not identical(value, _json.decode(verdict.encoded)):
        verdict.faults.append("the round trip is not exact")
    ways: dict[str, tuple[list[Peer], Callable[[Peer], Any]]] = {
        "read": (verdict.decoders, lambda peer: peer.decode(data)),
        "write": (verdict.encoders, lambda peer: _json.decode(peer.encode(value))),
    }
    for peer in among:
        for verb, (able, result) in ways.items():
            # A peer may fail with whatever it likes; what matters here is only that it did.
            try:
                agrees = peer.name == "oxwire" or identical(value, result(peer))
            except Exception as error:
                verdict.notes.append(f"{peer.name} cannot {verb} it ({_brief(error)})")
                continue
            if agrees:
                able.append(peer)
            elif (peer.name, verb) == ("json", "read"):
                verdict.faults.append("the standard library reads it differently")
            else:
                verdict.notes.append(f"{peer.name} {verb}s it differently")
    return verdict


def _brief(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}".splitlines()[0]
    return text if len(text) <= 90 else text[:87] + "..."
