package oxwire.msgpack;

import clojure.lang.BigInt;
import clojure.lang.IFn;
import clojure.lang.ITransientCollection;
import clojure.lang.ITransientMap;
import clojure.lang.Keyword;
import clojure.lang.PersistentArrayMap;
import clojure.lang.PersistentHashMap;
import clojure.lang.PersistentVector;
import clojure.lang.Util;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;

/**
 * Bytes into values, as vectors/README.md says: from an array, or from a stream through an array that is refilled.
 *
 * <p>Nothing is believed: a count is compared with the bytes that are there before anything is made for it, and where
 * that cannot be known (a stream) what is made grows with what has come. Keys that are short texts come from a table
 * by their bytes, without being decoded again; each remembers which followed it last, since maps tend to repeat. The
 * table is shared by all threads, which race in it: entries are immutable but for that guess and what is derived from them.
 *
 * <p>After a fault a reader is of no use.
 */
public final class Reader {
    /** Maps up to here keep their order: Clojure finds a key in a few places as fast by looking at each. */
    private static final int ARRAY_MAP = 16;
    private static final int STEP = 1 << 16;
    /** Where a byte was to be: a marker that needs a second look, for which there may be no byte. */
    private static final int OTHER = -128;
    private static final int NIL = (byte) 0xc0;
    private static final int FALSE = (byte) 0xc2;
    private static final int TRUE = (byte) 0xc3;

    byte[] b;
    int p;
    int end;
    final Codec c;
    /** Whether what is read is a key or in one: maps are refused there, and bytes come as what can be compared. */
    boolean inKey;
    private final Codec.Table table;
    private final boolean keywordKeys;
    /** Whether keys, and text, are nothing but text: no option has anything to do with them. */
    private final boolean plainKeys;
    private final boolean plainText;
    private int depth;
    /** Null if all that there is lies in the array. */
    private InputStream in;
    /** Whether no byte may be taken from the stream that does not belong to the value for certain. */
    private final boolean exact;
    /** Where in the input the array begins. */
    private long base;
    private Key last = HEAD;
    /** The mark of the key that was read last, or 0 if it did not come from the table. */
    private long mark;
    private ArrayList<Object> cachedKeys;

    /** A reader of part of an array, which is not changed. */
    public Reader(byte[] bytes, int from, int to, Codec codec) {
        b = bytes;
        p = from;
        end = to;
        base = -(long) from;
        c = codec;
        table = codec.table();
        keywordKeys = codec.keywordKeys;
        plainKeys = codec.plainKeys;
        plainText = codec.plainText;
        exact = false;
    }

    /** A reader of part of an array that lies somewhere in a longer input. */
    Reader(byte[] bytes, int from, int to, long base, Codec codec) {
        this(bytes, from, to, codec);
        this.base = base;
    }

    /** A reader of a stream: one that takes what it needs, or one that owns the stream and reads ahead. */
    public Reader(InputStream stream, boolean exact, Codec codec) {
        b = new byte[exact ? 512 : 8192];
        in = stream;
        c = codec;
        table = codec.table();
        keywordKeys = codec.keywordKeys;
        plainKeys = codec.plainKeys;
        plainText = codec.plainText;
        this.exact = exact;
    }

    /** All of an array as one value. */
    public static Object unpack(byte[] bytes, int from, int to, Codec codec) {
        Reader r = new Reader(bytes, from, to, codec);
        Object v = r.message();
        if (r.p != to && !codec.trailing) {
            throw new Fault("trailing", r.position(), "Something follows the message");
        }
        return v;
    }

    /** The next value. */
    public Object message() {
        try {
            if (c.cachedKeys) {
                cachedKeys = new ArrayList<>();
            }
            return value();
        } catch (StackOverflowError deep) {
            throw new Fault("depth", position(), "The stack of this thread is too small for what nests here", null, deep);
        }
    }

    /** The next value, or {@code eof} if the input ends before it begins. */
    public Object message(Object eof) throws IOException {
        if (p == end && (in == null || !more())) {
            return eof;
        }
        return message();
    }

    /** How many bytes have been read. */
    public long position() {
        return base + p;
    }

