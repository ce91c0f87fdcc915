"""oxwire: one serialization engine for Python."""

from . import json
from ._oxwire import DecodeError, EncodeError, Error, Raw, __version__

__all__ = ["DecodeError", "EncodeError", "Error", "Raw", "__version__", "json"]

# Where an installed package has the modules of its command line (docs/decisions/0013-archive.md).
__path__.append(f"{__path__[0]}/_commands.zip")
