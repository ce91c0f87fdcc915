package oxwire.msgpack;

import clojure.lang.IFn;
import clojure.lang.ITransientSet;
import clojure.lang.Keyword;
import clojure.lang.PersistentHashSet;
import clojure.lang.PersistentList;
import clojure.lang.Ratio;
import clojure.lang.Symbol;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Date;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The bodies of the ext codes that are ours, both ways, as vectors/ext-codes.md defines them.
 *
 * <p>Whatever is wrong in a body is a fault of the ext as a whole, at its first byte; {@link Reader} sees to that.
 */
final class Exts {
    private Exts() {}

    static final int KEYWORD = 32;
    static final int SYMBOL = 33;
    static final int SET = 34;
    static final int LIST = 35;
    static final int CHARACTER = 36;
    static final int RATIO = 37;
    static final int BIG_INTEGER = 38;
    static final int DECIMAL = 39;
    static final int UUID = 40;
    static final int RECORD = 41;
    static final int PATTERN = 42;
    static final int TYPED = 43;
    static final int DATE = 44;
    static final int MAP = 45;

    /** Longer numbers could keep a reader busy for long: what follows reading them takes more than linear time. */
    private static final int LONGEST_NUMBER = 8192;

    /** By code + 128, as which of ours a codec reads it, or 0: other libraries use other codes for the same bodies. */
    static byte[] readable(int[] pairs) {
        byte[] all = new byte[256];
        for (int i = 0; pairs != null && i < pairs.length; i += 2) {
            all[pairs[i] + 128] = (byte) pairs[i + 1];
        }
        return all;
    }

    /** Whether the body holds messages, which may hold more of its kind. */
    static boolean nests(int code) {
        return code == SET || code == LIST || code == RECORD || code == MAP;
    }

    static Fault body(String message) {
        // The reader knows where the ext begins.
        return new Fault("body", 0, message);
    }

    /** What an ext means; the body is all that the reader has left. */
    static Object read(Reader r, int code, int n) {
        switch (code) {
            case KEYWORD:
                return Keyword.intern(r.utf8(n));
            case SYMBOL:
                return Symbol.intern(r.utf8(n));
            case SET:
                return set(r);
            case LIST:
                return list(r);
            case CHARACTER:
                return character(r.utf8(n));
            case RATIO:
                return ratio(r, n);
            case BIG_INTEGER:
                return bigInteger(r, n);
            case DECIMAL:
                return decimal(r, n);
            case UUID:
                if (n != 16) {
                    throw body("a UUID has 16 bytes");
                }
                return new java.util.UUID(r.bits64(), r.bits64());
            case RECORD:
                return record(r);
            case PATTERN:
                return pattern(r);
            case TYPED:
                return typed(r, n);
            case DATE:
                if (n != 8) {
                    throw body("a date has 8 bytes");
                }
                return new Date(r.bits64());
            case MAP:
                return map(r);
            default:
                throw new IllegalStateException("code " + code);
        }
    }

    /** A set of values that somebody else read. */
    static Object set(Iterable<?> members) {
        ITransientSet made = (ITransientSet) PersistentHashSet.EMPTY.asTransient();
        Collisions collisions = new Collisions();
        for (Object one : members) {
            int before = made.count();
            made = (ITransientSet) made.conj(one);
            if (made.count() > before) {
                collisions.add(one, 0);
            }
        }
        return made.persistent();
    }

    private static Object set(Reader r) {
        int n = r.arrayHead();
        boolean before = r.inKey;
        r.inKey = true;
        ITransientSet members = (ITransientSet) PersistentHashSet.EMPTY.asTransient();
        Collisions collisions = null;
        for (int i = 0; i < n; i++) {
            Object one = r.value();
            members = (ITransientSet) members.conj(one);
            if (members.count() != i + 1) {
                throw body("a member stands twice in one set");
            }
            if (i >= Collisions.FEW) {
                collisions = collisions == null ? new Collisions() : collisions;
                collisions.add(one, r.position());
            }
        }
        r.leave();
        r.inKey = before;
        return members.persistent();
    }

    private static Object list(Reader r) {
        int n = r.arrayHead();
        java.util.ArrayList<Object> items = new java.util.ArrayList<>(Math.min(n, 1024));
        for (int i = 0; i < n; i++) {
            try {
                items.add(r.value());
            } catch (Fault fault) {
                throw fault.in((long) i);
            }
        }
        r.leave();
        return PersistentList.create(items);
    }