    /** Where in its array an array reader is. */
    public int index() {
        return p;
    }

    // The input.

    private boolean more() throws IOException {
        base += p;
        p = 0;
        end = 0;
        int n = in.read(b, 0, exact ? 1 : b.length);
        end = Math.max(0, n);
        return n > 0;
    }

    private Fault eof() {
        return new Fault("eof", base + end, "The input ends inside a value");
    }

    void need(int n) {
        if (end - p < n) {
            fill(n);
        }
    }

    private void fill(int n) {
        if (in == null) {
            throw eof();
        }
        try {
            if (p > 0) {
                System.arraycopy(b, p, b, 0, end - p);
                base += p;
                end -= p;
                p = 0;
            }
            while (end < n) {
                if (end == b.length) {
                    // Not at once to n, which a message can claim for nothing.
                    b = Arrays.copyOf(b, (int) Math.min(Math.max((long) b.length << 1, STEP), Integer.MAX_VALUE - 16));
                }
                int got = in.read(b, end, exact ? Math.min(n, b.length) - end : b.length - end);
                if (got < 0) {
                    throw eof();
                }
                if (got == 0) {
                    // A stream must not give nothing, but some do; this waits.
                    int one = in.read();
                    if (one < 0) {
                        throw eof();
                    }
                    b[end] = (byte) one;
                    got = 1;
                }
                end += got;
            }
        } catch (IOException failed) {
            throw Util.sneakyThrow(failed);
        }
    }

    // Faults.

    private Fault wrong(String type, long offset, String message) {
        return new Fault(type, offset, message);
    }

    private void shorter(long start) {
        throw wrong("non-minimal", start, "The value has a shorter form, which :strict demands");
    }

    private void tooLong(int n, long start) {
        throw wrong("length", start, "A length of " + Integer.toUnsignedString(n) + " is beyond :max-len (" + c.maxLen + ")");
    }

    // Values.

    Object value() {
        if (p >= end) {
            fill(1);
        }
        int head = b[p++];
        if (head >= -32) {
            return (long) head;
        }
        int u = head & 0xff;
        if (u < 0x90) {
            return map(u & 15, p - 1);
        }
        if (u < 0xa0) {
            return array(u & 15, p - 1);
        }
        if (u < 0xc0) {
            return text(u & 31, p - 1);
        }
        return rest(u);
    }

    /** The next value, of which the first byte is known; it is OTHER if it is not. */
    private Object next(int head) {
        if ((head & 0xf0) == 0x90) {
            p++;
            return array(head & 15, p - 1);
        }
        if ((head & 0xf0) == 0x80 && head != OTHER) {
            p++;
            return map(head & 15, p - 1);
        }
        return value();
    }

    private Object rest(int u) {
        switch (u) {
            case 0xc0:
                return null;
            case 0xc2:
                return Boolean.FALSE;
            case 0xc3:
                return Boolean.TRUE;
            case 0xca: {
                need(4);
                int bits = (int) Bits.I32.get(b, p);
                p += 4;
                return Bits.widen(bits);
            }
            case 0xcb: {
                need(8);
                double v = Double.longBitsToDouble((long) Bits.I64.get(b, p));
                p += 8;
                return v;
            }
            case 0xcc: {
                need(1);
                return number(b[p++] & 0xff, 128, 2);
            }
            case 0xcd: {
                need(2);
                p += 2;
                return number((short) Bits.I16.get(b, p - 2) & 0xffff, 256, 3);
            }
            case 0xce: {
                need(4);
                p += 4;
                return number((int) Bits.I32.get(b, p - 4) & 0xffffffffL, 65536, 5);
            }
            case 0xcf: {
                need(8);
                p += 8;
                long v = (long) Bits.I64.get(b, p - 8);
                return v >= 0 ? number(v, 1L << 32, 9) : BigInt.fromBigInteger(unsigned(v));
            }
            case 0xd0: {
                need(1);
                return negative(b[p++], -32, 2);
            }
            case 0xd1: {
                need(2);
                p += 2;
                return negative((short) Bits.I16.get(b, p - 2), Byte.MIN_VALUE, 3);
            }
            case 0xd2: {
                need(4);
                p += 4;
                return negative((int) Bits.I32.get(b, p - 4), Short.MIN_VALUE, 5);
            }
            case 0xd3: {
                need(8);
                p += 8;
                return negative((long) Bits.I64.get(b, p - 8), Integer.MIN_VALUE, 9);
            }
            case 0xc1:
                throw wrong("marker", position() - 1, "The byte c1 begins no value");
            default:
                return sized(u);
        }
    }

