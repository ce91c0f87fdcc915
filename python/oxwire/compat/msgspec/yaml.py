"""YAML as `msgspec.yaml` has it."""

from datetime import date, datetime

from oxwire import yaml

from .codecs import text_format

__all__ = ["decode", "encode"]

encode, decode = text_format(yaml, datetime, date)
