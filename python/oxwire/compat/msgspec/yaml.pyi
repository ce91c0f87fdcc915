# The face of msgspec.yaml.
from oxwire.yaml import decode as decode
from oxwire.yaml import encode as encode

__all__ = ["decode", "encode"]