    private Long number(long v, long least, int size) {
        if (v < least && c.strict) {
            shorter(position() - size);
        }
        return v;
    }

    private Long negative(long v, long most, int size) {
        if (v >= most && c.strict) {
            shorter(position() - size);
        }
        return v;
    }

    private static BigInteger unsigned(long v) {
        return BigInteger.valueOf(v >>> 1).shiftLeft(1).or(BigInteger.valueOf(v & 1));
    }

    static Object integer(BigInteger v) {
        return v.bitLength() < 64 ? (Object) v.longValue() : BigInt.fromBigInteger(v);
    }

    /** Values with a length behind their marker. */
    private Object sized(int u) {
        switch (u) {
            case 0xd9:
                return text(length8(32), p - 2);
            case 0xda:
                return text(length16(256), p - 3);
            case 0xdb:
                return text(length32(), p - 5);
            case 0xc4:
                return binary(length8(0), p - 2);
            case 0xc5:
                return binary(length16(256), p - 3);
            case 0xc6:
                return binary(length32(), p - 5);
            case 0xdc:
                return array(length16(16), p - 3);
            case 0xdd:
                return array(length32(), p - 5);
            case 0xde:
                return map(length16(16), p - 3);
            case 0xdf:
                return map(length32(), p - 5);
            case 0xc7: {
                int n = length8(0);
                if (c.strict && n <= 16 && n > 0 && (n & n - 1) == 0) {
                    shorter(position() - 2);
                }
                return ext(n, 2);
            }
            case 0xc8:
                return ext(length16(256), 3);
            case 0xc9:
                return ext(length32(), 5);
            default:
                return ext(1 << u - 0xd4, 1);
        }
    }

    private int length8(int least) {
        need(1);
        int n = b[p++] & 0xff;
        if (n < least && c.strict) {
            shorter(position() - 2);
        }
        return n;
    }

    private int length16(int least) {
        need(2);
        int n = (short) Bits.I16.get(b, p) & 0xffff;
        p += 2;
        if (n < least && c.strict) {
            shorter(position() - 3);
        }
        return n;
    }

    /** A length of 32 bits, which is negative if it is beyond what Java can hold. */
    private int length32() {
        need(4);
        int n = (int) Bits.I32.get(b, p);
        p += 4;
        if (n >>> 16 == 0 && c.strict) {
            shorter(position() - 5);
        }
        return n;
    }

    /** That so many bytes come: at once if they are there. */
    private void body(int n, int start) {
        if (n < 0 || n > c.maxLen) {
            bodyTooLong(n, start);
        }
        need(n);
    }

    private void bodyTooLong(int n, int start) {
        if (c.maxLen == Integer.MAX_VALUE || n >= 0 && n <= c.maxLen) {
            // Beyond what an array of Java can hold. Of an array it is a lie.
            if (in == null) {
                throw eof();
            }
            throw wrong("too-large", base + start, "A length of " + Integer.toUnsignedString(n) + " bytes is beyond 2 GiB");
        }
        tooLong(n, base + start);
    }

    // Text and bytes.

    private Object text(int n, int start) {
        if (n == 0) {
            return c.oldSpec ? bytes(0) : "";
        }
        if (n < 0 || n > c.maxLen) {
            bodyTooLong(n, start);
        }
        need(n);
        return c.oldSpec ? bytes(n) : utf8(n);
    }

    /**
     * Text of a few bytes that are there. What is ASCII needs no second look, and of all ways to make a string of it the
     * one that is deprecated (since it would be wrong for anything else) is the shortest.
     */
    @SuppressWarnings("deprecation")
    private String shortText(byte[] b, int p, int n) {
        if (n == 0) {
            return "";
        }
        if (isAscii(b, p, n)) {
            return new String(b, 0, p, n);
        }
        this.p = p;
        return utf8(n);
    }

