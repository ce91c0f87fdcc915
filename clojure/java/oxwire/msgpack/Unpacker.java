package oxwire.msgpack;

import java.math.BigInteger;

/**
 * What an extension of msgpack-clj's protocol reads with: the methods that it knows from msgpack-java's
 * MessageUnpacker, on the body of its ext. It must take all of the body and can take nothing else.
 */
public final class Unpacker {
    private final Reader r;
    private final int stop;

    Unpacker(Reader r, int stop) {
        this.r = r;
        this.stop = stop;
    }

    private Object next() {
        int endBefore = r.end;
        r.end = stop;
        Object v = r.value();
        r.end = endBefore;
        return v;
    }

    private <T> T next(Class<T> type) {
        Object v = next();
        if (!type.isInstance(v)) {
            throw Exts.body("the body of an ext holds no " + type.getSimpleName());
        }
        return type.cast(v);
    }

    /** Any value, as the codec reads it. (Ours; msgpack-java has no such thing.) */
    public Object unpackValue() {
        return next();
    }

    public boolean hasNext() {
        return r.p < stop;
    }

    public void unpackNil() {
        if (next() != null) {
            throw Exts.body("the body of an ext holds no nil");
        }
    }

    public boolean unpackBoolean() {
        return next(Boolean.class);
    }

    public int unpackInt() {
        return Math.toIntExact(unpackLong());
    }

    public long unpackLong() {
        return next(Long.class);
    }

    public BigInteger unpackBigInteger() {
        Object v = next();
        return v instanceof clojure.lang.BigInt ? ((clojure.lang.BigInt) v).toBigInteger() : BigInteger.valueOf((Long) v);
    }

    public float unpackFloat() {
        return (float) unpackDouble();
    }

    public double unpackDouble() {
        return next(Double.class);
    }

    public String unpackString() {
        return next(String.class);
    }

    public int unpackArrayHeader() {
        int n = r.arrayHead();
        r.leave();
        return n;
    }

    /** The next bytes, as they are. */
    public byte[] readPayload(int n) {
        if (n < 0 || n > stop - r.p) {
            throw Exts.body("the body of an ext is shorter than what is asked of it");
        }
        byte[] bytes = java.util.Arrays.copyOfRange(r.b, r.p, r.p + n);
        r.p += n;
        return bytes;
    }

    public void readPayload(byte[] into) {
        byte[] bytes = readPayload(into.length);
        System.arraycopy(bytes, 0, into, 0, bytes.length);
    }
}
