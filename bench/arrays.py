"""Arrays of numbers: reading by type against an untyped reader and numpy's own constructor, side by side.

    python bench/arrays.py [--rounds N]

Both are run in turn in one process, and the medians compared, since the machine is seldom quiet.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable

import numpy as np
import orjson
import ormsgpack
from numpy.typing import NDArray
from tables import markdown

from oxwire import json, msgpack

COUNT = 200_000


def timed(call: Callable[[], object]) -> float:
    """How long a call takes, in milliseconds."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def cases() -> dict[str, tuple[list[object], type[np.generic]]]:
    """Lists of numbers by what they are, and the type of their array."""
    seeded = random.Random(1)
    return {
        "float64, 17 digits": ([seeded.random() * 1000 for _ in range(COUNT)], np.float64),
        "float64, 2 digits": ([round(seeded.random() * 100, 2) for _ in range(COUNT)], np.float64),
        "float32, 3 digits": ([round(seeded.random() * 100, 3) for _ in range(COUNT)], np.float32),
        "int64, 9 digits": ([seeded.randint(-(10**9), 10**9) for _ in range(COUNT)], np.int64),
        "int32, 3 digits": ([seeded.randint(0, 999) for _ in range(COUNT)], np.int32),
        "float64, rows of 3": ([[seeded.random() for _ in range(3)] for _ in range(COUNT // 3)], np.float64),
        "uint8, rows of 256": (
            [[seeded.randint(0, 255) for _ in range(256)] for _ in range(COUNT // 256)],
            np.uint8,
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    rows = []
    for name, (values, dtype) in cases().items():
        for form, ours, dumps, loads in (
            ("JSON", json.Decoder, orjson.dumps, orjson.loads),
            ("MessagePack", msgpack.Decoder, ormsgpack.packb, ormsgpack.unpackb),
        ):
            data, read = dumps(values), ours(NDArray[dtype]).decode
            pairs = [
                (timed(lambda: read(data)), timed(lambda: np.array(loads(data), dtype)))  # noqa: B023
                for _ in range(rounds)
            ]
            mine, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
            rows.append([form, name, f"{mine:.2f}", f"{theirs:.2f}", f"{theirs / mine:.1f}"])
    print(markdown(["", f"{COUNT} numbers", "oxwire, ms", "other + np.array, ms", "ratio"], rows))


if __name__ == "__main__":
    main()
