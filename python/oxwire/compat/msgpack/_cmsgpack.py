"""The same classes under the name that msgpack has for those of its extension."""

from . import Packer, Unpacker, unpackb

__all__ = ["Packer", "Unpacker", "unpackb"]
