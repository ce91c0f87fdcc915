"""`python -m oxwire validate` and `schema`: documents before a type or a JSON Schema, and types as JSON Schemas.

What is wrong is told once for each path and message, with how often and where first, so that ten thousand lines with one
fault are one row. What may surprise: a type is named by its module, which is imported, and so runs.
"""

import argparse
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from . import DecodeError, ValidationError, to_builtins
from . import json as _json
from . import msgpack as _msgpack
from ._convert import format_of
from ._pydantic import faults
from ._shell import Failure, escaping, open_in, place_of, reporting

_SHOWN = 3  # places of one fault that are named


def type_of(text: str) -> Any:
    """What `module:Type` or `file.py:Type` names."""
    module, colon, name = text.rpartition(":")
    if not colon or not module or not name:
        raise Failure(f"{text}: a type is named as module:Type, or as file.py:Type")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        if module.endswith(".py"):
            stem = os.path.basename(module)[:-3]
            spec: Any = importlib.util.spec_from_file_location(stem, module)
            found = sys.modules[stem] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(found)
        else:
            found = importlib.import_module(module)
    except (ImportError, OSError) as error:
        raise Failure(f"{text}: {error}") from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise Failure(f"{text}: there is no {part!r} in {getattr(found, '__name__', module)}")
        found = getattr(found, part)
    return found


def _by_type(format: Any, t: Any) -> Callable[[Any], list[tuple[str, str]]]:
    decoder = format.Decoder(t, errors="all")

    def check(data: Any) -> list[tuple[str, str]]:
        try:
            decoder.decode(data)
        except ValidationError as error:
            return faults(error)
        return []

    return check


def _by_schema(format: Any, schema: Any) -> Callable[[Any], list[tuple[str, str]]]:
    try:
        from jsonschema.exceptions import SchemaError
        from jsonschema.validators import Draft202012Validator, validator_for
        from referencing import Registry
        from referencing.exceptions import Unresolvable
    except ImportError:
        raise Failure("--schema needs the package jsonschema: pip install 'oxwire[schema]'") from None
    dialect = validator_for(schema, default=Draft202012Validator)
    try:
        dialect.check_schema(schema)
    except SchemaError as error:
        raise Failure(f"this is no JSON Schema: {error.message} - at {error.json_path}") from None
    # Other documents that a schema refers to are not fetched.
    validator = dialect(schema, registry=Registry())

    def check(data: Any) -> list[tuple[str, str]]:
        # A schema speaks of what JSON can say.
        value = to_builtins(format.decode(data), str_keys=True)
        try:
            return [(error.json_path, error.message) for error in validator.iter_errors(value)]
        except Unresolvable as error:
            raise Failure(f"the schema refers to what is not there: {error}") from error
        except RecursionError:
            raise Failure("the schema cannot be followed: it leads too deep") from None

    return check


def _documents(name: str, kind: str) -> Iterator[tuple[str, Any]]:
    # The documents of a file as they are spelled, and what each is called; nothing if it is the only one.
    with reporting(name), open_in(name) as opened:
        if kind == "json":
            yield "", opened.read()
        elif kind == "ndjson":
            for number, line in enumerate(opened, 1):
                if line.strip():
                    yield f"line {number}", line
        else:
            messages = _msgpack.iter_messages(opened, raw=True)
            for number, message in enumerate(messages, 1):
                yield f"message {number}", bytes(message)


def _checked(name: str, kind: str, check: Callable[[Any], list[tuple[str, str]]]) -> bool:
    # Whether all of a file is valid. Prints what was found.
    found: dict[tuple[str, str], list[str]] = {}
    count = bad = 0
    for called, data in _documents(name, kind):
        count += 1
        try:
            told = check(data)
        except DecodeError as error:
            place = f"column {error.column}" if kind == "ndjson" else place_of(error)
            told = [("$", f"{error.msg} ({place})")]
        bad += bool(told)
        for path, message in told:
            places = found.setdefault((re.sub(r"\[\d+\]", "[*]", path), message), [])
            places.append(" ".join(filter(None, (called, path if "[" in path else ""))))
    of = "" if count == 1 else f" in {bad} of {count} documents"
    total = sum(map(len, found.values()))
    said = (
        f"{total} error{'s' * (total != 1)}{of}"
        if total
        else f"valid{f' ({count} documents)' * (count != 1)}"
    )
    print(f"{name}: {said}")
    last = None
    for (path, message), places in sorted(found.items(), key=lambda one: one[0][0]):
        if path != last:
            print(f"  {path}")
        last = path
        shown = ", ".join(filter(None, places[:_SHOWN])) + (", ..." if len(places) > _SHOWN else "")
        often = f"{len(places)} times: " if len(places) > 1 and shown else ""
        line = f"    {message}" + (f"  ({often}{shown})" if shown else "")
        print(line.replace("\n", " "))
    return not found


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run `validate` with the options that the parser took."""
    escaping()
    by: Any = _by_schema if options.type is None else _by_type
    if options.type is not None:
        wanted = type_of(options.type)
    else:
        with reporting(options.schema), open_in(options.schema) as opened:
            wanted = _json.decode(opened.read())
    good = True
    for file in options.files:
        kind = format_of(file, options.source, "--from", parser)
        format = _msgpack if kind == "msgpack" else _json
        try:
            check = by(format, wanted)
        except (TypeError, NameError) as error:
            raise Failure(f"{options.type}: {error}") from error
        good &= _checked(file, kind, check)
    return 0 if good else 1


def run_schema(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run `schema` with the options that the parser took."""
    types = [type_of(text) for text in options.types]
    if not options.openapi and len(types) > 1:
        parser.error("several types go into one document with --openapi only")
    try:
        if options.openapi:
            template = "#/components/schemas/{name}"
            _, components = _json.schema_components(types, mode=options.mode, ref_template=template)
            found: dict[str, Any] = {"components": {"schemas": components}}
        else:
            found = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
            found |= _json.schema(types[0], mode=options.mode, inline_root=options.inline_root)
    except (TypeError, NameError) as error:
        raise Failure(f"{', '.join(options.types)}: {str(error) or 'no type'}") from error
    sys.stdout.buffer.write(_json.encode(found, indent=2, newline=True))
    return 0
