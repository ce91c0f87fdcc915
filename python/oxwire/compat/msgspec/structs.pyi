# The face of msgspec.structs.
from oxwire.structs import *  # noqa: F403
from oxwire.structs import __all__ as __all__