    private static Object character(String s) {
        int length = s.length();
        if (length == 0 || s.codePointCount(0, length) != 1) {
            throw body("a character is one character");
        }
        // Beyond U+FFFF no char can hold it.
        return length == 1 ? (Object) s.charAt(0) : s;
    }

    // Numbers.

    private static byte[] rest(Reader r, int n) {
        byte[] bytes = Arrays.copyOfRange(r.b, r.p, r.p + n);
        r.p += n;
        return bytes;
    }

    private static boolean isShortest(byte[] twos) {
        return twos.length == 1 || !(twos[0] == 0 && twos[1] >= 0 || twos[0] == -1 && twos[1] < 0);
    }

    private static Object bigInteger(Reader r, int n) {
        if (n == 0) {
            throw body("an integer has a byte at least");
        }
        byte[] twos = rest(r, n);
        BigInteger v = new BigInteger(twos);
        boolean small = v.bitLength() < 64 || v.signum() > 0 && v.bitLength() == 64;
        if (r.c.strict && (small || !isShortest(twos))) {
            throw body("the integer has a shorter form, which :strict demands");
        }
        return Reader.integer(v);
    }

    private static BigInteger whole(Object v) {
        if (v instanceof Long) {
            return BigInteger.valueOf((Long) v);
        } else if (v instanceof clojure.lang.BigInt) {
            return ((clojure.lang.BigInt) v).toBigInteger();
        }
        throw body("a part of the number is no integer");
    }

    /** An integer, of whatever size, in its shortest form. */
    private static Object plainInteger(Reader r) {
        r.need(1);
        int u = r.b[r.p] & 0xff;
        Object v;
        if (u == 0xc7 || u == 0xc8 || u >= 0xd4 && u <= 0xd8) {
            r.p++;
            int n = u == 0xc7 ? r.length8(0) : u == 0xc8 ? r.length16(0) : 1 << u - 0xd4;
            r.need(n + 1);
            if (r.b[r.p++] != BIG_INTEGER || n == 0) {
                throw body("a part of the number is no integer");
            }
            v = Reader.integer(new BigInteger(r.b, r.p, n));
            r.p += n;
        } else if (u < 0x80 || u >= 0xe0 || u >= 0xcc && u <= 0xd3) {
            v = r.value();
        } else {
            throw body("a part of the number is no integer");
        }
        return v;
    }

    private static Object ratio(Reader r, int n) {
        if (n > LONGEST_NUMBER) {
            throw body("a ratio has " + LONGEST_NUMBER + " bytes at most");
        }
        BigInteger numerator = whole(plainInteger(r));
        BigInteger denominator = whole(plainInteger(r));
        if (denominator.compareTo(BigInteger.ONE) <= 0 || !numerator.gcd(denominator).equals(BigInteger.ONE)) {
            throw body("a ratio is in lowest terms, and its denominator above 1");
        }
        return new Ratio(numerator, denominator);
    }

    static void writeRatio(Writer w, Ratio v) {
        int start = w.beginExt();
        writeWhole(w, v.numerator);
        writeWhole(w, v.denominator);
        bounded(w, start, v);
        w.endExt(start, RATIO);
    }

    private static void bounded(Writer w, int start, Object v) {
        if (w.p - start - 2 > LONGEST_NUMBER) {
            throw new Fault("range", "A number of more than " + LONGEST_NUMBER + " bytes", v.getClass());
        }
    }

    private static void writeWhole(Writer w, BigInteger v) {
        if (v.bitLength() < 64) {
            w.integer(v.longValue());
        } else if (v.signum() > 0 && v.bitLength() == 64) {
            w.uint64(v.longValue());
        } else {
            w.ext(BIG_INTEGER, v.toByteArray());
        }
    }

    private static Object decimal(Reader r, int n) {
        if (n > LONGEST_NUMBER) {
            throw body("a decimal has " + LONGEST_NUMBER + " bytes at most");
        }
        int stop = r.p + n;
        Object exponent = plainInteger(r);
        if (!(exponent instanceof Long) || (Long) exponent > Integer.MAX_VALUE || (Long) exponent < -Integer.MAX_VALUE) {
            throw body("the exponent is no integer of 32 bits");
        }
        if (r.p >= stop) {
            throw body("a decimal has a coefficient");
        }
        byte[] twos = rest(r, stop - r.p);
        if (r.c.strict && !isShortest(twos)) {
            throw body("the coefficient has a shorter form, which :strict demands");
        }
        return new BigDecimal(new BigInteger(twos), (int) -(Long) exponent);
    }

