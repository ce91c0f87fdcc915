package oxwire.msgpack;

import clojure.lang.Keyword;
import clojure.lang.PersistentArrayMap;
import clojure.lang.PersistentHashMap;
import clojure.lang.PersistentVector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Values into bytes, as vectors/README.md says. One buffer that grows; what most values are is written by exact class
 * here, the rest by handlers that {@link Types} finds once for each class. {@link Output} has the scalars.
 *
 * <p>A writer is itself the function that maps are reduced with, so that a map costs no closure and no entries. Writers
 * are kept in a pool, not by thread: there may be millions of threads. Whoever has one is alone with it, and hooks that
 * pack in turn take another.
 */
public final class Writer extends Output {
    /** Buffers beyond this are not kept. */
    private static final int KEPT_SIZE = 1 << 18;

    private static final int SLOTS = 32;
    private static final AtomicReferenceArray<Writer> POOL = new AtomicReferenceArray<>(SLOTS * 8);

    private Codec.Table table;
    private boolean hot;
    private int depth;
    /** Whether what is written is a key or in one. */
    private boolean inKey;

    // Keys of maps by what they are: two of one kind are never written alike, if they are not OTHER.
    private static final int KEYWORD = 1;
    private static final int TEXT = 2;
    private static final int INTEGER = 4;
    private static final int OTHER = 8;
    private static final Object[] KINDS = new Object[16];

    static {
        for (int i = 1; i < 16; i++) {
            KINDS[i] = new Kinds(i);
        }
    }

    private static final Object KEYWORDS = KINDS[KEYWORD];

    /** The kinds of keys that a map has shown so far, as the accumulator of the reduction. */
    private static final class Kinds {
        final int bits;

        Kinds(int bits) {
            this.bits = bits;
        }
    }

    private Writer() {}

    /** A writer of this codec, to be given back by {@link #release} when all went well and by nobody otherwise. */
    static Writer take(Codec codec) {
        int slot = slot();
        Writer w = POOL.getAndSet(slot, null);
        if (w == null) {
            w = new Writer();
        }
        w.c = codec;
        w.table = codec.table();
        w.hot = w.table.hot;
        return w;
    }

    private static int slot() {
        // The slots lie apart, lest processors fight over a cache line.
        return (System.identityHashCode(Thread.currentThread()) & SLOTS - 1) * 8;
    }

    void release() {
        p = 0;
        depth = 0;
        inKey = false;
        if (b.length > KEPT_SIZE) {
            b = new byte[FIRST_SIZE];
        }
        POOL.lazySet(slot(), this);
    }

    /** One value as one message. */
    public static byte[] pack(Object o, Codec codec) {
        Writer w = take(codec);
        w.message(o);
        byte[] made = Arrays.copyOf(w.b, w.p);
        w.release();
        return made;
    }

    /** The messages of some values, one after the other, as bytes that the sink takes. */
    public interface Sink {
        void take(byte[] bytes, int length) throws java.io.IOException;
    }

    /** Writes one value, and gives the sink all of its bytes at once, or none if it cannot be written. */
    public static int packInto(Object o, Codec codec, Sink sink) throws java.io.IOException {
        Writer w = take(codec);
        w.message(o);
        int n = w.p;
        sink.take(w.b, n);
        w.release();
        return n;
    }

    /** Writes many values; the sink gets them in pieces of some size. A value that fails leaves those before it written. */
    public static long packAll(Iterator<?> values, Codec codec, Sink sink) throws java.io.IOException {
        Writer w = take(codec);
        long total = 0;
        while (true) {
            int before = w.p;
            try {
                if (!values.hasNext()) {
                    break;
                }
                w.message(values.next());
            } catch (Throwable failed) {
                sink.take(w.b, before);
                throw failed;
            }
            if (w.p >= 1 << 15) {
                sink.take(w.b, w.p);
                total += w.p;
                w.p = 0;
            }
        }
        sink.take(w.b, w.p);
        total += w.p;
        w.release();
        return total;
    }

    private void message(Object o) {
        try {
            value(o);
        } catch (StackOverflowError deep) {
            throw new Fault("depth", Fault.NOWHERE, "The stack of this thread is too small for what nests here", null, deep);
        }
    }

    // Values.

    void value(Object o) {
        p = value(o, p);
    }

