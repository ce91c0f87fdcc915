package oxwire.msgpack;

import clojure.lang.Keyword;
import clojure.lang.Util;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** A text that was a key, with all that can be made of it. */
final class Key {
    private static final AtomicIntegerArray MARKS = new AtomicIntegerArray(4096);
    private static final AtomicInteger TURN = new AtomicInteger();

    final byte[] bytes;
    final int hash;
    final String text;
    final int length;
    /** The byte before the text, or none if it takes more. */
    final int head;
    // The first bytes and the last as numbers, to compare with: most keys have no others.
    final long first;
    final long end;
    /** One bit of 64, so that keys with different marks are known to differ: see {@link #mark(int)}. */
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
        head = length < 32 ? 0xa0 - 256 | length : Reader.OTHER;
        mark = mark(hash);
    }

    /**
     * The bit of a text, by its hash. Bits are given out in turns, so that keys which were met one after the other, as those
     * of one map are, have different ones. What was given to a hash is its own for ever: there may be several keys of one
     * text, of which one was replaced in the table.
     */
    private static long mark(int hash) {
        int at = hash & MARKS.length() - 1;
        if (MARKS.get(at) == 0) {
            MARKS.compareAndSet(at, 0, 1 + (TURN.getAndIncrement() & 63));
        }
        return 1L << MARKS.get(at);
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

    static int hash(byte[] b, int p, int n) {
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

    /** Where among the first keys of an array this one stands, or -1. */
    static int find(Object[] a, int filled, Object k) {
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
}
