(ns oxwire.msgpack.extension
  "The protocol of extensions that msgpack-clj has, for programs that come from there. What is new is better written as
  data: see `:extensions` in oxwire.msgpack.

  The packer is an `oxwire.msgpack.Packer` and the unpacker an `oxwire.msgpack.Unpacker`: they have the methods that
  such extensions call on msgpack-java's, and `packValue` and `unpackValue` for any value.")

(defprotocol MsgpackExtension
  (can-pack? [this value]
    "Whether this extension writes `value`. Asked for all that is not nil, a boolean, a string, an integer of Java's, a
    float, a vector or a plain map.")
  (can-unpack? [this type-byte]
    "Whether this extension reads exts of this code (-128 to 127). Asked once for each code when the codec is made.")
  (pack [this packer value opts]
    "Writes the whole ext: `(.packExtensionTypeHeader packer code length)`, then so many bytes.")
  (unpack [this unpacker header opts]
    "Reads the whole body, `(.getLength header)` bytes, and gives the value."))