    private int value(Object o, int p) {
        if (o == null) {
            return one(0xc0, p);
        }
        Class<?> type = o.getClass();
        if (hot) {
            if (type == String.class) {
                return text((String) o, p);
            } else if (type == Long.class) {
                return integer((Long) o, p);
            } else if (type == PersistentArrayMap.class) {
                return arrayMap((PersistentArrayMap) o, p);
            } else if (type == PersistentVector.class) {
                return vector((PersistentVector) o, p);
            } else if (type == Keyword.class) {
                return c.keywords == Codec.AS_TEXT ? keywordText((Keyword) o, p) : otherKeyword((Keyword) o, p);
            } else if (type == Double.class) {
                return float64((Double) o, p);
            } else if (type == Boolean.class) {
                return one((Boolean) o ? 0xc3 : 0xc2, p);
            } else if (type == PersistentHashMap.class) {
                return hashMap((PersistentHashMap) o, p);
            }
        }
        this.p = p;
        table.handler(type).write(this, o);
        return this.p;
    }

    /** A value that a hook gave for another one, which may be of the same class: not without end. */
    void instead(Object o) {
        enter();
        value(o);
        depth--;
    }

    private void enter() {
        if (++depth > c.maxDepth) {
            throw new Fault("depth", "Values nest deeper than :max-depth (" + c.maxDepth + ")", null);
        }
    }

    // Keywords: each is encoded once, and then copied.

    private static final int ENCODED = 1024;
    private static final int ENCODED_LONGEST = 64;
    private static final Encoded[] AS_TEXT = new Encoded[ENCODED];
    private static final Encoded[] AS_EXT = new Encoded[ENCODED];

    static String name(Keyword k) {
        return k.sym.toString();
    }

    /** A keyword as a value. */
    void keyword(Keyword k) {
        p = c.keywords == Codec.AS_TEXT ? keywordText(k, p) : otherKeyword(k, p);
    }

    private int otherKeyword(Keyword k, int p) {
        if (c.keywords == Codec.AS_ERROR) {
            throw new Fault("unsupported", "Keywords as values are refused by :keywords :error", k);
        }
        this.p = p;
        keywordExt(k);
        return this.p;
    }

    private int keywordText(Keyword k, int p) {
        int h = k.hasheq();
        Encoded e = AS_TEXT[(h ^ h >>> 16) & ENCODED - 1];
        if (e != null && e.name == k && !c.oldSpec) {
            return copy(e, p);
        }
        this.p = p;
        text(name(k));
        if (this.p - p <= ENCODED_LONGEST && !c.oldSpec) {
            AS_TEXT[(h ^ h >>> 16) & ENCODED - 1] = new Encoded(k, Arrays.copyOfRange(b, p, this.p));
        }
        return this.p;
    }

    private int copy(Encoded e, int p) {
        int n = e.length;
        if (n > Encoded.WORDS) {
            this.p = p;
            put(e.bytes, 0, n);
            return this.p;
        }
        room(p, Encoded.WORDS);
        byte[] b = this.b;
        Bits.L64.set(b, p, e.first);
        if (n > 8) {
            Bits.L64.set(b, p + 8, e.second);
            Bits.L64.set(b, p + 16, e.third);
        }
        return p + n;
    }

    private void keywordExt(Keyword k) {
        int h = k.hasheq();
        Encoded e = AS_EXT[(h ^ h >>> 16) & ENCODED - 1];
        if (e != null && e.name == k) {
            p = copy(e, p);
            return;
        }
        int start = p;
        String name = name(k);
        if (Keyword.intern(name) != k) {
            throw new Fault("unsupported", "A keyword whose parts cannot be told from its text", k);
        }
        textExt(Exts.KEYWORD, name);
        if (p - start <= ENCODED_LONGEST) {
            AS_EXT[(h ^ h >>> 16) & ENCODED - 1] = new Encoded(k, Arrays.copyOfRange(b, start, p));
        }
    }

    // Containers.

    void vector(PersistentVector v) {
        p = vector(v, p);
    }

    private int vector(PersistentVector v, int p) {
        int n = v.count();
        enter();
        p = arrayHead(n, p);
        int i = 0;
        try {
            if (n <= 32) {
                Object[] items = v.tail;
                for (; i < n; i++) {
                    p = value(items[i], p);
                }
            } else {
                while (i < n) {
                    Object[] items = v.arrayFor(i);
                    int stop = Math.min(i + 32, n);
                    for (; i < stop; i++) {
                        p = value(items[i & 31], p);
                    }
                }
            }
        } catch (Fault fault) {
            throw fault.in((long) i);
        }
        depth--;
        return p;
    }

