package oxwire.msgpack;

import clojure.lang.Util;

/**
 * Sees to it that a message cannot make a hash map slow: keys that share one hash stand in a list there, and whoever
 * writes the message can find thousands of such texts.
 *
 * <p>Keys are counted by some bits of their scrambled hash. Where chance puts a few dozen, hundreds are no chance. The
 * table grows with the keys that have come, never with the number that a message claims; what an outgrown table knew is
 * forgotten, so the bound is on each stretch of growth.
 */
final class Collisions {
    /** Maps up to here need no counting. */
    static final int FEW = 64;

    private static final int FIRST_BITS = 10;
    private static final int LAST_BITS = 22;
    private static final int TOO_MANY = 256;

    private int bits = FIRST_BITS;
    private short[] counts = new short[1 << bits];
    private int keys;

    /** Another key, which is equal to none before it. */
    void add(Object key, long offset) {
        if (++keys > 4 << bits && bits < LAST_BITS) {
            bits += 2;
            counts = new short[1 << bits];
        }
        int crowd = ++counts[Util.hasheq(key) * 0x9E3779B1 >>> 32 - bits];
        if (crowd > TOO_MANY + (keys >>> bits)) {
            throw new Fault("collisions", offset, "More than " + TOO_MANY + " keys of one map share a hash");
        }
    }
}
