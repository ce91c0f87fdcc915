# The face of msgspec.msgpack.
from oxwire.msgpack import Ext

from .codecs import MsgpackDecoder as Decoder
from .codecs import MsgpackEncoder as Encoder
from .codecs import decode_msgpack as decode
from .codecs import encode_msgpack as encode

__all__ = ["Decoder", "Encoder", "Ext", "decode", "encode"]
