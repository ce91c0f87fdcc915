"""What `yaml` and `toml` share: objects through `to_builtins` and `convert`, and faults of other parsers as ours."""

import datetime

from ._oxwire import DecodeError

MOMENTS = (datetime.datetime, datetime.date)


def simple(obj, enc_hook, order, **options):
    """What the writers of texts know how to write."""
    from . import to_builtins

    return to_builtins(obj, enc_hook=enc_hook, order=order, **options)


def typed(obj, type, strict, dec_hook, **options):
    """What a reader has made, as a type."""
    from . import convert

    return convert(obj, type, strict=strict, dec_hook=dec_hook, **options)


def needed(name, extra):
    """A package that an extra of this one brings along."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise ImportError(
            f"`oxwire.{extra}` needs a package that `oxwire[{extra}]` installs: {name}"
        ) from None


def fault(error, line=None, column=None):
    """A reader's complaint as a DecodeError."""
    found = DecodeError(str(error))
    found.msg, found.offset, found.line, found.column = str(error), None, line, column
    return found
