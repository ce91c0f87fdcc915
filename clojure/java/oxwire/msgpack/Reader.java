package oxwire.msgpack;

import clojure.lang.IFn;
import clojure.lang.ITransientCollection;
import clojure.lang.ITransientMap;
import clojure.lang.Keyword;
import clojure.lang.PersistentArrayMap;
import clojure.lang.PersistentHashMap;
import clojure.lang.PersistentVector;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;

/**
 * Bytes into values, as vectors/README.md says: from an array, or from a stream through an array that is refilled.
 *
 * <p>Nothing is believed: a count is compared with the bytes that are there before anything is made for it, and where
 * that cannot be known (a stream) what is made grows with what has come. {@link Input} has the scalars.
 *
 * <p>Keys that are short texts come from a table by their bytes, without being decoded again; each remembers which
 * followed it last, since maps tend to repeat. The table is shared by all threads, which race in it: entries are
 * immutable but for that guess and what is derived from them. After a fault a reader is of no use.
 */
public final class Reader extends Input {
    /** Maps up to here keep their order: Clojure finds a key in a few places as fast by looking at each. */
    private static final int ARRAY_MAP = 16;
    /** Where a byte was to be: a marker that needs a second look, for which there may be no byte. */
    static final int OTHER = -128;
    private static final int NIL = (byte) 0xc0;
    private static final int FALSE = (byte) 0xc2;
    private static final int TRUE = (byte) 0xc3;

    private final Codec.Table table;
    private final boolean keywordKeys;
    /** Whether keys, and text, are nothing but text: no option has anything to do with them. */
    private final boolean plainKeys;
    private final boolean plainText;
    private int depth;
    private Key last = HEAD;
    /** The mark of the key that was read last, or 0 if it did not come from the table. */
    private long mark;
    private ArrayList<Object> cachedKeys;

    private Reader(Codec codec, byte[] bytes, InputStream stream, boolean exact) {
        super(codec, bytes, stream, exact);
        table = codec.table();
        keywordKeys = codec.keywordKeys;
        plainKeys = codec.plainKeys;
        plainText = codec.plainText;
    }

    /** A reader of part of an array, which is not changed. */
    public Reader(byte[] bytes, int from, int to, Codec codec) {
        this(bytes, from, to, -(long) from, codec);
    }

    /** A reader of part of an array that lies somewhere in a longer input. */
    Reader(byte[] bytes, int from, int to, long base, Codec codec) {
        this(codec, bytes, null, false);
        p = from;
        end = to;
        this.base = base;
    }

    /** A reader of a stream: one that takes what it needs, or one that owns the stream and reads ahead. */
    public Reader(InputStream stream, boolean exact, Codec codec) {
        this(codec, new byte[exact ? 512 : 8192], stream, exact);
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
        return scalar(u);
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

    /** Values with a length behind their marker. */
    @Override
    Object sized(int u) {
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

    // Containers.

    private void enter(int start) {
        if (++depth > c.maxDepth) {
            throw wrong("depth", base + start, "Arrays and maps nest deeper than :max-depth (" + c.maxDepth + ")");
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
                j = Key.find(a, filled, k);
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
        int h = Key.hash(b, p, n);
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

    // For the bodies of exts.

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
}
