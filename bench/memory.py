"""How much memory a call needs at its peak, beyond what it was given and what it gives back.

Each figure is one call in a process of its own, since a heap that has grown once hides the next need.
The peak is what the kernel saw (the high-water mark of resident memory, reset just before the call), for
tracemalloc sees only what goes through Python's allocator and none of what a native library takes by itself. For decode the
size of the result is then taken off, and that is what tracemalloc measures, in a second call.

Only Linux lets a process reset its high-water mark; elsewhere `measure` gives nothing. Resident memory is counted in
pages and in batches, so the documents are large and a difference of a tenth says nothing.

As a command, `python memory.py PEER OP DOCUMENT` is the child: it prints one line of JSON.
"""

import ctypes
import gc
import json
import subprocess
import sys
import tracemalloc
from pathlib import Path
from random import Random
from typing import Any

import generated

from oxwire import _bench

REPEATS = {"timeline": 12, "catalogue": 8, "coordinates": 4}
"""How often a document is put into a list, to be large enough."""

DOCUMENTS = [*REPEATS, "ints_small", "strings_short"]
"""The last two are lists of some million values of one to five bytes: the worst case beside the input's size."""


def _data(name: str) -> bytes:
    if name in REPEATS:
        return b"[" + b",".join([generated.ALL[name]().data] * REPEATS[name]) + b"]"
    r = Random(8)
    if name == "ints_small":
        return b"[" + b",".join(b"%d" % r.randrange(256) for _ in range(2_000_000)) + b"]"
    return b"[" + b",".join(b'"%d"' % r.randrange(1000) for _ in range(1_500_000)) + b"]"


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(field)


def _settle() -> None:
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        # What the C library keeps of freed memory would serve the call and hide its need.
        trim(0)
    Path("/proc/self/clear_refs").write_text("5")


def _child(peer: str, op: str, name: str) -> dict[str, Any]:
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        # 41 is PR_SET_THP_DISABLE. Huge pages are resident as a whole when one byte of them is written.
        prctl(41, 1, 0, 0, 0)
    library = next(p for p in _bench.peers() if p.name == peer)
    call = getattr(library, op)
    data = _data(name)
    # Whatever a library sets up at its first call is not this call's.
    library.encode(library.decode(b'[{"a":1.5,"b":"c"}]'))
    argument = json.loads(data) if op == "encode" else data
    given = len(data)
    if op == "encode":
        del data
    _settle()
    before = _status("VmRSS")
    result = call(argument)
    peak = _status("VmHWM") - before
    if op == "encode":
        return {"peak": peak, "output": len(result)}
    del result
    gc.collect()
    tracemalloc.start()
    held = call(argument)
    kept = tracemalloc.get_traced_memory()[0]
    del held
    return {"peak": peak, "result": kept, "input": given}


def measure(peer: str, op: str, name: str) -> float | None:
    """The peak beyond the result as a multiple of the input (decode), or the peak as a multiple of the output (encode)."""
    if not Path("/proc/self/clear_refs").exists():
        return None
    run = subprocess.run(
        [sys.executable, __file__, peer, op, name], capture_output=True, text=True, check=False
    )
    if run.returncode:
        print(f"memory of {peer} {op} {name}: {run.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    seen = json.loads(run.stdout)
    if op == "encode":
        return float(seen["peak"] / seen["output"])
    return max(0.0, (seen["peak"] - seen["result"]) / seen["input"])


if __name__ == "__main__":
    print(json.dumps(_child(*sys.argv[1:4])))
