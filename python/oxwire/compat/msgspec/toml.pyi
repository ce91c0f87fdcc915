# The face of msgspec.toml.
from oxwire.toml import decode as decode
from oxwire.toml import encode as encode

__all__ = ["decode", "encode"]
