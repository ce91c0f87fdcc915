"""YAML 1.1 through PyYAML, by type. The stub says what the functions do; `oxwire[yaml]` installs what they need."""

from typing import Any

from ._texts import MOMENTS, fault, needed, simple, typed

__all__ = ["decode", "encode"]


def encode(obj, *, enc_hook=None, order=None):
    yaml = needed("yaml", "yaml")
    return yaml.dump(
        simple(obj, enc_hook, order, builtin_types=MOMENTS),
        Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper),
        encoding="utf-8",
        allow_unicode=True,
        sort_keys=False,
    )


def decode(buf, *, type=Any, strict=True, dec_hook=None):
    yaml = needed("yaml", "yaml")
    if not isinstance(buf, (str, bytes)):
        buf = bytes(memoryview(buf))
    try:
        obj = yaml.load(buf, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except MemoryError:
        raise
    except Exception as error:
        # Beside its own errors there are those of what it calls, for a date that is none or a number too long.
        mark = getattr(error, "problem_mark", None)
        raise fault(error, mark and mark.line + 1, mark and mark.column + 1) from None
    return typed(obj, type, strict, dec_hook)
