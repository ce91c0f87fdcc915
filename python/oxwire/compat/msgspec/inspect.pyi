# The face of msgspec.inspect.
from oxwire.inspect import *  # noqa: F403
from oxwire.inspect import __all__ as __all__
