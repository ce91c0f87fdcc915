package oxwire.bench;

import clojure.lang.IPersistentMap;
import clojure.lang.ITransientCollection;
import clojure.lang.ITransientMap;
import clojure.lang.Keyword;
import clojure.lang.PersistentArrayMap;
import clojure.lang.PersistentHashMap;
import clojure.lang.PersistentVector;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePacker;
import org.msgpack.core.MessageUnpacker;

/** What somebody writes who walks Clojure's values with msgpack-java by hand, and takes care: the yardstick. */
public final class Walker {
    private static final MessageBufferPacker KEPT = MessagePack.newDefaultBufferPacker();

    private Walker() {}

    /** With a new packer, as a library that is called from anywhere would have it. */
    public static byte[] pack(Object o) throws IOException {
        MessageBufferPacker packer = MessagePack.newDefaultBufferPacker();
        pack(packer, o);
        return packer.toByteArray();
    }

    /** With one packer for all, as a loop in one thread can have it. */
    public static byte[] packKept(Object o) throws IOException {
        KEPT.clear();
        pack(KEPT, o);
        return KEPT.toByteArray();
    }

    private static void pack(MessagePacker packer, Object o) throws IOException {
        if (o == null) {
            packer.packNil();
        } else if (o instanceof String) {
            packer.packString((String) o);
        } else if (o instanceof Long) {
            packer.packLong((Long) o);
        } else if (o instanceof IPersistentMap) {
            IPersistentMap m = (IPersistentMap) o;
            packer.packMapHeader(m.count());
            for (Object entry : m) {
                Map.Entry<?, ?> e = (Map.Entry<?, ?>) entry;
                Object k = e.getKey();
                if (k instanceof Keyword) {
                    packer.packString(((Keyword) k).sym.toString());
                } else {
                    pack(packer, k);
                }
                pack(packer, e.getValue());
            }
        } else if (o instanceof List) {
            List<?> items = (List<?>) o;
            packer.packArrayHeader(items.size());
            for (Iterator<?> i = items.iterator(); i.hasNext();) {
                pack(packer, i.next());
            }
        } else if (o instanceof Keyword) {
            packer.packString(((Keyword) o).sym.toString());
        } else if (o instanceof Double) {
            packer.packDouble((Double) o);
        } else if (o instanceof Boolean) {
            packer.packBoolean((Boolean) o);
        } else {
            throw new IllegalArgumentException(o.getClass().getName());
        }
    }

    public static Object unpack(byte[] bytes, boolean keywords) throws IOException {
        MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(bytes);
        return unpack(unpacker, keywords);
    }

    private static Object unpack(MessageUnpacker unpacker, boolean keywords) throws IOException {
        switch (unpacker.getNextFormat().getValueType()) {
            case NIL:
                unpacker.unpackNil();
                return null;
            case BOOLEAN:
                return unpacker.unpackBoolean();
            case INTEGER:
                return unpacker.unpackLong();
            case FLOAT:
                return unpacker.unpackDouble();
            case STRING:
                return unpacker.unpackString();
            case ARRAY: {
                int n = unpacker.unpackArrayHeader();
                if (n <= 32) {
                    Object[] items = new Object[n];
                    for (int i = 0; i < n; i++) {
                        items[i] = unpack(unpacker, keywords);
                    }
                    return n == 0 ? PersistentVector.EMPTY : PersistentVector.adopt(items);
                }
                ITransientCollection items = PersistentVector.EMPTY.asTransient();
                for (int i = 0; i < n; i++) {
                    items = items.conj(unpack(unpacker, keywords));
                }
                return items.persistent();
            }
            case MAP: {
                int n = unpacker.unpackMapHeader();
                if (n <= 8) {
                    Object[] entries = new Object[2 * n];
                    for (int i = 0; i < 2 * n; i += 2) {
                        entries[i] = key(unpacker, keywords);
                        entries[i + 1] = unpack(unpacker, keywords);
                    }
                    return new PersistentArrayMap(entries);
                }
                ITransientMap map = (ITransientMap) PersistentHashMap.EMPTY.asTransient();
                for (int i = 0; i < n; i++) {
                    Object k = key(unpacker, keywords);
                    map = map.assoc(k, unpack(unpacker, keywords));
                }
                return map.persistent();
            }
            default:
                throw new IllegalArgumentException(unpacker.getNextFormat().toString());
        }
    }

    private static Object key(MessageUnpacker unpacker, boolean keywords) throws IOException {
        Object k = unpack(unpacker, keywords);
        return keywords && k instanceof String ? Keyword.intern((String) k) : k;
    }
}
