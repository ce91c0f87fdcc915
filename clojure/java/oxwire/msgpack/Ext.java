package oxwire.msgpack;

import clojure.lang.ILookup;
import clojure.lang.Keyword;
import java.util.Arrays;

/**
 * A value of an application type that nobody here gave a meaning: its code and its bytes.
 *
 * <p>A class and not a record, since a record would compare its array by identity. The bytes are copied on the way in
 * and on the way out, so that an Ext can be a key.
 */
public final class Ext implements ILookup {
    private static final Keyword CODE = Keyword.intern("code");
    private static final Keyword TYPE = Keyword.intern("type");
    private static final Keyword DATA = Keyword.intern("data");

    private final int code;
    private final byte[] data;
    private int hash;

    /** {@code code} from -128 to 127. */
    public Ext(long code, byte[] data) {
        this((int) code, data.clone(), false);
        if (code < -128 || code > 127) {
            throw new IllegalArgumentException("The code of an ext is from -128 to 127, not " + code);
        }
    }

    Ext(int code, byte[] owned, boolean ignored) {
        this.code = code;
        this.data = owned;
    }

    public int code() {
        return code;
    }

    public byte[] data() {
        return data.clone();
    }

    byte[] shared() {
        return data;
    }

    /** {@code (:code e)}, or as others call it {@code (:type e)}; {@code (:data e)}. */
    @Override
    public Object valAt(Object key, Object otherwise) {
        return key == CODE || key == TYPE ? (Object) (long) code : key == DATA ? data() : otherwise;
    }

    @Override
    public Object valAt(Object key) {
        return valAt(key, null);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Ext && ((Ext) other).code == code && Arrays.equals(((Ext) other).data, data);
    }

    @Override
    public int hashCode() {
        int h = hash;
        if (h == 0) {
            hash = h = 31 * Arrays.hashCode(data) + code;
        }
        return h;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("#msgpack/ext [").append(code).append(" \"");
        for (byte b : data) {
            text.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
        }
        return text.append("\"]").toString();
    }
}
