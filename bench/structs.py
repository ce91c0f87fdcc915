"""The Structs of `make bench`: what is done with classes and their instances, one row for each, and what they weigh.

    python bench/structs.py [--seconds S] [--only WORD ...] [--no-memory]

Each row is a class and a statement, the same source for oxwire and msgspec (and dataclasses and attrs where they can do the
same), timed with the machinery of the other parts. What may surprise: a statement stands many times in the function
that is timed, since the call of a function takes as long as what is measured. Memory and the collector are
measured in processes of their own, since the collector walks whatever else is alive.
"""

import argparse
import dataclasses
import gc
import json
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from tables import markdown

from oxwire import _bench

Calls = dict[str, Callable[[], object]]


class Row(NamedTuple):
    """What is timed: a statement, the class that it is about, and what is run before."""

    statement: str
    options: str = ""
    body: str = "a: int; b: int; c: int; d: int; e: int"
    before: str = "s = S(1, 2, 3, 4, 5)"
    times: int = 100


FIVE = "S(1, 2, 3, 4, 5)"
NAMED = "S(a=1, b=2, c=3, d=4, e=5)"
DEFAULTS = "a: int; b: int = 2; c: str = ''; d: float = 0.5; e: object = None"
PAIR = "s, t = S('some', 2, 2.5, None, 'text'), S('some', 2, 2.5, None, ''.join('text'))"
TWENTY = "; ".join(f"f{i}: int" for i in range(20))
HOOK = "a: int; b: int; c: int; d: int; e: int\n    def __post_init__(self): pass"


def defining(
    options: str = "", more: str = "", body: str = "\n    ".join(f"{n}: int" for n in "abcde")
) -> Row:
    """The definition of a class."""
    return Row(f"HEAD\n    {body}{more}", options, before="", times=1)


