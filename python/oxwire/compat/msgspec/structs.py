"""What can be done with instances, as `msgspec.structs` has it."""

from oxwire.structs import *  # noqa: F403
from oxwire.structs import __all__ as __all__