    /** Anything that has items, however many: the head comes when they are counted. */
    void items(Iterator<?> items) {
        enter();
        int start = p;
        put(0);
        int n = 0;
        while (items.hasNext()) {
            Object item = items.next();
            if (n == c.maxLen) {
                throw new Fault("length", "An array has more items than :max-len (" + c.maxLen + ")", null);
            }
            try {
                value(item);
            } catch (Fault fault) {
                throw fault.in((long) n);
            }
            n++;
        }
        patchHead(start, n, false);
        depth--;
    }

    /** Writes the head of {@code n} items, which stand behind one byte kept free for it at {@code start}. */
    private void patchHead(int start, int n, boolean map) {
        int more = n < 16 ? 0 : n < 65536 ? 2 : 4;
        need(4);
        if (more > 0) {
            System.arraycopy(b, start + 1, b, start + 1 + more, p - start - 1);
        }
        int end = p + more;
        p = start;
        head(map, n);
        p = end;
    }

    void arrayMap(PersistentArrayMap m) {
        p = arrayMap(m, p);
    }

    private int arrayMap(PersistentArrayMap m, int p) {
        if (!c.plainMaps || inKey) {
            return entries(m, p);
        }
        enter();
        this.p = mapHead(m.count(), p);
        distinct(m.kvreduce(this, null), m);
        depth--;
        return this.p;
    }

    void hashMap(PersistentHashMap m) {
        p = hashMap(m, p);
    }

    private int hashMap(PersistentHashMap m, int p) {
        if (!c.plainMaps || inKey) {
            return entries(m, p);
        }
        enter();
        this.p = mapHead(m.count(), p);
        distinct(m.kvreduce(this, null), m);
        depth--;
        return this.p;
    }

    private int entries(Map<?, ?> m, int p) {
        this.p = p;
        entries(m);
        return this.p;
    }

    /** One entry of a map that is being reduced. */
    @Override
    public Object invoke(Object kinds, Object k, Object v) {
        int p = this.p;
        Object seen;
        if (k != null && k.getClass() == Keyword.class) {
            p = keywordText((Keyword) k, p);
            seen = kinds == KEYWORDS || kinds == null ? KEYWORDS : kinds(kinds, KEYWORD);
        } else if (k != null && hot && k.getClass() == String.class) {
            p = text((String) k, p);
            seen = kinds(kinds, TEXT);
        } else {
            key(k);
            p = this.p;
            seen = kinds(kinds, k != null && k.getClass() == Long.class ? INTEGER : OTHER);
        }
        try {
            this.p = value(v, p);
        } catch (Fault fault) {
            throw fault.in(k);
        }
        return seen;
    }

    private static Object kinds(Object before, int kind) {
        return KINDS[kind | (before == null ? 0 : ((Kinds) before).bits)];
    }

    /** A key that may be anything. */
    private void key(Object k) {
        boolean before = inKey;
        inKey = true;
        try {
            if (k instanceof Keyword && c.keyMode != Codec.KEY_AS_IS) {
                p = keywordText((Keyword) k, p);
            } else if (k != null && k.getClass() == clojure.lang.Symbol.class && c.keyMode != Codec.KEY_AS_IS) {
                text(k.toString());
            } else {
                value(k);
            }
        } catch (Fault fault) {
            throw fault.in(k);
        }
        inKey = before;
    }

    /** Two keys may be written alike, as :a and "a" are; a reader would lose one of the values without a word. */
    private void distinct(Object kinds, Map<?, ?> m) {
        if (kinds != KEYWORDS && kinds != null && m.size() > 1) {
            int bits = ((Kinds) kinds).bits;
            if ((bits & (KEYWORD | TEXT)) == (KEYWORD | TEXT) || bits >= OTHER) {
                compareKeys(m);
            }
        }
    }

    private void compareKeys(Map<?, ?> m) {
        int start = p;
        Set<java.nio.ByteBuffer> seen = new HashSet<>();
        for (Object k : m.keySet()) {
            key(k);
            if (!seen.add(java.nio.ByteBuffer.wrap(Arrays.copyOfRange(b, start, p)))) {
                throw alike(k);
            }
            p = start;
        }
    }

    private static Fault alike(Object k) {
        return new Fault("duplicate-key", "Two keys of one map are written alike", k);
    }