    private static final long NOT_ASCII = 0x8080808080808080L;

    private static boolean isAscii(byte[] b, int p, int n) {
        if (n < 8) {
            int i = 0;
            int bits = 0;
            for (; i < n; i++) {
                bits |= b[p + i];
            }
            return bits >= 0;
        }
        long bits = (long) Bits.L64.get(b, p + n - 8);
        for (int i = 0; i + 8 < n; i += 8) {
            bits |= (long) Bits.L64.get(b, p + i);
        }
        return (bits & NOT_ASCII) == 0;
    }

    /** The next bytes as text. */
    String utf8(int n) {
        if (n > end - p) {
            throw eof();
        }
        String s = new String(b, p, n, StandardCharsets.UTF_8);
        // Of what is no UTF-8 Java makes U+FFFD. Text that holds it by right is looked at twice.
        if (s.indexOf('\uFFFD') >= 0 && !c.replace) {
            int at = Bits.invalidUtf8(b, p, p + n);
            if (at >= 0) {
                throw wrong("utf8", base + at, "The text is not UTF-8");
            }
        }
        p += n;
        return s;
    }

    private Object bytes(int n) {
        byte[] made = Arrays.copyOfRange(b, p, p + n);
        p += n;
        // An array is equal to itself only, and so would be a key that nobody can ask for.
        return inKey || c.byteBuffers ? ByteBuffer.wrap(made).asReadOnlyBuffer() : made;
    }

    private Object binary(int n, int start) {
        body(n, start);
        return bytes(n);
    }

    // Containers.

    private void enter(int start) {
        if (++depth > c.maxDepth) {
            throw wrong("depth", base + start, "Arrays and maps nest deeper than :max-depth (" + c.maxDepth + ")");
        }
    }

    /** That there may be so many items, of {@code size} bytes each at least. */
    private void count(int n, int size, int start) {
        if (n < 0 || n > c.maxLen) {
            if (c.maxLen == Integer.MAX_VALUE) {
                if (in == null) {
                    throw eof();
                }
                throw wrong("too-large", base + start, "A count of " + Integer.toUnsignedString(n) + " is beyond what Clojure's collections hold");
            }
            tooLong(n, base + start);
        }
        if (in == null) {
            if ((long) n * size > end - p) {
                throw eof();
            }
        } else if (exact) {
            // So many bytes must come, which saves asking for each.
            need(Math.min(n, 4096));
        }
    }

    private Object array(int n, int start) {
        enter(start);
        count(n, 1, start);
        Object made = n == 0 ? PersistentVector.EMPTY : n <= 32 ? few(n) : many(n);
        depth--;
        return made;
    }

    // What follows reads what most items are where it stands, with the place in a variable: a field that is written and
    // read again for each item costs more than the items do. All else goes through value().

    private Object few(int n) {
        Object[] items = new Object[n];
        byte[] b = this.b;
        int p = this.p;
        int end = this.end;
        int i = 0;
        try {
            for (; i < n; i++) {
                int head = p < end ? b[p] : OTHER;
                if (head >= -32) {
                    items[i] = (long) head;
                    p++;
                } else if ((head & 0xe0) == 0xa0 && end - p > (head & 31) && plainText) {
                    int length = head & 31;
                    items[i] = shortText(b, p + 1, length);
                    p += length + 1;
                } else if (head == NIL) {
                    p++;
                } else if (head == TRUE || head == FALSE) {
                    items[i] = head == TRUE ? Boolean.TRUE : Boolean.FALSE;
                    p++;
                } else {
                    this.p = p;
                    items[i] = next(head);
                    p = this.p;
                    b = this.b;
                    end = this.end;
                }
            }
        } catch (Fault fault) {
            throw fault.in((long) i);
        }
        this.p = p;
        return PersistentVector.adopt(items);
    }

    private Object many(int n) {
        ITransientCollection items = PersistentVector.EMPTY.asTransient();
        int i = 0;
        try {
            for (; i < n; i++) {
                items = items.conj(value());
            }
        } catch (Fault fault) {
            throw fault.in((long) i);
        }
        return items.persistent();
    }

