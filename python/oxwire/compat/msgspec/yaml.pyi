# The face of msgspec.yaml.
from oxwire.yaml import decode, encode

__all__ = ["decode", "encode"]
