package oxwire.msgpack;

import clojure.lang.Keyword;
import java.util.Arrays;

/** A keyword and its bytes, in whatever form. Immutable, so that threads may race for a place in a table. */
final class Encoded {
    /** So many bytes can be copied as numbers. */
    static final int WORDS = 24;

    final Keyword name;
    final byte[] bytes;
    final int length;
    // The same bytes, as numbers: two or three stores cost less than a copy of so little.
    final long first;
    final long second;
    final long third;

    Encoded(Keyword name, byte[] bytes) {
        this.name = name;
        this.bytes = bytes;
        length = bytes.length;
        byte[] padded = Arrays.copyOf(bytes, WORDS);
        first = (long) Bits.L64.get(padded, 0);
        second = (long) Bits.L64.get(padded, 8);
        third = (long) Bits.L64.get(padded, 16);
    }
}