ROWS = {
    "define": defining(),
    "define, order": defining("order=True"),
    "define, frozen": defining("frozen=True"),
    "define, kw_only": defining("kw_only=True"),
    "define, rename": defining("rename='camel'"),
    "define, tag": defining("tag=True"),
    "define, defaults": defining(
        more=" = 1\n    f: str = ''\n    g: list = []\n    h: dict = field(default_factory=dict)"
    ),
    "define, of one field": defining(body="a: int"),
    "define, of 20 fields": defining(body=TWENTY),
    "define a subclass": Row("class New(S):\n    f: int", times=1),
    "defstruct": Row(
        "defstruct('New', [('a', int), ('b', int), ('c', int), ('d', int), ('e', int)])", times=1
    ),
    "create": Row(FIVE),
    "create, of one field": Row("S(1)", body="a: int", before=""),
    "create, of no field": Row("S()", body="pass", before=""),
    "create by keyword": Row(NAMED),
    "create by keyword, other order": Row("S(e=5, c=3, d=4, a=1, b=2)"),
    "create by both": Row("S(1, 2, 3, d=4, e=5)"),
    "create, of 20 fields": Row(f"S({', '.join(f'f{i}={i}' for i in range(20))})", body=TWENTY, before=""),
    "create, a container in it": Row("S(1, 2, 3, L, 5)", before="L = []"),
    "create, defaults": Row("S(1)", body=DEFAULTS, before=""),
    "create, empty list": Row("S(1)", body="a: int; b: list = []", before=""),
    "create, empty dict": Row("S(1)", body="a: int; b: dict = {}", before=""),
    "create, empty set": Row("S(1)", body="a: int; b: set = set()", before=""),
    "create, factory": Row("S(1)", body="a: int; b: int = field(default_factory=int)", before=""),
    "create, gc=False": Row(FIVE, "gc=False"),
    "create, frozen": Row(FIVE, "frozen=True"),
    "create, kw_only": Row(NAMED, "kw_only=True", before=""),
    "create, __post_init__": Row(FIVE, body=HOOK),
    "create, dict": Row(FIVE, "dict=True"),
    "create, weakref": Row(FIVE, "weakref=True"),
    "create, cache_hash": Row(FIVE, "frozen=True, cache_hash=True"),
    "equal": Row("s == t", before="s, t = S(1, 2, 3, 4, 5), S(1, 2, 3, 4, 5)"),
    "equal, other sorts": Row("s == t", before=PAIR),
    "equal, structs inside": Row(
        "s == t", before="s, t = S(1, 2, S(1, 2, 3, 4, 5), 4, 5), S(1, 2, S(1, 2, 3, 4, 5), 4, 5)"
    ),
    "unequal": Row("s != t", before="s, t = S(1, 2, 3, 4, 5), S(1, 2, 3, 4, 6)"),
    "equal, of other classes": Row("s == t", before="s, t = S(1, 2, 3, 4, 5), 1"),
    "index in a list": Row(
        "many.index(s)",
        before="many = [S(i, i, i, i, i) for i in range(999)] + [s := S(1, 2, 3, 4, 5)]",
        times=1,
    ),
    "less": Row("s < t", "order=True", before="s, t = S(1, 2, 3, 4, 5), S(1, 2, 3, 4, 6)"),
    "less, texts": Row(
        "s <= t", "order=True", before="s, t = S('a', 'b', 'c', 'd', 'e'), S('a', 'b', 'c', 'd', 'f')"
    ),
    "sort": Row(
        "sorted(many)",
        "order=True",
        before="many = [S(i * 7919 % 1000, 1, 2, 3, 4) for i in range(1000)]",
        times=1,
    ),
    "hash": Row("hash(s)", "frozen=True"),
    "hash, texts": Row("hash(s)", "frozen=True", before=PAIR),
    "hash, cached": Row("hash(s)", "frozen=True, cache_hash=True"),
    "get an attribute": Row("s.c"),
    "set an attribute": Row("s.c = 7"),
    "set the last of 20": Row("s.f19 = 7", body=TWENTY, before="s = S(*range(20))"),
    "set a container": Row("s.c = L", before="s = S(1, 2, 3, 4, 5); L = []"),
    "set an attribute, dict": Row("s.other = 7", "dict=True"),
    "force_setattr": Row("force_setattr(s, 'c', 7)", "frozen=True"),
    "repr": Row("repr(s)"),
    "repr, other sorts": Row("repr(s)", before=PAIR),
    "repr, structs inside": Row("repr(s)", before="s = S(1, 2, S(1, 2, 3, 4, 5), 4, 5)"),
    "repr_omit_defaults": Row("repr(s)", "repr_omit_defaults=True", body=DEFAULTS, before="s = S(1, 2)"),
    "__rich_repr__": Row("s.__rich_repr__()"),
    "copy": Row("s.__copy__()"),
    "copy, a container in it": Row("s.__copy__()", before="s = S(1, 2, 3, [], 5)"),
    "copy.copy": Row("copy.copy(s)"),
    "__replace__": Row("s.__replace__(a=2)"),
    "replace": Row("replace(s, a=2)"),
    "replace, all": Row("replace(s, a=2, b=3, c=4, d=5, e=6)"),
    "reduce": Row("s.__reduce__()"),
    "reduce, kw_only": Row("s.__reduce__()", "kw_only=True", before=f"s = {NAMED}"),
    "pickle": Row("pickle.dumps(many)", before="many = [S(i, i, i, i, i) for i in range(100)]", times=1),
    "unpickle": Row(
        "pickle.loads(data)", before="data = pickle.dumps([S(i, i, i, i, i) for i in range(100)])", times=1
    ),
    "unpickle, kw_only": Row(
        "pickle.loads(data)",
        "kw_only=True",
        before="data = pickle.dumps(S(a=1, b=2, c=3, d=4, e=5))",
        times=10,
    ),
    "asdict": Row("asdict(s)"),
    "astuple": Row("astuple(s)"),
    "fields": Row("fields(S)", times=10),
    "match": Row("match s:\n            case S(1, 2, x): pass"),
    "match by name": Row("match s:\n            case S(c=3, d=x): pass"),
    "isinstance": Row("isinstance(s, BASE)"),
    "__struct_fields__": Row("s.__struct_fields__"),
    "__struct_encode_fields__": Row("S.__struct_encode_fields__"),
    "__struct_config__": Row("S.__struct_config__.frozen"),
    "__struct_defaults__": Row("S.__struct_defaults__", body=DEFAULTS, before=""),
}
"""What is done, by name."""

HEADS = {"dataclass": "@dataclass({})\nclass S:", "attrs": "@define({})\nclass S:"}
COMMON = ("", "order=True", "frozen=True", "kw_only=True")
"""The options that these know too."""


