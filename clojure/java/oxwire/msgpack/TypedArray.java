package oxwire.msgpack;

import java.math.BigInteger;
import java.util.Arrays;

/**
 * A typed array (ext 43) that no array of Java can hold: of several dimensions, of numbers without sign, of moments ...
 *
 * <p>The type is spelled as in NumPy's array interface ({@code <u4}); the items are bytes, little-endian, in C order.
 * What types there are and how wide is said in vectors/ext-codes.md, beside the vectors.
 */
public final class TypedArray {
    private final String type;
    private final long[] dims;
    private final byte[] items;

    public TypedArray(String type, long[] dims, byte[] items) {
        this(type, dims.clone(), items.clone(), false);
        BigInteger size = BigInteger.valueOf(width(type));
        for (long dim : dims) {
            size = size.multiply(BigInteger.valueOf(dim));
        }
        if (size.signum() < 0 || dims.length > 255 || width(type) == 0 || !size.equals(BigInteger.valueOf(items.length))) {
            throw new IllegalArgumentException("Type, dimensions and items of a typed array do not agree");
        }
    }

    TypedArray(String type, long[] dims, byte[] items, boolean ignored) {
        this.type = type;
        this.dims = dims;
        this.items = items;
    }

    public String type() {
        return type;
    }

    public long[] dims() {
        return dims.clone();
    }

    public byte[] items() {
        return items.clone();
    }

    byte[] shared() {
        return items;
    }

    long[] sharedDims() {
        return dims;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof TypedArray)) {
            return false;
        }
        TypedArray that = (TypedArray) other;
        return type.equals(that.type) && Arrays.equals(dims, that.dims) && Arrays.equals(items, that.items);
    }

    @Override
    public int hashCode() {
        return type.hashCode() + 31 * (Arrays.hashCode(dims) + 31 * Arrays.hashCode(items));
    }

    @Override
    public String toString() {
        return "#<TypedArray " + type + " " + Arrays.toString(dims) + ">";
    }

    /** How many bytes an item of this type has; 0 if there is no such type. */
    static long width(String type) {
        int n = type.length();
        if (n < 3 || n > 40) {
            return 0;
        }
        char order = type.charAt(0);
        char kind = type.charAt(1);
        String rest = type.substring(2);
        if (kind == 'M' || kind == 'm') {
            boolean named = rest.matches("8\\[\\w+\\]");
            return order == '<' && named ? 8 : 0;
        }
        if (!rest.matches("[1-9][0-9]{0,9}")) {
            return 0;
        }
        long size = Long.parseLong(rest);
        switch (kind) {
            case 'b':
                return order == '|' && size == 1 ? 1 : 0;
            case 'i':
            case 'u':
                if (size == 1) {
                    return order == '|' ? 1 : 0;
                }
                return order == '<' && (size == 2 || size == 4 || size == 8) ? size : 0;
            case 'f':
                return order == '<' && (size == 2 || size == 4 || size == 8) ? size : 0;
            case 'c':
                return order == '<' && (size == 8 || size == 16) ? size : 0;
            case 'S':
                return order == '|' ? size : 0;
            case 'U':
                return order == '<' ? 4 * size : 0;
            default:
                return 0;
        }
    }
}
