"""oxwire: one serialization engine for Python."""

from . import json
from ._oxwire import DecodeError, EncodeError, Error, Raw, __version__

__all__ = ["DecodeError", "EncodeError", "Error", "Raw", "__version__", "json"]
