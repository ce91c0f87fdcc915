"""Types described by objects, as `msgspec.inspect` has it."""

from oxwire import inspect as _own
from oxwire.inspect import *  # noqa: F403
from oxwire.inspect import __all__ as __all__


def type_info(type):
    return _own.type_info(type, codecs=False)


def multi_type_info(types):
    return _own.multi_type_info(types, codecs=False)
