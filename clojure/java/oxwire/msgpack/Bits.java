package oxwire.msgpack;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers in byte arrays, big-endian as MessagePack has them, and what is done with text in bytes. */
final class Bits {
    private Bits() {}

    static final VarHandle I16 = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    static final VarHandle I32 = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    static final VarHandle I64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    static final VarHandle L64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** A float of 32 bits as one of 64. NaN by hand: processors set a bit of those that signal. */
    static double widen(int bits) {
        if ((bits & 0x7fffffff) <= 0x7f800000) {
            return Float.intBitsToFloat(bits);
        }
        return Double.longBitsToDouble((long) (bits >>> 31) << 63 | 0x7ffL << 52 | (long) (bits & 0x7fffff) << 29);
    }

    /** The first index from which {@code b[from, to)} is not UTF-8 (so all before it is), or -1. RFC 3629, section 4. */
    static int invalidUtf8(byte[] b, int from, int to) {
        int i = from;
        while (i < to) {
            int lead = b[i];
            if (lead >= 0) {
                i++;
                continue;
            }
            lead &= 0xff;
            int more;
            int low = 0x80;
            int high = 0xbf;
            if (lead >= 0xc2 && lead <= 0xdf) {
                more = 1;
            } else if (lead >= 0xe0 && lead <= 0xef) {
                more = 2;
                low = lead == 0xe0 ? 0xa0 : 0x80;
                high = lead == 0xed ? 0x9f : 0xbf;
            } else if (lead >= 0xf0 && lead <= 0xf4) {
                more = 3;
                low = lead == 0xf0 ? 0x90 : 0x80;
                high = lead == 0xf4 ? 0x8f : 0xbf;
            } else {
                return i;
            }
            for (int j = 1; j <= more; j++) {
                int next = i + j < to ? b[i + j] & 0xff : -1;
                if (next < low || next > high) {
                    return i;
                }
                low = 0x80;
                high = 0xbf;
            }
            i += more + 1;
        }
        return -1;
    }
}