    static void writeDecimal(Writer w, BigDecimal v) {
        int start = w.beginExt();
        if (v.scale() == Integer.MIN_VALUE) {
            throw new Fault("range", "The exponent of a decimal is an integer of 32 bits", null);
        }
        w.integer(-(long) v.scale());
        byte[] twos = v.unscaledValue().toByteArray();
        w.put(twos, 0, twos.length);
        bounded(w, start, v);
        w.endExt(start, DECIMAL);
    }

    // Records, patterns, dates, maps in keys.

    private static Object record(Reader r) {
        boolean before = r.inKey;
        r.inKey = false;
        Object tag = r.value();
        if (!(tag instanceof String)) {
            throw body("a record begins with its name");
        }
        IFn make = r.c.recordReaders == null ? null : r.c.recordReaders.get(tag);
        if (make == null) {
            // The caller makes an Ext of it.
            r.p = r.end;
            r.inKey = before;
            return null;
        }
        if (!atMap(r)) {
            throw body("a record is a map behind its name");
        }
        Object fields = r.value();
        r.inKey = before;
        return make.invoke(fields);
    }

    /** Whether a map comes. */
    private static boolean atMap(Reader r) {
        r.need(1);
        int head = r.b[r.p] & 0xff;
        return head >= 0x80 && head < 0x90 || head == 0xde || head == 0xdf;
    }

    private static Object map(Reader r) {
        boolean before = r.inKey;
        if (!atMap(r)) {
            throw body("a map is a map");
        }
        r.inKey = false;
        Object map = r.value();
        r.inKey = before;
        return map;
    }

    private static final String FLAG_NAMES = "imsxud";
    private static final int[] FLAGS = {
        Pattern.CASE_INSENSITIVE, Pattern.MULTILINE, Pattern.DOTALL, Pattern.COMMENTS, Pattern.UNICODE_CASE, Pattern.UNIX_LINES,
    };

    private static Object pattern(Reader r) {
        Object text = r.value();
        Object letters = r.value();
        if (!(text instanceof String) || !(letters instanceof String)) {
            throw body("a pattern is two texts");
        }
        int flags = 0;
        for (char letter : ((String) letters).toCharArray()) {
            int i = FLAG_NAMES.indexOf(letter);
            if (i < 0) {
                throw body("no such flag of a pattern: " + letter);
            }
            flags |= FLAGS[i];
        }
        try {
            return Pattern.compile((String) text, flags);
        } catch (PatternSyntaxException wrong) {
            throw body("the pattern has no meaning here (" + wrong.getDescription() + ")");
        } catch (StackOverflowError deep) {
            throw body("the pattern nests too deep");
        }
    }

    static void writePattern(Writer w, Pattern v) {
        StringBuilder letters = new StringBuilder();
        int left = v.flags();
        for (int i = 0; i < FLAGS.length; i++) {
            if ((left & FLAGS[i]) != 0) {
                letters.append(FLAG_NAMES.charAt(i));
                left &= ~FLAGS[i];
            }
        }
        if (left != 0) {
            throw new Fault("unsupported", "A pattern with flags beyond " + FLAG_NAMES, v.pattern());
        }
        int start = w.beginExt();
        w.text(v.pattern());
        w.text(letters.toString());
        w.endExt(start, PATTERN);
    }

    static void writeDate(Writer w, long millis) {
        byte[] body = new byte[8];
        Bits.I64.set(body, 0, millis);
        w.ext(DATE, body);
    }

    // Typed arrays.

    /** How an array of Java's is spelled, or null. */
    static String typeOf(Class<?> type) {
        return type == int[].class ? "<i4" : type == long[].class ? "<i8" : type == double[].class ? "<f8"
            : type == float[].class ? "<f4" : type == short[].class ? "<i2" : type == boolean[].class ? "|b1" : null;
    }