    private Object map(int n, int start) {
        if (inKey) {
            throw wrong("key", base + start, "A map cannot be a key, or in one");
        }
        enter(start);
        count(n, 2, start);
        Object made = n == 0 ? PersistentArrayMap.EMPTY : n <= ARRAY_MAP ? smallMap(n) : bigMap(n);
        depth--;
        return made;
    }

    private Object smallMap(int n) {
        Object[] a = new Object[2 * n];
        byte[] b = this.b;
        int p = this.p;
        int end = this.end;
        Key last = this.last;
        int filled = 0;
        long marks = 0;
        for (int i = 0; i < n; i++) {
            int start = p;
            long before = base;
            Object k;
            long mark;
            Key guess = last.next;
            if (guess != null && guess.length < end - p && plainKeys && b[p] == guess.head && guess.is(b, p + 1)) {
                last = guess;
                mark = guess.mark;
                p += guess.length + 1;
                k = keywordKeys ? guess.keyword() : guess.text;
            } else {
                this.p = p;
                this.last = last;
                k = key();
                mark = this.mark;
                last = this.last;
                p = this.p;
                b = this.b;
                end = this.end;
            }
            int j = -1;
            if ((marks & mark) != 0 || mark == 0 || marks == -1) {
                j = find(a, filled, k);
                if (j >= 0 && c.unique) {
                    throw twice(before + start);
                }
            }
            // Behind a key without a mark each is looked for: it may be the same text in a longer form.
            marks = mark == 0 ? -1 : marks | mark;
            Object v;
            int head = p < end ? b[p] : OTHER;
            if (head >= -32) {
                v = (long) head;
                p++;
            } else if ((head & 0xe0) == 0xa0 && end - p > (head & 31) && plainText) {
                int length = head & 31;
                try {
                    v = shortText(b, p + 1, length);
                } catch (Fault fault) {
                    throw fault.in(k);
                }
                p += length + 1;
            } else if (head == NIL) {
                v = null;
                p++;
            } else if (head == TRUE || head == FALSE) {
                v = head == TRUE ? Boolean.TRUE : Boolean.FALSE;
                p++;
            } else {
                this.p = p;
                this.last = last;
                try {
                    v = next(head);
                } catch (Fault fault) {
                    throw fault.in(k);
                }
                last = this.last;
                p = this.p;
                b = this.b;
                end = this.end;
            }
            if (j >= 0) {
                a[j + 1] = v;
            } else {
                a[filled] = k;
                a[filled + 1] = v;
                filled += 2;
            }
        }
        this.p = p;
        this.last = last;
        return new PersistentArrayMap(filled == a.length ? a : Arrays.copyOf(a, filled));
    }

    private Fault twice(long start) {
        return wrong("duplicate-key", start, "A key stands twice in one map");
    }

    /** Where among the first keys of an array this one stands, or -1. */
    private static int find(Object[] a, int filled, Object k) {
        if (k instanceof Keyword) {
            for (int j = 0; j < filled; j += 2) {
                if (a[j] == k) {
                    return j;
                }
            }
        } else if (k instanceof String) {
            int h = k.hashCode();
            for (int j = 0; j < filled; j += 2) {
                Object other = a[j];
                if (other == k || other instanceof String && other.hashCode() == h && other.equals(k)) {
                    return j;
                }
            }
        } else {
            for (int j = 0; j < filled; j += 2) {
                if (Util.equiv(a[j], k)) {
                    return j;
                }
            }
        }
        return -1;
    }

    private Object bigMap(int n) {
        ITransientMap map = (ITransientMap) PersistentHashMap.EMPTY.asTransient();
        Collisions collisions = null;
        int count = 0;
        for (int i = 0; i < n; i++) {
            long start = base + p;
            Object k = key();
            if (c.unique && map.valAt(k, this) != this) {
                throw twice(start);
            }
            try {
                map = map.assoc(k, value());
            } catch (Fault fault) {
                throw fault.in(k);
            }
            if (i >= Collisions.FEW && map.count() > count) {
                collisions = collisions == null ? new Collisions() : collisions;
                collisions.add(k, start);
            }
            count = map.count();
        }
        return map.persistent();
    }

