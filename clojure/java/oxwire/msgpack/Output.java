package oxwire.msgpack;

import clojure.lang.AFn;
import java.util.Arrays;

/**
 * The bytes of scalars and heads, in a buffer that grows: the half of {@link Writer} that knows no collection.
 *
 * <p>The place in the buffer is a field, {@code p}, and what is not called for every value just uses that. The rest takes
 * the place as an argument and gives the next one: a field that is written and read again a few instructions later costs
 * more than all else that is done for a small value.
 */
abstract class Output extends AFn {
    static final int FIRST_SIZE = 1024;
    private static final int LONGEST = Integer.MAX_VALUE - 16;

    byte[] b = new byte[FIRST_SIZE];
    int p;
    Codec c;
    private char[] chars;

    private void grow(int p, int n) {
        long want = (long) p + n;
        if (want > LONGEST) {
            throw new Fault("too-large", "A message has less than 2 GiB", null);
        }
        b = Arrays.copyOf(b, (int) Math.min(LONGEST, Math.max(want, (long) b.length << 1)));
    }

    void need(int n) {
        room(p, n);
    }

    /** That there is room for so many bytes from here. */
    final void room(int p, int n) {
        if (b.length - p < n) {
            grow(p, n);
        }
    }

    void put(int one) {
        need(1);
        b[p++] = (byte) one;
    }

    void put(byte[] bytes, int from, int n) {
        need(n);
        System.arraycopy(bytes, from, b, p, n);
        p += n;
    }

    // Numbers.

    final int one(int marker, int p) {
        room(p, 1);
        b[p] = (byte) marker;
        return p + 1;
    }

    void integer(long v) {
        p = integer(v, p);
    }

    final int integer(long v, int p) {
        room(p, 9);
        byte[] b = this.b;
        if (v >= -32 && v < 128) {
            b[p] = (byte) v;
            return p + 1;
        } else if (v >= 0) {
            if (v < 256) {
                b[p] = (byte) 0xcc;
                b[p + 1] = (byte) v;
                return p + 2;
            } else if (v < 65536) {
                b[p] = (byte) 0xcd;
                Bits.I16.set(b, p + 1, (short) v);
                return p + 3;
            } else if (v < 1L << 32) {
                b[p] = (byte) 0xce;
                Bits.I32.set(b, p + 1, (int) v);
                return p + 5;
            }
            b[p] = (byte) 0xcf;
        } else if (v >= Byte.MIN_VALUE) {
            b[p] = (byte) 0xd0;
            b[p + 1] = (byte) v;
            return p + 2;
        } else if (v >= Short.MIN_VALUE) {
            b[p] = (byte) 0xd1;
            Bits.I16.set(b, p + 1, (short) v);
            return p + 3;
        } else if (v >= Integer.MIN_VALUE) {
            b[p] = (byte) 0xd2;
            Bits.I32.set(b, p + 1, (int) v);
            return p + 5;
        } else {
            b[p] = (byte) 0xd3;
        }
        Bits.I64.set(b, p + 1, v);
        return p + 9;
    }

    void uint64(long bits) {
        need(9);
        b[p] = (byte) 0xcf;
        Bits.I64.set(b, p + 1, bits);
        p += 9;
    }

    void float64(double v) {
        p = float64(v, p);
    }

    final int float64(double v, int p) {
        if (c.floats != Codec.FLOAT_64 || c.canonical) {
            this.p = p;
            shortFloat(v);
            return this.p;
        }
        room(p, 9);
        b[p] = (byte) 0xcb;
        Bits.I64.set(b, p + 1, Double.doubleToRawLongBits(v));
        return p + 9;
    }

    private void shortFloat(double v) {
        float f = (float) v;
        if (c.canonical) {
            if (v != v) {
                float32(0x7fc00000);
                return;
            }
            if (v == 0) {
                float32(0);
                return;
            }
        }
        if (c.floats == Codec.FLOAT_32 && !c.canonical) {
            if (Float.isInfinite(f) && !Double.isInfinite(v)) {
                throw new Fault("range", "A float is beyond the range of 32 bits, which :floats :float32 demands", v);
            }
            long bits = Double.doubleToRawLongBits(v);
            // The bits of NaN by hand: processors set one. What would be left of nothing but the lowest is quiet NaN.
            int nan = (int) (bits >>> 32 & 0x80000000L) | 0x7f800000 | (int) (bits >>> 29 & 0x7fffff);
            float32(v == v ? Float.floatToRawIntBits(f) : (nan & 0x7fffff) == 0 ? nan | 0x400000 : nan);
        } else if ((double) f == v) {
            float32(Float.floatToRawIntBits(f));
        } else {
            need(9);
            b[p] = (byte) 0xcb;
            Bits.I64.set(b, p + 1, Double.doubleToRawLongBits(v));
            p += 9;
        }
    }

