"""Types described by objects, as `msgspec.inspect` has it."""

from oxwire.inspect import *  # noqa: F403
from oxwire.inspect import __all__ as __all__