    // Keys.

    /** A text that was a key, with all that can be made of it. */
    private static final class Key {
        final byte[] bytes;
        final int hash;
        final String text;
        final int length;
        /** The byte before the text, or none if it takes more. */
        final int head;
        // The first bytes and the last as numbers, to compare with: most keys have no others.
        final long first;
        final long end;
        /** One bit of 64, so that keys with different marks are known to differ. */
        final long mark;
        /** Made when it is first asked for. */
        private Keyword keyword;
        Key next;

        Key(byte[] bytes, int hash, String text) {
            this.bytes = bytes;
            this.hash = hash;
            this.text = text;
            length = bytes.length;
            byte[] padded = Arrays.copyOf(bytes, Math.max(8, length));
            first = (long) Bits.L64.get(padded, 0);
            end = (long) Bits.L64.get(padded, padded.length - 8);
            head = length < 32 ? 0xa0 - 256 | length : OTHER;
            mark = 1L << (hash * 0x9E3779B1 >>> 26);
        }

        /** Whether these are the bytes; there are so many. */
        boolean is(byte[] b, int p) {
            int n = length;
            if (n <= 8 && b.length - p >= 8) {
                // What is behind the text is shifted out. Of no text all would have to be.
                return n == 0 || ((long) Bits.L64.get(b, p) ^ first) << 64 - 8 * n == 0;
            }
            if (n > 8 && n <= 16) {
                return (long) Bits.L64.get(b, p) == first && (long) Bits.L64.get(b, p + n - 8) == end;
            }
            return Arrays.equals(bytes, 0, n, b, p, p + n);
        }

        Keyword keyword() {
            Keyword k = keyword;
            if (k == null) {
                keyword = k = Keyword.intern(text);
            }
            return k;
        }
    }

    private static final int KEYS = 2048;
    private static final int KEY_LONGEST = 64;
    private static final Key[] CACHE = new Key[KEYS];
    /** Before the first key of all. */
    private static final Key HEAD = new Key(new byte[0], 0, null);

    private Object key() {
        if (p >= end) {
            fill(1);
        }
        int head = b[p] & 0xff;
        int n;
        if ((head & 0xe0) == 0xa0) {
            n = head & 31;
            need(n + 1);
            p++;
        } else if (head == 0xd9) {
            need(2);
            n = b[p + 1] & 0xff;
            if (n > KEY_LONGEST || n < 32 && c.strict) {
                return otherKey();
            }
            need(n + 2);
            p += 2;
        } else {
            return otherKey();
        }
        if (c.oldSpec || n > c.maxLen) {
            p -= head == 0xd9 ? 2 : 1;
            return otherKey();
        }
        Key guess = last.next;
        if (guess == null || guess.length != n || !guess.is(b, p)) {
            guess = lookup(n);
            last.next = guess;
        }
        last = guess;
        mark = guess.mark;
        p += n;
        Object k = c.keywordKeys ? guess.keyword() : guess.text;
        return c.decodeKey == null && cachedKeys == null ? k : changed(k);
    }

    private Key lookup(int n) {
        int h = hash(b, p, n);
        Key e = CACHE[h & KEYS - 1];
        if (e != null && e.hash == h && e.length == n && e.is(b, p)) {
            return e;
        }
        int at = p;
        String s = utf8(n);
        p = at;
        // What was replaced is not remembered: the same bytes may be refused next time.
        e = new Key(Arrays.copyOfRange(b, p, p + n), h, s);
        if (!c.replace) {
            CACHE[h & KEYS - 1] = e;
        }
        return e;
    }

    private static int hash(byte[] b, int p, int n) {
        long h = n * 0x9E3779B97F4A7C15L;
        int i = 0;
        for (; i + 8 <= n; i += 8) {
            h = (h ^ (long) Bits.L64.get(b, p + i)) * 0xff51afd7ed558ccdL;
        }
        long t = 0;
        if ((n & 7) != 0) {
            if (n >= 8) {
                t = (long) Bits.L64.get(b, p + n - 8);
            } else {
                for (; i < n; i++) {
                    t = t << 8 | b[p + i] & 0xff;
                }
            }
        }
        h = (h ^ t) * 0xff51afd7ed558ccdL;
        return (int) (h >>> 32) ^ (int) (h >>> 13);
    }

