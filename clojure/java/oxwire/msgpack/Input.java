package oxwire.msgpack;

import clojure.lang.BigInt;
import clojure.lang.Util;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;

/**
 * The input and the scalars in it: the half of {@link Reader} that knows no collection, no key and no ext. Bytes come from
 * an array, or from a stream through an array that is refilled.
 */
abstract class Input {
    private static final int STEP = 1 << 16;

    byte[] b;
    int p;
    int end;
    final Codec c;
    /** Whether what is read is a key or in one: maps are refused there, and bytes come as what can be compared. */
    boolean inKey;
    /** Null if all that there is lies in the array. */
    InputStream in;
    /** Whether no byte may be taken from the stream that does not belong to the value for certain. */
    final boolean exact;
    /** Where in the input the array begins. */
    long base;

    Input(Codec codec, byte[] bytes, InputStream stream, boolean exact) {
        b = bytes;
        c = codec;
        in = stream;
        this.exact = exact;
    }

    final boolean more() throws IOException {
        base += p;
        p = 0;
        end = 0;
        int n = in.read(b, 0, exact ? 1 : b.length);
        end = Math.max(0, n);
        return n > 0;
    }

    final Fault eof() {
        return new Fault("eof", base + end, "The input ends inside a value");
    }

    void need(int n) {
        if (end - p < n) {
            fill(n);
        }
    }

    final void fill(int n) {
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

    final Fault wrong(String type, long offset, String message) {
        return new Fault(type, offset, message);
    }

    final void shorter(long start) {
        throw wrong("non-minimal", start, "The value has a shorter form, which :strict demands");
    }

    final void tooLong(int n, long start) {
        throw wrong("length", start, "A length of " + Integer.toUnsignedString(n) + " is beyond :max-len (" + c.maxLen + ")");
    }

    /** How many bytes have been read. */
    public long position() {
        return base + p;
    }

    /** Where in its array an array reader is. */
    public int index() {
        return p;
    }

    // Numbers.

    long bits64() {
        need(8);
        p += 8;
        return (long) Bits.I64.get(b, p - 8);
    }

    final Long number(long v, long least, int size) {
        if (v < least && c.strict) {
            shorter(position() - size);
        }
        return v;
    }

    final Long negative(long v, long most, int size) {
        if (v >= most && c.strict) {
            shorter(position() - size);
        }
        return v;
    }

    static BigInteger unsigned(long v) {
        return BigInteger.valueOf(v >>> 1).shiftLeft(1).or(BigInteger.valueOf(v & 1));
    }

    static Object integer(BigInteger v) {
        return v.bitLength() < 64 ? (Object) v.longValue() : BigInt.fromBigInteger(v);
    }

    /** What has a length behind its marker. */
    abstract Object sized(int u);

    /** The value of a marker that says all about it, or what else there is. */
    final Object scalar(int u) {
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

    // Lengths.

    final int length8(int least) {
        need(1);
        int n = b[p++] & 0xff;
        if (n < least && c.strict) {
            shorter(position() - 2);
        }
        return n;
    }

    final int length16(int least) {
        need(2);
        int n = (short) Bits.I16.get(b, p) & 0xffff;
        p += 2;
        if (n < least && c.strict) {
            shorter(position() - 3);
        }
        return n;
    }

    /** A length of 32 bits, which is negative if it is beyond what Java can hold. */
    final int length32() {
        need(4);
        int n = (int) Bits.I32.get(b, p);
        p += 4;
        if (n >>> 16 == 0 && c.strict) {
            shorter(position() - 5);
        }
        return n;
    }

    /** That so many bytes come: at once if they are there. */
    final void body(int n, int start) {
        if (n < 0 || n > c.maxLen) {
            bodyTooLong(n, start);
        }
        need(n);
    }

    final void bodyTooLong(int n, int start) {
        if (c.maxLen == Integer.MAX_VALUE || n >= 0 && n <= c.maxLen) {
            // Beyond what an array of Java can hold. Of an array it is a lie.
            if (in == null) {
                throw eof();
            }
            throw wrong("too-large", base + start, "A length of " + Integer.toUnsignedString(n) + " bytes is beyond 2 GiB");
        }
        tooLong(n, base + start);
    }

    /** That there may be so many items, of {@code size} bytes each at least. */
    final void count(int n, int size, int start) {
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

    // Text and bytes.

    final Object text(int n, int start) {
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
    final String shortText(byte[] b, int p, int n) {
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
            if (b.length - p >= 8) {
                // What is behind the text is shifted out.
                return ((long) Bits.L64.get(b, p) << 64 - 8 * n & NOT_ASCII) == 0;
            }
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

    final Object bytes(int n) {
        byte[] made = Arrays.copyOfRange(b, p, p + n);
        p += n;
        // An array is equal to itself only, and so would be a key that nobody can ask for.
        return inKey || c.byteBuffers ? ByteBuffer.wrap(made).asReadOnlyBuffer() : made;
    }

    final Object binary(int n, int start) {
        body(n, start);
        return bytes(n);
    }

    // Exts.

    final Ext raw(int code, int n) {
        byte[] data = Arrays.copyOfRange(b, p, p + n);
        p += n;
        return new Ext(code, data, true);
    }

    final Object timestamp(int n, long start, int head) {
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
}
