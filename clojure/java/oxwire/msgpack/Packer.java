package oxwire.msgpack;

import java.math.BigInteger;
import java.time.Instant;

/**
 * What an extension of msgpack-clj's protocol writes with: the methods that it knows from msgpack-java's MessagePacker,
 * on our buffer. As there, whoever writes a head must write what it announces.
 */
public final class Packer {
    private final Writer w;

    Packer(Writer w) {
        this.w = w;
    }

    /** Any value, as the codec writes it. (Ours; msgpack-java has no such thing.) */
    public Packer packValue(Object o) {
        w.instead(o);
        return this;
    }

    /** A whole ext whose body is the message of a value. (Ours, likewise.) */
    public Packer packExtension(byte type, Object o) {
        w.payload(type, o);
        return this;
    }

    public Packer packNil() {
        w.put(0xc0);
        return this;
    }

    public Packer packBoolean(boolean v) {
        w.put(v ? 0xc3 : 0xc2);
        return this;
    }

    public Packer packByte(byte v) {
        w.integer(v);
        return this;
    }

    public Packer packShort(short v) {
        w.integer(v);
        return this;
    }

    public Packer packInt(int v) {
        w.integer(v);
        return this;
    }

    public Packer packLong(long v) {
        w.integer(v);
        return this;
    }

    public Packer packBigInteger(BigInteger v) {
        Types.bigInteger(w, v);
        return this;
    }

    public Packer packFloat(float v) {
        w.single(v);
        return this;
    }

    public Packer packDouble(double v) {
        w.float64(v);
        return this;
    }

    public Packer packString(String v) {
        w.text(v);
        return this;
    }

    public Packer packTimestamp(Instant v) {
        w.timestamp(v.getEpochSecond(), v.getNano());
        return this;
    }

    public Packer packArrayHeader(int n) {
        w.head(false, n);
        return this;
    }

    public Packer packMapHeader(int n) {
        w.head(true, n);
        return this;
    }

    public Packer packExtensionTypeHeader(byte type, int n) {
        w.extHead(type, n);
        return this;
    }

    public Packer packBinaryHeader(int n) {
        w.binaryHead(n);
        return this;
    }

    public Packer packRawStringHeader(int n) {
        w.textHead(n);
        return this;
    }

    public Packer writePayload(byte[] bytes) {
        w.put(bytes, 0, bytes.length);
        return this;
    }

    public Packer writePayload(byte[] bytes, int from, int n) {
        w.put(bytes, from, n);
        return this;
    }

    public Packer addPayload(byte[] bytes) {
        return writePayload(bytes);
    }

}