    private Object otherKey() {
        boolean before = inKey;
        inKey = true;
        Object k = value();
        inKey = before;
        mark = 0;
        if (c.keywordKeys && k instanceof String) {
            k = Keyword.intern((String) k);
        }
        return c.decodeKey == null && cachedKeys == null ? k : changed(k);
    }

    /** A key that a function, or a table that goes with the message, has something to do with. */
    private Object changed(Object k) {
        mark = 0;
        Object made = k;
        if (cachedKeys != null) {
            if (k instanceof CachedKey) {
                int i = ((CachedKey) k).index;
                if (i >= cachedKeys.size()) {
                    throw wrong("body", position(), "A cached key that the message has not had yet");
                }
                made = cachedKeys.get(i);
            } else if ((k instanceof Keyword || k instanceof String) && cachedKeys.size() < 256) {
                cachedKeys.add(k);
            }
        }
        IFn f = c.decodeKey;
        return f == null ? made : f.invoke(made);
    }

    /** A key by its place among the keys before it, which is how sente writes those that repeat. */
    public static final class CachedKey {
        final int index;

        public CachedKey(long index) {
            this.index = (int) index;
        }
    }

    /** A set of what an extension read, with an eye on hashes that collide. */
    public static Object setOf(Iterable<?> members) {
        return Exts.set(members);
    }

    // Exts.

    /** An ext of {@code n} bytes, whose head has {@code head} bytes and then its code. */
    private Object ext(int n, int head) {
        long start = base + p - head;
        need(1);
        int code = b[p++];
        body(n, p - head - 1);
        if (code == -1) {
            return timestamp(n, start, head);
        }
        Object known = table.reader(code);
        if (known == null) {
            if (c.unknownIsError) {
                throw wrong("unknown-ext", start, "Nothing here reads ext " + code);
            }
            return raw(code, n);
        }
        return known instanceof Integer
            ? builtin(code, (Integer) known, n, start)
            : extension((Extension) known, code, n, start);
    }

    private Ext raw(int code, int n) {
        byte[] data = Arrays.copyOfRange(b, p, p + n);
        p += n;
        return new Ext(code, data, true);
    }

    private Object builtin(int code, int as, int n, long start) {
        int at = p;
        int stop = p + n;
        int endBefore = end;
        InputStream inBefore = in;
        boolean nests = Exts.nests(as);
        if (nests && ++depth > c.maxDepth) {
            throw wrong("depth", start, "Arrays and maps nest deeper than :max-depth (" + c.maxDepth + ")");
        }
        end = stop;
        in = null;
        Object v;
        try {
            v = Exts.read(this, as, n);
            if (p != stop) {
                throw Exts.body("something follows in it");
            }
        } catch (Fault fault) {
            throw enclosed(fault, code, start);
        }
        end = endBefore;
        in = inBefore;
        if (nests) {
            depth--;
        }
        if (v == null) {
            // A record of a name that is not registered.
            if (c.unknownIsError) {
                throw wrong("unknown-ext", start, "No record of this name is registered");
            }
            p = at;
            return raw(code, n);
        }
        return v;
    }

    private static Fault enclosed(Fault fault, int code, long start) {
        String type = fault.type;
        if (type.equals("depth") || type.equals("length") || type.equals("collisions")) {
            return fault;
        }
        return fault.as("body", start, "The body of ext " + code + " is not what its code says");
    }

    private Object extension(Extension one, int code, int n, long start) {
        if (one.canUnpack != null) {
            int stop = p + n;
            Unpacker unpacker = new Unpacker(this, stop);
            Object v = one.unpack.invoke(unpacker, new ExtensionTypeHeader(code, n), c.options);
            if (p != stop) {
                throw wrong("body", start, "The extension did not take the whole body of ext " + code);
            }
            return v;
        }
        if (!one.payloadIsValue) {
            byte[] data = Arrays.copyOfRange(b, p, p + n);
            p += n;
            return one.made(data, start);
        }
        int endBefore = end;
        InputStream inBefore = in;
        boolean keyBefore = inKey;
        if (++depth > c.maxDepth) {
            throw wrong("depth", start, "Arrays and maps nest deeper than :max-depth (" + c.maxDepth + ")");
        }
        end = p + n;
        in = null;
        inKey = false;
        Object v;
        try {
            v = value();
            if (p != end) {
                throw Exts.body("something follows in it");
            }
        } catch (Fault fault) {
            throw enclosed(fault, code, start);
        }
        end = endBefore;
        in = inBefore;
        inKey = keyBefore;
        depth--;
        return one.made(v, start);
    }