    void float32(int bits) {
        need(5);
        b[p] = (byte) 0xca;
        Bits.I32.set(b, p + 1, bits);
        p += 5;
    }

    /** A Float: 32 bits already, whatever :floats says. */
    void single(float f) {
        if (c.canonical) {
            shortFloat(f);
        } else {
            float32(Float.floatToRawIntBits(f));
        }
    }

    // Text and bytes.

    /** A length with its marker: of 8 bits the given one, of 16 and 32 those behind it. */
    private void sized(int marker, int n, boolean hasEight) {
        need(6);
        byte[] b = this.b;
        if (n < 256 && hasEight) {
            b[p] = (byte) marker;
            b[p + 1] = (byte) n;
            p += 2;
        } else if (n < 65536) {
            b[p] = (byte) (marker + 1);
            Bits.I16.set(b, p + 1, (short) n);
            p += 3;
        } else {
            b[p] = (byte) (marker + 2);
            Bits.I32.set(b, p + 1, n);
            p += 5;
        }
    }

    void textHead(int n) {
        if (n < 32) {
            put(0xa0 | n);
        } else {
            sized(0xd9, n, !c.oldSpec);
        }
    }

    void text(String s) {
        p = text(s, p);
    }

    final int text(String s, int p) {
        int n = s.length();
        if (n < 32) {
            room(p, n + 1);
            byte[] b = this.b;
            int q = p + 1;
            int i = 0;
            for (; i < n; i++) {
                char ch = s.charAt(i);
                if (ch >= 0x80) {
                    break;
                }
                b[q + i] = (byte) ch;
            }
            if (i == n) {
                b[p] = (byte) (0xa0 | n);
                return q + n;
            }
        }
        this.p = p;
        longText(s, n);
        return this.p;
    }

    /** Longer text, or text beyond ASCII: written behind the longest head, and moved to the head that it gets. */
    private void longText(String s, int n) {
        if (n > LONGEST / 3) {
            throw new Fault("too-large", "A message has less than 2 GiB", null);
        }
        if (chars == null) {
            chars = new char[1024];
        }
        // ASCII is what the length says, so that its head can be guessed and most text is never moved.
        int head = n < 32 ? 1 : n < 256 && !c.oldSpec ? 2 : n < 65536 ? 3 : 5;
        int start = p;
        need(n + head);
        p += head;
        char[] chars = this.chars;
        int done = 0;
        char pending = 0;
        while (done < n) {
            int some = Math.min(n - done, chars.length);
            s.getChars(done, done + some, chars, 0);
            need(3 * some + 4);
            pending = encode(chars, some, pending);
            done += some;
        }
        if (pending != 0) {
            throw surrogate();
        }
        int size = p - start - head;
        int real = size < 32 ? 1 : size < 256 && !c.oldSpec ? 2 : size < 65536 ? 3 : 5;
        if (real != head) {
            need(4);
            System.arraycopy(b, start + head, b, start + real, size);
        }
        p = start;
        textHead(size);
        p += size;
    }

    private static Fault surrogate() {
        return new Fault("surrogate", "Text has a surrogate without its partner, which UTF-8 has no form for", null);
    }

