package oxwire.msgpack;

import clojure.lang.IFn;
import java.util.Map;

/**
 * The options of reading and writing, compiled once. Immutable, but for what is remembered about classes.
 *
 * <p>The API checks the options and fills the defaults in; here they come as a map from words to what the Java code
 * wants. An entry that is missing is false, zero or null.
 */
public final class Codec {
    /** What is done with values that MessagePack has no type for. */
    static final int AS_TEXT = 0;
    static final int AS_EXT = 1;
    static final int AS_ERROR = 2;

    /** How keys are written. */
    static final int KEY_NAME = 0;
    static final int KEY_AS_IS = 1;
    static final int KEY_FN = 2;

    static final int FLOAT_64 = 0;
    static final int FLOAT_SHORTEST = 1;
    static final int FLOAT_32 = 2;

    static final int INSTANT = 0;
    static final int DATE = 1;
    static final int RAW = 2;

    /** The options as the user gave them, for the API to show and to merge. */
    public final Object options;

    // Both ways.
    final int maxDepth;
    final int maxLen;
    final boolean oldSpec;

    // Writing.
    final int keyMode;
    final IFn encodeKey;
    final int keywords;
    final int symbols;
    final int sets;
    final int lists;
    final int chars;
    final int ratios;
    final int bigInts;
    final int decimals;
    final int uuids;
    final int patterns;
    final int arrays;
    final int times;
    final int dates;
    final int mapKeys;
    final int unregistered;
    final int floats;
    final boolean canonical;
    final boolean sortKeys;
    /** Whether maps can be written in their own order with keyword keys as text: nothing to ask at each entry. */
    final boolean plainMaps;
    final Map<Class<?>, Object[]> recordWriters;

    // Reading.
    final boolean keywordKeys;
    final IFn decodeKey;
    final boolean strict;
    final boolean unique;
    final boolean replace;
    final boolean byteBuffers;
    final int instants;
    final boolean unknownIsError;
    final boolean cachedKeys;
    final boolean plainKeys;
    final boolean plainText;
    final Map<String, IFn> recordReaders;
    public final boolean trailing;
    public final int maxBuffer;

    private final Extension[] own;
    /** Which exts have a body of ours, and of which code: by their own code + 128. */
    private final byte[] builtins;
    private volatile Table table;

    public Codec(Object options, Map<String, Object> m, Extension[] extensions) {
        this.options = options;
        maxDepth = number(m, "max-depth");
        maxLen = number(m, "max-len");
        oldSpec = flag(m, "old-spec");
        keyMode = number(m, "key-mode");
        encodeKey = (IFn) m.get("encode-key");
        keywords = number(m, "keywords");
        symbols = number(m, "symbols");
        sets = number(m, "sets");
        lists = number(m, "lists");
        chars = number(m, "chars");
        ratios = number(m, "ratios");
        bigInts = number(m, "bigint");
        decimals = number(m, "bigdec");
        uuids = number(m, "uuids");
        patterns = number(m, "patterns");
        arrays = number(m, "arrays");
        times = number(m, "times");
        dates = number(m, "dates");
        mapKeys = number(m, "map-keys");
        unregistered = number(m, "unregistered");
        floats = number(m, "floats");
        canonical = flag(m, "canonical");
        sortKeys = canonical || flag(m, "sort-keys");
        plainMaps = keyMode == KEY_NAME && !sortKeys;
        recordWriters = typed(m.get("record-writers"));
        keywordKeys = flag(m, "keyword-keys");
        decodeKey = (IFn) m.get("decode-key");
        strict = flag(m, "strict");
        unique = strict || flag(m, "unique");
        replace = flag(m, "replace");
        byteBuffers = flag(m, "byte-buffers");
        instants = number(m, "instants");
        unknownIsError = flag(m, "unknown-is-error");
        cachedKeys = flag(m, "cached-keys");
        plainText = !oldSpec && maxLen >= 64;
        plainKeys = plainText && decodeKey == null && !cachedKeys;
        recordReaders = typed(m.get("record-readers"));
        trailing = flag(m, "trailing");
        maxBuffer = number(m, "max-buffer");
        own = extensions;
        builtins = Exts.readable((int[]) m.get("read-codes"));
        table = new Table(this, Extension.global());
    }

    private static int number(Map<String, Object> m, String name) {
        Object v = m.get(name);
        return v == null ? 0 : ((Number) v).intValue();
    }

    private static boolean flag(Map<String, Object> m, String name) {
        return Boolean.TRUE.equals(m.get(name));
    }

    @SuppressWarnings("unchecked")
    private static <K, V> Map<K, V> typed(Object map) {
        return (Map<K, V>) map;
    }

    /** What is known about classes and codes now: global extensions may have come since the codec was made. */
    Table table() {
        Table t = table;
        Extension[] global = Extension.global();
        if (t.global != global) {
            table = t = new Table(this, global);
        }
        return t;
    }

    /** For each class the way it is written, found out once; for each code the way it is read. */
    static final class Table {
        final Extension[] global;
        /** Whether the classes that most values have are written as ever, so that nothing is looked up for them. */
        final boolean hot;
        private final Extension[] writers;
        private final Object[] readers = new Object[256];
        // A ClassValue keeps no class alive, as a map would: REPLs and servers replace classes.
        private final ClassValue<Handler> handlers;

        Table(Codec codec, Extension[] global) {
            this.global = global;
            Extension[] all = new Extension[codec.own.length + global.length];
            System.arraycopy(codec.own, 0, all, 0, codec.own.length);
            System.arraycopy(global, 0, all, codec.own.length, global.length);
            writers = all;
            hot = Extension.spares(all, Types.HOT);
            for (int i = 0; i < 256; i++) {
                if (codec.builtins[i] != 0) {
                    readers[i] = (int) codec.builtins[i];
                }
            }
            // The first that names a code has it: those of the codec stand before the global ones.
            for (int i = all.length - 1; i >= 0; i--) {
                if (all[i].reads()) {
                    for (int code = -128; code < 128; code++) {
                        if (all[i].reads(code)) {
                            readers[code + 128] = all[i];
                        }
                    }
                }
            }
            handlers = new ClassValue<Handler>() {
                @Override
                protected Handler computeValue(Class<?> type) {
                    return Types.handler(type, codec, writers);
                }
            };
        }

        Handler handler(Class<?> type) {
            return handlers.get(type);
        }

        Object reader(int code) {
            return readers[code + 128];
        }
    }
}
