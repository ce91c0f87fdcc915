"""TOML 1.0 through tomllib and tomli-w, by type. The stub says what the functions do; `oxwire[toml]` installs tomli-w."""

import datetime
from typing import Any

from ._texts import MOMENTS, fault, needed, simple, typed

__all__ = ["decode", "encode"]

_MOMENTS = (*MOMENTS, datetime.time)


def encode(obj, *, enc_hook=None, order=None):
    table = simple(obj, enc_hook, order, builtin_types=_MOMENTS, str_keys=True)
    if not isinstance(table, dict):
        raise TypeError(f"A TOML document is a table, which an object of type {type(obj).__name__} is not")
    return needed("tomli_w", "toml").dumps(table).encode("utf-8")


def decode(buf, *, type=Any, strict=True, dec_hook=None):
    import tomllib

    try:
        obj = tomllib.loads(buf if isinstance(buf, str) else str(memoryview(buf), "utf-8"))
    except (ValueError, RecursionError) as error:
        raise fault(error, getattr(error, "lineno", None), getattr(error, "colno", None)) from None
    return typed(obj, type, strict, dec_hook, str_keys=True)
