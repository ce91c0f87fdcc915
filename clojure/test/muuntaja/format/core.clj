(ns muuntaja.format.core
  "What oxwire.msgpack.muuntaja needs of muuntaja, which Maven Central does not have: the protocols and the record that
  its documentation says a format is made of. For tests only.")

(defprotocol Decode (decode [this data charset]))

(defprotocol EncodeToBytes (encode-to-bytes [this data charset]))

(defprotocol EncodeToOutputStream (encode-to-output-stream [this data charset]))

(defrecord Format [name encoder decoder return matches])
