# The same classes under another name that msgpack has for them.
from . import Packer, Unpacker, unpackb

__all__ = ["Packer", "Unpacker", "unpackb"]
