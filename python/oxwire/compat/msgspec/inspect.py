"""Types described by objects, as `msgspec.inspect` has it."""

from oxwire.inspect import *  # noqa: F403
from oxwire.inspect import __all__ as __all__
from oxwire.inspect import multi_type_info as _infos

from .codecs import narrow as _narrow


def multi_type_info(types):
    types = tuple(types)
    _narrow(*types)
    return _infos(types)


def type_info(type):
    return multi_type_info([type])[0]