    private Object timestamp(int n, long start, int head) {
        long seconds;
        int nanos;
        if (n == 4) {
            seconds = (int) Bits.I32.get(b, p) & 0xffffffffL;
            nanos = 0;
        } else if (n == 8) {
            long both = (long) Bits.I64.get(b, p);
            seconds = both & (1L << 34) - 1;
            nanos = (int) (both >>> 34);
        } else if (n == 12) {
            nanos = (int) Bits.I32.get(b, p);
            seconds = (long) Bits.I64.get(b, p + 4);
        } else {
            throw wrong("timestamp", start, "A timestamp has 4, 8 or 12 bytes, not " + n);
        }
        if (nanos < 0 || nanos > 999_999_999) {
            throw wrong("timestamp", start, "A timestamp has 999999999 nanoseconds at most");
        }
        if (c.strict) {
            int shortest = seconds >>> 34 != 0 ? 12 : nanos == 0 && seconds >>> 32 == 0 ? 4 : 8;
            if (n != shortest || head != (n == 12 ? 2 : 1)) {
                shorter(start);
            }
        }
        boolean fits = seconds >= Instant.MIN.getEpochSecond() && seconds <= Instant.MAX.getEpochSecond();
        if (c.instants == Codec.RAW || !fits) {
            return raw(-1, n);
        }
        p += n;
        if (c.instants == Codec.DATE) {
            if (nanos % 1_000_000 != 0 || Math.abs(seconds) > Long.MAX_VALUE / 1000 - 1) {
                throw wrong("timestamp", start, "The moment has parts of a millisecond, which a Date cannot hold");
            }
            return new Date(seconds * 1000 + nanos / 1_000_000);
        }
        return Instant.ofEpochSecond(seconds, nanos);
    }

    // For the bodies of exts.

    long bits64() {
        need(8);
        p += 8;
        return (long) Bits.I64.get(b, p - 8);
    }

    int u8At(int stop) {
        if (p >= stop) {
            throw Exts.body("it is cut");
        }
        return b[p] & 0xff;
    }

    /** The head of an array, which must come; the array ends with {@link #leave}. */
    int arrayHead() {
        need(1);
        int start = p;
        int head = b[p++] & 0xff;
        int n = head >= 0x90 && head < 0xa0 ? head & 15 : head == 0xdc ? length16(16) : head == 0xdd ? length32() : -1;
        if (n < 0) {
            throw Exts.body("it holds no array");
        }
        enter(start);
        count(n, 1, start);
        return n;
    }

    void leave() {
        depth--;
    }

    /** Whether a map comes. */
    boolean atMap() {
        need(1);
        int head = b[p] & 0xff;
        return head >= 0x80 && head < 0x90 || head == 0xde || head == 0xdf;
    }

    /** An integer, of whatever size, in its shortest form. */
    Object plainInteger() {
        need(1);
        int u = b[p] & 0xff;
        Object v;
        if (u == 0xc7 || u == 0xc8 || u >= 0xd4 && u <= 0xd8) {
            p++;
            int n = u == 0xc7 ? length8(0) : u == 0xc8 ? length16(0) : 1 << u - 0xd4;
            need(n + 1);
            if (b[p++] != Exts.BIG_INTEGER || n == 0) {
                throw Exts.body("a part of the number is no integer");
            }
            v = integer(new BigInteger(b, p, n));
            p += n;
        } else if (u < 0x80 || u >= 0xe0 || u >= 0xcc && u <= 0xd3) {
            v = value();
        } else {
            throw Exts.body("a part of the number is no integer");
        }
        return v;
    }
}