    /** UTF-8 of some characters; there is room. Gives the first half of a pair if that is the last of them, or 0. */
    private char encode(char[] chars, int n, char pending) {
        byte[] b = this.b;
        int p = this.p;
        int i = 0;
        if (pending == 0) {
            while (i < n && chars[i] < 0x80) {
                b[p++] = (byte) chars[i++];
            }
        }
        for (; i < n; i++) {
            char ch = chars[i];
            if (pending != 0) {
                if (!Character.isLowSurrogate(ch)) {
                    throw surrogate();
                }
                int point = Character.toCodePoint(pending, ch);
                b[p] = (byte) (0xf0 | point >> 18);
                b[p + 1] = (byte) (0x80 | point >> 12 & 0x3f);
                b[p + 2] = (byte) (0x80 | point >> 6 & 0x3f);
                b[p + 3] = (byte) (0x80 | point & 0x3f);
                p += 4;
                pending = 0;
            } else if (ch < 0x80) {
                b[p++] = (byte) ch;
            } else if (ch < 0x800) {
                b[p] = (byte) (0xc0 | ch >> 6);
                b[p + 1] = (byte) (0x80 | ch & 0x3f);
                p += 2;
            } else if (ch < 0xd800 || ch > 0xdfff) {
                b[p] = (byte) (0xe0 | ch >> 12);
                b[p + 1] = (byte) (0x80 | ch >> 6 & 0x3f);
                b[p + 2] = (byte) (0x80 | ch & 0x3f);
                p += 3;
            } else if (ch < 0xdc00) {
                pending = ch;
            } else {
                throw surrogate();
            }
        }
        this.p = p;
        return pending;
    }

    void binary(byte[] bytes, int from, int n) {
        binaryHead(n);
        put(bytes, from, n);
    }

    void binaryHead(int n) {
        if (c.oldSpec) {
            textHead(n);
        } else {
            sized(0xc4, n, true);
        }
    }

    // Containers and exts.

    // Two functions of one shape: one for both, which is told the markers, cost 4 % of writing a small map on JDK 17.

    final int arrayHead(int n, int p) {
        room(p, 5);
        byte[] b = this.b;
        if (n < 16) {
            b[p] = (byte) (0x90 | n);
            return p + 1;
        } else if (n < 65536) {
            b[p] = (byte) 0xdc;
            Bits.I16.set(b, p + 1, (short) n);
            return p + 3;
        }
        b[p] = (byte) 0xdd;
        Bits.I32.set(b, p + 1, n);
        return p + 5;
    }

    final int mapHead(int n, int p) {
        room(p, 5);
        byte[] b = this.b;
        if (n < 16) {
            b[p] = (byte) (0x80 | n);
            return p + 1;
        } else if (n < 65536) {
            b[p] = (byte) 0xde;
            Bits.I16.set(b, p + 1, (short) n);
            return p + 3;
        }
        b[p] = (byte) 0xdf;
        Bits.I32.set(b, p + 1, n);
        return p + 5;
    }

    void head(boolean map, int n) {
        p = map ? mapHead(n, p) : arrayHead(n, p);
    }

    void ext(int code, byte[] body) {
        extHead(code, body.length);
        put(body, 0, body.length);
    }

    /** An ext whose body is text and nothing else. */
    void textExt(int code, String s) {
        int start = p;
        text(s);
        int head = textHeadSize(b[start]);
        int size = p - start - head;
        byte[] body = Arrays.copyOfRange(b, start + head, start + head + size);
        p = start;
        ext(code, body);
    }

    private static int textHeadSize(byte head) {
        int marker = head & 0xff;
        return marker < 0xc0 ? 1 : marker == 0xd9 ? 2 : marker == 0xda ? 3 : 5;
    }

    void extHead(int code, int n) {
        if (n > 0 && n <= 16 && (n & n - 1) == 0) {
            put(0xd4 + Integer.numberOfTrailingZeros(n));
        } else {
            sized(0xc7, n, true);
        }
        put(code);
    }

    /** A moment, in the shortest of the three forms of ext -1. */
    void timestamp(long seconds, int nanos) {
        need(15);
        byte[] b = this.b;
        if (seconds >>> 34 != 0) {
            b[p] = (byte) 0xc7;
            b[p + 1] = 12;
            b[p + 2] = -1;
            Bits.I32.set(b, p + 3, nanos);
            Bits.I64.set(b, p + 7, seconds);
            p += 15;
            return;
        }
        long both = (long) nanos << 34 | seconds;
        if (both >>> 32 == 0) {
            b[p] = (byte) 0xd6;
            b[p + 1] = -1;
            Bits.I32.set(b, p + 2, (int) both);
            p += 6;
        } else {
            b[p] = (byte) 0xd7;
            b[p + 1] = -1;
            Bits.I64.set(b, p + 2, both);
            p += 10;
        }
    }
}
