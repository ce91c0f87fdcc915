"""The typed part of `make bench`: people, a tagged tree, dataclasses, attrs and TypedDict, moments and other values of classes,
and objects with bounds, patterns and validators.

    python bench/typed.py [--seconds S]

Timed with the machinery of the other parts (python/oxwire/_bench.py): interleaved, garbage collector on. Each cell says
how many times as fast as that library oxwire is. What may surprise: every library has classes of its own with the
same fields, and what one of them cannot do is left empty. pydantic is measured by itself, and on what orjson reads.
"""

import argparse
import dataclasses
import datetime
import random
import string
import sys
import uuid
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from importlib import import_module
from typing import Annotated, Any, TypedDict

from tables import markdown

import oxwire
from oxwire import _bench
from oxwire import json as ours

Calls = dict[str, Callable[[], object]]


def found(name: str) -> Any:
    """A library, or None if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None


msgspec, pydantic, attrs, orjson, cattrs = map(found, ("msgspec", "pydantic", "attrs", "orjson", "cattrs"))
mashumaro = found("mashumaro.codecs.orjson") if orjson else None
START = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
FIELDS = {
    "Address": [("street", str), ("state", str), ("zip", int)],
    "Person": [
        ("first", str),
        ("last", str),
        ("addresses", "list[Address] | None", None),
        ("telephone", list[str] | None, None),
        ("email", str | None, None),
    ],
}


def fields_of(name: str, address: Any) -> list[Any]:
    """The fields of one of the classes, with the class of addresses in its place."""
    return [(n, list[address] | None if isinstance(t, str) else t, *d) for n, t, *d in FIELDS[name]]


def structs(library: Any, **options: Any) -> Any:
    """The class of people, as Structs of a library."""
    address = library.defstruct("Address", fields_of("Address", None), **options)
    return library.defstruct("Person", fields_of("Person", address), **options)


def plain_classes() -> Any:
    address = dataclasses.make_dataclass("Address", fields_of("Address", None))
    return dataclasses.make_dataclass("Person", fields_of("Person", address))


def attrs_classes() -> Any:
    def make(name: str, fields: list[Any]) -> Any:
        made = {n: attrs.field(type=t, **({"default": d[0]} if d else {})) for n, t, *d in fields}
        return attrs.make_class(name, made)

    return make("Person", fields_of("Person", make("Address", fields_of("Address", None))))


def models() -> Any:
    def make(name: str, fields: list[Any]) -> Any:
        return pydantic.create_model(name, **{n: (t, d[0] if d else ...) for n, t, *d in fields})

    return make("Person", fields_of("Person", make("Address", fields_of("Address", None))))


def people(count: int) -> list[dict[str, Any]]:
    """People as plain values, the same each time."""
    seeded = random.Random(count)

    def word(least: int = 3, most: int = 12) -> str:
        return "".join(seeded.choices(string.ascii_letters, k=seeded.randint(least, most)))

    def person() -> dict[str, Any]:
        addresses = [
            {"street": f"{word()} {word()}", "state": word(2, 2), "zip": seeded.randint(10000, 99999)}
            for _ in range(seeded.randint(1, 2))
        ]
        telephone = [word(10, 10) for _ in range(seeded.randint(0, 2))]
        return {
            "first": word(),
            "last": word(),
            "addresses": addresses,
            "telephone": telephone or None,
            "email": f"{word()}@{word()}.com",
        }

    return [person() for _ in range(count)]


def of_people(count: int) -> dict[str, Calls]:
    """Reading and writing of one person, or of a list of them."""
    data = people(count)
    one = count == 1
    document = ours.encode(data[0] if one else data)
    rows: dict[str, Calls] = {}
    libraries = {"oxwire": oxwire} | ({"msgspec": msgspec} if msgspec else {})
    for shape, options in (("", {}), (", as arrays", {"array_like": True})):
        for form in ("json", "msgpack"):
            read: Calls = {}
            write: Calls = {}
            for name, library in libraries.items():
                cls = structs(library, **options)
                codec = import_module(f"{name}.{form}")
                kind = cls if one else list[cls]
                value = library.convert(data[0] if one else data, kind) if not options else None
                if value is None:
                    plain = structs(library)
                    whole = library.convert(data, list[plain])
                    address = cls.__annotations__["addresses"].__args__[0].__args__[0]
                    made = [
                        cls(
                            p.first,
                            p.last,
                            [address(a.street, a.state, a.zip) for a in p.addresses],
                            p.telephone,
                            p.email,
                        )
                        for p in whole
                    ]
                    value = made[0] if one else made
                encoder, decoder = codec.Encoder(), codec.Decoder(kind)
                write[name] = partial(encoder.encode, value)
                read[name] = partial(decoder.decode, encoder.encode(value))
            if form == "json" and not options:
                others_of_people(document, one, read, write)
            word = f"{'1 person' if one else f'{count} people'}, {form}{shape}"
            rows[f"{word}: decode"], rows[f"{word}: encode"] = read, write
    return rows


def others_of_people(document: bytes, one: bool, read: Calls, write: Calls) -> None:
    """Adds what reads and writes JSON by classes of another kind."""
    if pydantic:
        model = models()
        adapter = pydantic.TypeAdapter(model if one else list[model])
        value = adapter.validate_json(document)
        read["pydantic"] = partial(adapter.validate_json, document)
        write["pydantic"] = partial(adapter.dump_json, value)
        if orjson:
            read["orjson + pydantic"] = lambda: adapter.validate_python(orjson.loads(document))
            write["orjson + pydantic"] = lambda: orjson.dumps(adapter.dump_python(value))
    if cattrs and attrs and orjson:
        converter = import_module("cattrs.preconf.orjson").make_converter()
        cls = attrs_classes()
        kind = cls if one else list[cls]
        people_of_attrs = converter.loads(document, kind)
        read["cattrs"] = lambda: converter.loads(document, kind)
        write["cattrs"] = lambda: converter.dumps(people_of_attrs)
    if mashumaro:
        cls = plain_classes()
        kind = cls if one else list[cls]
        decoder, encoder = mashumaro.ORJSONDecoder(kind), mashumaro.ORJSONEncoder(kind)
        read["mashumaro"] = partial(decoder.decode, document)
        write["mashumaro"] = partial(encoder.encode, decoder.decode(document))


def of_kinds() -> dict[str, Calls]:
    """A tree of tagged classes, and the other sorts of classes."""
    rows: dict[str, Calls] = {}
    tree: Any = {"type": "Leaf", "value": 1}
    for _ in range(8):
        tree = {"type": "Node", "left": tree, "right": {"type": "Leaf", "value": 2.5}}
    document = ours.encode([tree] * 50)
    rows["tagged tree: decode"] = {}
    for name, library in {"oxwire": oxwire, "msgspec": msgspec}.items():
        if library is None:
            continue
        leaf = library.defstruct("Leaf", [("value", float)], tag=True)
        space: dict[str, Any] = {"Leaf": leaf}
        node = library.defstruct(
            "Node", [("left", "Node | Leaf"), ("right", "Node | Leaf")], tag=True, module=__name__
        )
        space["Node"] = node
        globals().update(space)
        decoder = import_module(f"{name}.json").Decoder(list[node | leaf])
        decoder.decode(document)
        rows["tagged tree: decode"][name] = partial(decoder.decode, document)
    data = ours.encode(people(1000))

    class Address(TypedDict):
        street: str
        state: str
        zip: int

    kinds = {"dataclasses": plain_classes()}
    if attrs:
        kinds["attrs"] = attrs_classes()
    person = TypedDict(  # type: ignore[misc]
        "person", {n: t for n, t, *_ in fields_of("Person", Address)}
    )
    kinds["TypedDict"] = person
    for word, kind in kinds.items():
        row: Calls = {"oxwire": partial(ours.Decoder(list[kind]).decode, data)}
        if msgspec:
            row["msgspec"] = partial(msgspec.json.Decoder(list[kind]).decode, data)
        if pydantic and word == "dataclasses":
            row["pydantic"] = partial(pydantic.TypeAdapter(list[kind]).validate_json, data)
        rows[f"1000 people, {word}: decode"] = row
    values: dict[str, list[Any]] = {
        "datetimes": [START + datetime.timedelta(seconds=977 * i, microseconds=i) for i in range(1000)],
        "UUIDs": [uuid.UUID(int=2**127 + 977 * i) for i in range(1000)],
        "decimals": [Decimal(977 * i) / 100 for i in range(1000)],
    }
    for word, items in values.items():
        kind, data = type(items[0]), ours.encode(items)
        row = {"oxwire": partial(ours.Decoder(list[kind]).decode, data)}
        if msgspec:
            row["msgspec"] = partial(msgspec.json.Decoder(list[kind]).decode, data)
        if pydantic:
            row["pydantic"] = partial(pydantic.TypeAdapter(list[kind]).validate_json, data)
        rows[f"1000 {word}: decode"] = row
    return rows


# By field: its type, what bounds it, and a function that comes before or after.
CHECKED: dict[str, dict[str, tuple[Any, dict[str, Any], str]]] = {
    "bounds": {
        "id": (int, {"ge": 1, "le": 1_000_000}, ""),
        "price": (float, {"gt": 0.0, "lt": 1000.0}, ""),
        "name": (str, {"min_length": 1, "max_length": 40}, ""),
        "sizes": (list[int], {"max_length": 8}, ""),
    },
    "patterns": {
        "code": (str, {"pattern": "^[A-Z]{2}[0-9]{6}$"}, ""),
        "email": (str, {"pattern": r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$"}, ""),
    },
    "validators after": {"name": (str, {}, "after"), "other": (str, {}, "after")},
    "validators before": {"name": (str, {}, "before"), "other": (str, {}, "before")},
}
CHECKED["a model with validators"] = {
    "id": (int, {"ge": 1, "le": 1_000_000}, ""),
    "price": (float, {"gt": 0.0, "lt": 1000.0}, ""),
    "name": (str, {"min_length": 1, "max_length": 40}, "before"),
    "code": (str, {"pattern": "^[A-Z]{2}[0-9]{6}$"}, ""),
    "email": (str, {"pattern": r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$"}, ""),
    "other": (str, {}, "after"),
    "sizes": (list[int], {"max_length": 8}, ""),
}


def checked_type(library: Any, t: Any, bounds: dict[str, Any], step: str) -> Any:
    """A type as a library says that it has bounds, and what comes before or after."""
    ours_too = library is not pydantic
    told: list[Any] = [(library.Meta if ours_too else pydantic.Field)(**bounds)] if bounds else []
    if step and ours_too:
        told.append(oxwire.Convert(str.strip, before=step == "before"))
    elif step:
        told.append({"before": pydantic.BeforeValidator, "after": pydantic.AfterValidator}[step](str.strip))
    return Annotated[(t, *told)] if told else t


def of_checks() -> dict[str, Calls]:
    """Objects of which more is asked than their types, and lists of values with bounds."""
    rows: dict[str, Calls] = {}
    seeded = random.Random(7)

    def value(name: str) -> Any:
        word = "".join(seeded.choices(string.ascii_lowercase, k=seeded.randint(4, 12)))
        return {
            "id": seeded.randint(1, 1_000_000),
            "price": seeded.randint(1, 99_999) / 100,
            "code": f"{seeded.choice('ABC')}X{seeded.randint(0, 999_999):06}",
            "email": f"{word}@example.org",
            "sizes": [seeded.randint(1, 99) for _ in range(3)],
        }.get(name, word)

    for word, fields in CHECKED.items():
        document = ours.encode([{name: value(name) for name in fields} for _ in range(1000)])
        calls: Calls = {}
        for name, library in {"oxwire": oxwire, "msgspec": msgspec, "pydantic": pydantic}.items():
            if library is None or (name == "msgspec" and any(step for _, _, step in fields.values())):
                continue
            types = {field: checked_type(library, *said) for field, said in fields.items()}
            if name == "pydantic":
                model = pydantic.create_model("Checked", **{field: (t, ...) for field, t in types.items()})
                calls[name] = partial(pydantic.TypeAdapter(list[model]).validate_json, document)
            else:
                cls = library.defstruct("Checked", list(types.items()))
                calls[name] = partial(import_module(f"{name}.json").Decoder(list[cls]).decode, document)
        rows[f"1000 objects, {word}: decode"] = calls
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description="Typed reading beside its peers.")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each row (default %(default)s)")
    seconds = parser.parse_args().seconds
    rows = of_people(1) | of_people(1000) | of_kinds() | of_checks()
    peers = list(dict.fromkeys(name for calls in rows.values() for name in calls if name != "oxwire"))
    table = []
    for word, calls in rows.items():
        timed = _bench.compare(calls, seconds)
        own = timed["oxwire"].p25
        cells = [f"{timed[p].p25 / own:.2f}" if p in timed else "" for p in peers]
        table.append([word, _bench.duration(own), *cells])
    print("## Typed reading\n\nHow many times as fast as each library oxwire is (more is faster).\n")
    print(markdown(["", "oxwire takes", *peers], table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
