"""The same classes under the name that msgpack has for those in plain Python."""

from . import Packer, Unpacker, unpackb

__all__ = ["Packer", "Unpacker", "unpackb"]