    /** A map that asks for more: keys by a function, in order, as they are; a map of Java's; a map in a key. */
    void entries(Map<?, ?> m) {
        if (inKey) {
            if (c.mapKeys != Codec.AS_EXT) {
                throw new Fault("key", "A map cannot be a key, or in one", null);
            }
            payload(Exts.MAP, m);
            return;
        }
        enter();
        int start = p;
        put(0);
        ArrayList<int[]> places = new ArrayList<>();
        boolean mixed = false;
        Class<?> first = null;
        // The set of entries of a record would be one of hashes, in an order of its own.
        Iterator<?> all = m instanceof clojure.lang.IPersistentMap ? ((Iterable<?>) m).iterator() : m.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) all.next();
            Object k = entry.getKey();
            Object said = c.keyMode == Codec.KEY_FN ? c.encodeKey.invoke(k) : k;
            int at = p;
            if (places.size() == c.maxLen) {
                throw new Fault("length", "A map has more entries than :max-len (" + c.maxLen + ")", null);
            }
            key(said);
            int middle = p;
            Class<?> type = said == null ? Void.class : said.getClass();
            first = first == null ? type : first;
            mixed |= type != first || type != Keyword.class && type != String.class && type != Long.class;
            try {
                value(entry.getValue());
            } catch (Fault fault) {
                throw fault.in(k);
            }
            places.add(new int[] {at, middle, p});
        }
        if (mixed || c.keyMode == Codec.KEY_FN || c.sortKeys) {
            ordered(places);
        }
        patchHead(start, places.size(), true);
        depth--;
    }

    /** Sees that no two keys are alike, and brings the entries into the order of their keys' bytes if that is asked for. */
    private void ordered(ArrayList<int[]> places) {
        byte[] b = this.b;
        ArrayList<int[]> sorted = new ArrayList<>(places);
        sorted.sort((x, y) -> Arrays.compareUnsigned(b, x[0], x[1], b, y[0], y[1]));
        for (int i = 1; i < sorted.size(); i++) {
            int[] x = sorted.get(i - 1);
            int[] y = sorted.get(i);
            if (Arrays.equals(b, x[0], x[1], b, y[0], y[1])) {
                throw alike(new Reader(b, x[0], x[1], c).message());
            }
        }
        if (c.sortKeys && !sorted.isEmpty()) {
            arrange(sorted, places.get(0)[0], 2);
        }
    }

    /** Puts pieces of the buffer, which follow each other from {@code from} to its end, into another order. */
    private void arrange(ArrayList<int[]> order, int from, int last) {
        byte[] all = new byte[p - from];
        int at = 0;
        for (int[] one : order) {
            System.arraycopy(b, one[0], all, at, one[last] - one[0]);
            at += one[last] - one[0];
        }
        System.arraycopy(all, 0, b, from, all.length);
    }

    /** Members of a set: an array, in the order of their bytes if the output is canonical. */
    void members(Iterator<?> items, boolean asKeys) {
        boolean before = inKey;
        inKey |= asKeys;
        if (!c.canonical) {
            items(items);
            inKey = before;
            return;
        }
        enter();
        int start = p;
        put(0);
        ArrayList<int[]> places = new ArrayList<>();
        while (items.hasNext()) {
            int at = p;
            value(items.next());
            places.add(new int[] {at, p});
        }
        byte[] b = this.b;
        places.sort((x, y) -> Arrays.compareUnsigned(b, x[0], x[1], b, y[0], y[1]));
        if (!places.isEmpty()) {
            arrange(places, start + 1, 1);
        }
        patchHead(start, places.size(), false);
        depth--;
        inKey = before;
    }

    // Exts.

    /** Begins an ext whose body is written in place. */
    int beginExt() {
        enter();
        int start = p;
        need(2);
        p += 2;
        return start;
    }

    /** Puts the head before the body that has been written since. */
    void endExt(int start, int code) {
        int n = p - start - 2;
        int head = n > 0 && n <= 16 && (n & n - 1) == 0 ? 2 : n < 256 ? 3 : n < 65536 ? 4 : 6;
        need(4);
        if (head > 2) {
            System.arraycopy(b, start + 2, b, start + head, n);
        }
        p = start;
        extHead(code, n);
        p += n;
        depth--;
    }

    /** An ext whose body is a message. What is in it is no key, whatever the ext is. */
    void payload(int code, Object o) {
        boolean before = inKey;
        inKey = false;
        int start = beginExt();
        value(o);
        endExt(start, code);
        inKey = before;
    }

    /** A record that has a name. */
    void record(String tag, Map<?, ?> fields) {
        boolean before = inKey;
        inKey = false;
        int start = beginExt();
        text(tag);
        entries(fields);
        endExt(start, Exts.RECORD);
        inKey = before;
    }
}
