package oxwire.msgpack;

/** How values of one class are written. */
interface Handler {
    void write(Writer w, Object o);
}