def found(name: str) -> Any:
    """A library, or None if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None


LIBRARIES = {n: m for n in ("oxwire", "msgspec", "attrs") if (m := found(n))} | {"dataclass": dataclasses}


def words(name: str) -> dict[str, Any]:
    """What the sources find by name in a library."""
    module = LIBRARIES[name]
    wanted = (
        "dataclass",
        "define",
        "defstruct",
        "field",
        "replace",
        "asdict",
        "astuple",
        "fields",
        "force_setattr",
    )
    taken = {n: getattr(module, n) for n in wanted if hasattr(module, n)}
    if name == "attrs":
        return taken | {
            "replace": module.evolve,
            "field": lambda default_factory: module.field(factory=default_factory),
        }
    if name != "dataclass":
        structs = import_module(f"{name}.structs")
        taken |= {n: getattr(structs, n) for n in wanted if hasattr(structs, n)} | {"BASE": module.Struct}
    return taken


def call(name: str, row: Row) -> Callable[[], object]:
    """The function that is timed."""
    head = HEADS.get(name) or ("class S(BASE, {}):" if row.options else "class S(BASE):")
    head = head.format(row.options)
    # Pickle looks for the class in the module that it names.
    module = ModuleType(f"classes_of_{name}")
    sys.modules[module.__name__] = module
    space = vars(module)
    space |= words(name) | {n: import_module(n) for n in ("copy", "pickle")}
    repeated = min(row.times, 10)
    statement = row.statement.replace("HEAD", head).replace("\n", "\n        ")
    loop = f"for _ in range({row.times // repeated}):\n        " + "\n        ".join([statement] * repeated)
    source = f"{head}\n    {row.body}\n{row.before}\ndef run():\n    {loop}\n"
    exec(compile(source, f"<{name}>", "exec"), space)
    space["run"]()
    return space["run"]  # type: ignore[no-any-return]


def calls(row: Row) -> Calls:
    """What each library is timed with. The others have no options but the common ones, and share what is mutable."""
    made: Calls = {n: call(n, row) for n in LIBRARIES if n not in HEADS}
    for name in HEADS.keys() & LIBRARIES.keys():
        if row.options in COMMON and not any(w in row.body + row.statement for w in ("[]", "{}", "set()")):
            try:
                made[name] = call(name, row)
            except (AttributeError, NameError, TypeError, ValueError):
                continue
    return made


KINDS = {
    "numbers": ("", "S(i, i, i)"),
    "numbers, gc=False": (", gc=False", "S(i, i, i)"),
    "a list in each": ("", "S(i, L, i)"),
    "a list in each, gc=False": (", gc=False", "S(i, L, i)"),
    "dict=True": (", dict=True", "S(i, i, i)"),
    "weakref=True": (", weakref=True", "S(i, i, i)"),
}
"""Classes of three fields whose instances are weighed and collected."""


def weigh(name: str, kind: str, count: int) -> dict[str, float]:
    """Bytes of an instance, and the seconds of a full collection and of freeing with a million of them alive."""
    options, make = KINDS[kind]
    space = words(name) | {"L": [], "count": count}
    exec(f"class S(BASE{options}):\n    a: int; b: object; c: int", space)
    # The same small numbers, so that nothing else is made.
    few = compile(f"[{make} for i in [0] * count]", "<few>", "eval")
    tracemalloc.start()
    space["count"] = 1000
    before = tracemalloc.get_traced_memory()[0]
    held = eval(few, space)
    weight = (tracemalloc.get_traced_memory()[0] - before - sys.getsizeof(held)) / 1000
    tracemalloc.stop()
    space["count"] = count
    held = eval(few, space)
    gc.collect()
    passes = []
    for _ in range(5):
        start = time.perf_counter()
        gc.collect()
        passes.append(time.perf_counter() - start)
    start = time.perf_counter()
    del held
    return {"bytes": weight, "pass": min(passes), "free": time.perf_counter() - start}


def memory(count: int, rounds: int = 5) -> str:
    """The table of weights."""
    peers = [n for n in LIBRARIES if n not in HEADS]
    table = []
    for kind in KINDS:
        seen: dict[str, list[dict[str, float]]] = {n: [] for n in peers}
        for _ in range(rounds):
            for name in peers:
                run = [sys.executable, __file__, "--weigh", name, kind, str(count)]
                seen[name].append(json.loads(subprocess.run(run, capture_output=True, check=True).stdout))
        least = {n: {k: min(one[k] for one in all_) for k in all_[0]} for n, all_ in seen.items()}
        cells = [
            _bench.duration(v * 1e9) if k != "bytes" else f"{v:.0f}"
            for k in ("bytes", "pass", "free")
            for v in (one[k] for one in least.values())
        ]
        table.append([kind, *cells])
    head = [f"{n}: {k}" for k in ("bytes", "collection", "freeing") for n in peers]
    return markdown(["", *head], table)


def main() -> int:
    parser = argparse.ArgumentParser(description="Structs beside their peers.")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each row (default %(default)s)")
    parser.add_argument("--only", nargs="*", default=[], help="rows whose names begin so")
    parser.add_argument("--no-memory", action="store_true", help="time only")
    parser.add_argument("--count", type=int, default=1_000_000, help="instances alive while collecting")
    parser.add_argument("--weigh", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.weigh:
        name, kind, count = args.weigh
        print(json.dumps(weigh(name, kind, int(count))))
        return 0
    peers = [n for n in LIBRARIES if n != "oxwire"]
    table = []
    for word, row in ROWS.items():
        if args.only and not word.startswith(tuple(args.only)):
            continue
        timed = _bench.compare(calls(row), args.seconds)
        own = timed["oxwire"].p25
        cells = [f"{timed[p].p25 / own:.2f}" if p in timed else "" for p in peers]
        table.append([word, _bench.duration(own / row.times), *cells])
    print("## Structs\n\nHow many times as fast as each library oxwire is (more is faster).\n")
    print(markdown(["", "oxwire takes", *peers], table))
    if not args.no_memory:
        print(
            f"{args.count} instances of three fields: the bytes of one, a full collection, and freeing them.\n"
        )
        print(memory(args.count))
    return 0


if __name__ == "__main__":
    sys.exit(main())
