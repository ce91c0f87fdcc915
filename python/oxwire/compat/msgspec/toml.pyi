# The face of msgspec.toml.
from oxwire.toml import decode, encode

__all__ = ["decode", "encode"]
