{msgpack/ext oxwire.msgpack/read-ext}
