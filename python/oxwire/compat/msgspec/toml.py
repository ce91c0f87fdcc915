"""TOML as `msgspec.toml` has it."""

from datetime import date, datetime, time

from oxwire import toml

from .codecs import text_format

__all__ = ["decode", "encode"]

encode, decode = text_format(toml, datetime, date, time, str_keys=True)
