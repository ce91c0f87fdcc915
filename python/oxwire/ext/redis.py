"""A serializer for Redis in the native format."""

from oxwire.native import Decoder, Encoder


class Serializer:
    def __init__(self, options=None, *, registry=None):
        self._encode, self._decode = Encoder(registry=registry).encode, Decoder(registry=registry).decode

    def dumps(self, value, /):
        if type(value) is int and -(2**63) <= value < 2**63:
            return b"%d" % value
        return self._encode(value)

    def loads(self, data, /):
        return int(data) if b"-" <= data[:1] <= b"9" else self._decode(data)
