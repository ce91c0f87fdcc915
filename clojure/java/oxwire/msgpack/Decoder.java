package oxwire.msgpack;


/**
 * Values out of bytes that come in pieces, however they are cut. Not for several threads at once.
 *
 * <p>Each byte is looked at once to find the end of a message (a stack of how many values each open container still
 * awaits is all that is remembered), and once more to read the message when it is all there.
 */
public final class Decoder {
    public final Codec codec;
    private byte[] b = new byte[512];
    /** Where the message begins, up to where its extent is known, and how far there are bytes. */
    private int start;
    private int seen;
    private int end;
    /** Where in all that was fed the array begins. */
    private long base;
    private long[] awaited = new long[16];
    private int open;
    /** Bytes of a text or body that are still to pass by. */
    private long passing;
    private Fault broken;

    public Decoder(Codec codec) {
        this.codec = codec;
    }

    /** How many bytes are kept of a message that is not complete. */
    public int pending() {
        return end - start;
    }

    /** How many bytes the complete messages had. */
    public long position() {
        return base + start;
    }

    /** Takes bytes in. Nothing is read yet. */
    public void put(byte[] bytes, int from, int n) {
        if (broken != null) {
            throw broken;
        }
        if (b.length - end < n) {
            int kept = end - start;
            byte[] to = kept + (long) n > b.length ? new byte[room(kept, n)] : b;
            System.arraycopy(b, start, to, 0, kept);
            b = to;
            base += start;
            seen -= start;
            end = kept;
            start = 0;
        }
        System.arraycopy(bytes, from, b, end, n);
        end += n;
    }

    private static int room(int kept, int n) {
        long want = Math.max((long) kept + n, 2L * kept);
        if ((long) kept + n > Integer.MAX_VALUE - 16) {
            throw new Fault("too-large", Fault.NOWHERE, "A message in pieces has less than 2 GiB", null, null);
        }
        return (int) Math.min(want, Integer.MAX_VALUE - 16);
    }

    /** The next message if it is complete, or {@code none}. A message that cannot be read is passed over with its fault. */
    public Object next(Object none) {
        if (broken != null) {
            throw broken;
        }
        if (!find()) {
            if (end - start > codec.maxBuffer) {
                throw fail("too-large", position(), "A message is longer than :max-buffer (" + codec.maxBuffer + ")");
            }
            return none;
        }
        int from = start;
        start = seen;
        if (seen - from > codec.maxBuffer) {
            throw fail("too-large", base + from, "A message is longer than :max-buffer (" + codec.maxBuffer + ")");
        }
        return new Reader(b, from, seen, base, codec).message();
    }

    /** The fault of what is left, if the input ends here; null if nothing is. */
    public Fault rest() {
        return broken != null ? broken
            : start == end ? null
            : new Fault("eof", base + end, "The input ends inside a value");
    }

    private Fault fail(String type, long offset, String message) {
        // Behind this nothing can be found, so that it is said again and again.
        return broken = new Fault(type, offset, message);
    }

    /** Goes on until the end of the message, or of what there is. */
    private boolean find() {
        while (true) {
            if (passing > 0) {
                int some = (int) Math.min(passing, end - seen);
                seen += some;
                passing -= some;
                if (passing > 0) {
                    return false;
                }
                if (closed()) {
                    return true;
                }
            }
            if (seen == end) {
                return false;
            }
            int u = b[seen] & 0xff;
            int head = head(u);
            if (end - seen < head) {
                return false;
            }
            long length = length(u);
            if (u == 0xc1) {
                throw fail("marker", base + seen, "The byte c1 begins no value");
            }
            int kind = kind(u);
            if (length > codec.maxLen && kind != SCALAR && codec.maxLen < Integer.MAX_VALUE) {
                throw fail("length", base + seen, "A length of " + length + " is beyond :max-len (" + codec.maxLen + ")");
            }
            if (kind == CONTAINER) {
                if (open + 1 > codec.maxDepth) {
                    throw fail("depth", base + seen, "Arrays and maps nest deeper than :max-depth (" + codec.maxDepth + ")");
                }
                seen += head;
                if (length > 0) {
                    if (open == awaited.length) {
                        awaited = java.util.Arrays.copyOf(awaited, 2 * open);
                    }
                    awaited[open++] = isMap(u) ? 2 * length : length;
                } else if (closed()) {
                    return true;
                }
            } else {
                seen += head;
                passing = length;
                if (length == 0 && closed()) {
                    return true;
                }
            }
        }
    }

    /** A value has come to its end, and perhaps the containers that it was the last of. Whether all have. */
    private boolean closed() {
        while (open > 0) {
            if (--awaited[open - 1] > 0) {
                return false;
            }
            open--;
        }
        return true;
    }

    private static final int SCALAR = 0;
    private static final int SIZED = 1;
    private static final int CONTAINER = 2;

    private static int kind(int u) {
        if (u < 0x80 || u >= 0xe0) {
            return SCALAR;
        }
        return u < 0xa0 || u >= 0xdc ? CONTAINER : u < 0xc0 || u >= 0xd9 || u >= 0xc4 && u <= 0xc9 ? SIZED : SCALAR;
    }

    private static boolean isMap(int u) {
        return u < 0x90 || u >= 0xde;
    }

    /** The bytes of the marker and of the length behind it (and of the code of an ext). */
    private static int head(int u) {
        switch (u) {
            case 0xc4: case 0xd9:
                return 2;
            case 0xc5: case 0xda: case 0xdc: case 0xde: case 0xc7:
                return 3;
            case 0xc8:
                return 4;
            case 0xc6: case 0xdb: case 0xdd: case 0xdf:
                return 5;
            case 0xc9:
                return 6;
            default:
                return 1;
        }
    }

    /** How many bytes or items come behind the head. */
    private long length(int u) {
        if (u < 0xa0) {
            return u < 0x80 ? 0 : u & 15;
        } else if (u < 0xc0) {
            return u & 31;
        } else if (u >= 0xe0) {
            return 0;
        }
        int p = seen + 1;
        switch (u) {
            case 0xc4: case 0xd9: case 0xc7:
                return b[p] & 0xff;
            case 0xc5: case 0xda: case 0xdc: case 0xde: case 0xc8:
                return (short) Bits.I16.get(b, p) & 0xffff;
            case 0xc6: case 0xdb: case 0xdd: case 0xdf: case 0xc9:
                return (int) Bits.I32.get(b, p) & 0xffffffffL;
            case 0xca: case 0xce: case 0xd2:
                return 4;
            case 0xcb: case 0xcf: case 0xd3:
                return 8;
            case 0xcc: case 0xd0:
                return 1;
            case 0xcd: case 0xd1:
                return 2;
            case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8:
                return (1 << u - 0xd4) + 1;
            default:
                return 0;
        }
    }
}