    static void writeArray(Writer w, Object array) {
        int n = java.lang.reflect.Array.getLength(array);
        String type = typeOf(array.getClass());
        long size = TypedArray.width(type) * n;
        if (size > Integer.MAX_VALUE - 64) {
            throw new Fault("too-large", "A message has less than 2 GiB", null);
        }
        typedHead(w, type, new long[] {n}, (int) size);
        w.need((int) size);
        ByteBuffer to = ByteBuffer.wrap(w.b, w.p, (int) size).order(ByteOrder.LITTLE_ENDIAN);
        if (array instanceof int[]) {
            to.asIntBuffer().put((int[]) array);
        } else if (array instanceof long[]) {
            to.asLongBuffer().put((long[]) array);
        } else if (array instanceof double[]) {
            to.asDoubleBuffer().put((double[]) array);
        } else if (array instanceof float[]) {
            to.asFloatBuffer().put((float[]) array);
        } else if (array instanceof short[]) {
            to.asShortBuffer().put((short[]) array);
        } else {
            for (boolean one : (boolean[]) array) {
                to.put((byte) (one ? 1 : 0));
            }
        }
        w.p += (int) size;
    }

    static void writeTyped(Writer w, TypedArray v) {
        byte[] items = v.shared();
        typedHead(w, v.type(), v.sharedDims(), items.length);
        w.put(items, 0, items.length);
    }

    private static void typedHead(Writer w, String type, long[] dims, int size) {
        byte[] name = type.getBytes(StandardCharsets.US_ASCII);
        w.extHead(TYPED, 2 + name.length + 8 * dims.length + size);
        w.put(name.length);
        w.put(name, 0, name.length);
        w.put(dims.length);
        for (long dim : dims) {
            w.need(8);
            Bits.I64.set(w.b, w.p, dim);
            w.p += 8;
        }
    }

    private static Object typed(Reader r, int n) {
        int stop = r.p + n;
        String type = new String(r.b, r.p + 1, ahead(r, u8At(r, stop), stop), StandardCharsets.ISO_8859_1);
        r.p += 1 + type.length();
        int count = u8At(r, stop);
        r.p++;
        ahead(r, 8 * count - 1, stop);
        long[] dims = new long[count];
        // In 64 bits a product may wrap around to the right size, so it stops growing once it is too large.
        long size = TypedArray.width(type);
        if (size == 0) {
            throw body("there is no such type of a typed array");
        }
        boolean large = false;
        for (int i = 0; i < count; i++) {
            dims[i] = r.bits64();
            if (dims[i] == 0) {
                size = 0;
            } else if (size != 0 && (dims[i] < 0 || dims[i] > stop / size)) {
                large = true;
            } else {
                size *= dims[i];
            }
        }
        if (size != 0 && large || size != stop - r.p) {
            throw body("type, dimensions and items of a typed array do not agree");
        }
        byte[] items = rest(r, (int) size);
        Object array = dims.length == 1 && !r.inKey ? array(type, items) : null;
        return array != null ? array : new TypedArray(type, dims, items, false);
    }

    private static int u8At(Reader r, int stop) {
        if (r.p >= stop) {
            throw body("it is cut");
        }
        return r.b[r.p] & 0xff;
    }

    /** That so many bytes are left behind the next one. */
    private static int ahead(Reader r, int n, int stop) {
        if (stop - r.p - 1 < n) {
            throw body("a typed array is cut");
        }
        return n;
    }

    private static Object array(String type, byte[] items) {
        ByteBuffer from = ByteBuffer.wrap(items).order(ByteOrder.LITTLE_ENDIAN);
        switch (type) {
            case "<i4": {
                int[] made = new int[items.length / 4];
                from.asIntBuffer().get(made);
                return made;
            }
            case "<i8": {
                long[] made = new long[items.length / 8];
                from.asLongBuffer().get(made);
                return made;
            }
            case "<f8": {
                double[] made = new double[items.length / 8];
                from.asDoubleBuffer().get(made);
                return made;
            }
            case "<f4": {
                float[] made = new float[items.length / 4];
                from.asFloatBuffer().get(made);
                return made;
            }
            case "<i2": {
                short[] made = new short[items.length / 2];
                from.asShortBuffer().get(made);
                return made;
            }
            case "|b1": {
                boolean[] made = new boolean[items.length];
                for (int i = 0; i < made.length; i++) {
                    if (items[i] != 0 && items[i] != 1) {
                        return null;
                    }
                    made[i] = items[i] == 1;
                }
                return made;
            }
            default:
                return null;
        }
    }
}
