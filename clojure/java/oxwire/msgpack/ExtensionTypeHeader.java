package oxwire.msgpack;

/** Code and length of an ext, for extensions written for msgpack-clj: they ask it as they asked msgpack-java's. */
public final class ExtensionTypeHeader {
    private final byte type;
    private final int length;

    ExtensionTypeHeader(int type, int length) {
        this.type = (byte) type;
        this.length = length;
    }

    public byte getType() {
        return type;
    }

    public boolean isTimestampType() {
        return type == -1;
    }

    public int getLength() {
        return length;
    }
}
