package oxwire.msgpack;

import clojure.lang.BigInt;
import clojure.lang.IDeref;
import clojure.lang.IPersistentMap;
import clojure.lang.IPersistentSet;
import clojure.lang.IPersistentVector;
import clojure.lang.IRecord;
import clojure.lang.IReduceInit;
import clojure.lang.Keyword;
import clojure.lang.PersistentArrayMap;
import clojure.lang.PersistentHashMap;
import clojure.lang.PersistentVector;
import clojure.lang.RT;
import clojure.lang.Ratio;
import clojure.lang.Sequential;
import clojure.lang.Symbol;
import clojure.lang.Util;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * How values of every class are written that {@link Writer} does not write by itself: the question is asked once for
 * each class and codec, and the answer is a {@link Handler}.
 *
 * <p>The order of the questions matters: a record is a map, a list of Clojure's is one of Java's, a set is a collection.
 */
final class Types {
    private Types() {}

    /** The classes that a writer knows by heart. */
    static final Class<?>[] HOT = {
        String.class, Long.class, PersistentArrayMap.class, PersistentVector.class, Keyword.class, Double.class,
        Boolean.class, PersistentHashMap.class,
    };

    static Handler handler(Class<?> type, Codec c, Extension[] extensions) {
        Extension nearest = Extension.of(type, extensions);
        if (nearest != null) {
            return nearest::write;
        }
        Handler known = builtin(type, c);
        Extension[] asking = Extension.asking(extensions);
        if (asking.length > 0 && (type == Keyword.class || !Arrays.asList(HOT).contains(type))) {
            return asking(asking, known != null ? known : rest(type, extensions));
        }
        return known != null ? known : rest(type, extensions);
    }

    private static Handler rest(Class<?> type, Extension[] extensions) {
        Extension last = Extension.last(extensions);
        if (last != null) {
            return last::write;
        }
        return (w, o) -> {
            throw new Fault("unsupported", "Cannot pack a value of " + type.getName(), type);
        };
    }

    private static Handler asking(Extension[] asking, Handler otherwise) {
        return (w, o) -> {
            for (Extension one : asking) {
                if (RT.booleanCast(one.canPack.invoke(o))) {
                    one.pack.invoke(new Packer(w), o);
                    return;
                }
            }
            otherwise.write(w, o);
        };
    }

    /** Null for a class that nothing here knows. */
    private static Handler builtin(Class<?> type, Codec c) {
        if (type == String.class) {
            return (w, o) -> w.text((String) o);
        } else if (type == Keyword.class) {
            return (w, o) -> w.keyword((Keyword) o);
        } else if (type == Symbol.class) {
            return named(c.symbols, Exts.SYMBOL, "Symbols", ":symbols");
        } else if (type == Boolean.class) {
            return (w, o) -> w.put((Boolean) o ? 0xc3 : 0xc2);
        } else if (Number.class.isAssignableFrom(type)) {
            return number(type, c);
        } else if (type == Character.class) {
            return c.chars == Codec.AS_EXT
                ? (w, o) -> w.textExt(Exts.CHARACTER, o.toString())
                : (w, o) -> w.text(o.toString());
        } else if (type == Ext.class) {
            return (w, o) -> w.ext(((Ext) o).code(), ((Ext) o).shared());
        } else if (type == UUID.class) {
            return uuid(c);
        } else if (type.isArray()) {
            return array(type, c);
        } else if (ByteBuffer.class.isAssignableFrom(type)) {
            return (w, o) -> {
                ByteBuffer bytes = ((ByteBuffer) o).duplicate();
                int n = bytes.remaining();
                w.binaryHead(n);
                w.need(n);
                bytes.get(w.b, w.p, n);
                w.p += n;
            };
        } else if (type == TypedArray.class) {
            return (w, o) -> Exts.writeTyped(w, (TypedArray) o);
        } else if (InputStream.class.isAssignableFrom(type) && c.times != Codec.AS_ERROR) {
            return Types::stream;
        }
        Handler moment = moment(type, c);
        return moment != null ? moment : container(type, c);
    }

    /** What is left of a stream, as bytes; it stays open. */
    private static void stream(Writer w, Object o) {
        try {
            int most = w.c.maxLen;
            byte[] bytes = ((InputStream) o).readNBytes(most == Integer.MAX_VALUE ? most : most + 1);
            if (bytes.length > most) {
                throw new Fault("length", "A stream has more bytes than :max-len (" + most + ")", null);
            }
            w.binary(bytes, 0, bytes.length);
        } catch (IOException failed) {
            throw Util.sneakyThrow(failed);
        }
    }

    private static Handler refused(String what, String option) {
        return (w, o) -> {
            throw new Fault("unsupported", what + " are refused by " + option + " :error", o);
        };
    }

    private static Handler named(int how, int code, String what, String option) {
        if (how == Codec.AS_TEXT) {
            return (w, o) -> w.text(o.toString());
        } else if (how == Codec.AS_ERROR) {
            return refused(what, option);
        }
        return (w, o) -> {
            if (!Symbol.intern(o.toString()).equals(o)) {
                throw new Fault("unsupported", "A symbol whose parts cannot be told from its text", o);
            }
            w.textExt(code, o.toString());
        };
    }

    private static Handler uuid(Codec c) {
        if (c.uuids == Codec.AS_TEXT) {
            return (w, o) -> w.text(o.toString());
        }
        return (w, o) -> {
            UUID u = (UUID) o;
            w.extHead(Exts.UUID, 16);
            w.need(16);
            Bits.I64.set(w.b, w.p, u.getMostSignificantBits());
            Bits.I64.set(w.b, w.p + 8, u.getLeastSignificantBits());
            w.p += 16;
        };
    }

    // Numbers.

    private static Handler number(Class<?> type, Codec c) {
        if (type == Double.class) {
            return (w, o) -> w.float64((Double) o);
        } else if (type == Float.class) {
            return (w, o) -> w.single((Float) o);
        } else if (type == BigInt.class) {
            return (w, o) -> {
                BigInt n = (BigInt) o;
                if (n.bipart == null) {
                    w.integer(n.lpart);
                } else {
                    bigInteger(w, n.bipart);
                }
            };
        } else if (type == BigInteger.class) {
            return (w, o) -> bigInteger(w, (BigInteger) o);
        } else if (type == Ratio.class) {
            return c.ratios == Codec.AS_TEXT ? (w, o) -> w.text(o.toString())
                : c.ratios == Codec.AS_EXT ? (w, o) -> Exts.writeRatio(w, (Ratio) o)
                : refused("Ratios", ":ratio");
        } else if (type == BigDecimal.class) {
            return c.decimals == Codec.AS_TEXT ? (w, o) -> w.text(o.toString())
                : c.decimals == Codec.AS_EXT ? (w, o) -> Exts.writeDecimal(w, (BigDecimal) o)
                : refused("BigDecimals", ":bigdec");
        } else if (type == Long.class || type == Integer.class || type == Short.class || type == Byte.class
            || type.getName().startsWith("java.util.concurrent.atomic.Atomic")) {
            return (w, o) -> w.integer(((Number) o).longValue());
        }
        return null;
    }

    /** An integer of any size, if the codec has a form for it. */
    static void bigInteger(Writer w, BigInteger n) {
        if (n.bitLength() < 64) {
            w.integer(n.longValue());
        } else if (n.signum() > 0 && n.bitLength() == 64) {
            w.uint64(n.longValue());
        } else if (w.c.bigInts == Codec.AS_EXT) {
            w.ext(Exts.BIG_INTEGER, n.toByteArray());
        } else if (w.c.bigInts == Codec.AS_TEXT) {
            w.text(n.toString());
        } else {
            throw new Fault("range", "An integer is beyond the range of 64 bits, and :bigint is :error", n);
        }
    }

    // Moments and other things of java.time.

    private static Handler moment(Class<?> type, Codec c) {
        if (type == Instant.class) {
            return (w, o) -> instant(w, (Instant) o);
        } else if (Date.class.isAssignableFrom(type)) {
            // By name, since a runtime may have been made without java.sql. These two are no moments.
            if (type.getName().equals("java.sql.Date") || type.getName().equals("java.sql.Time")) {
                return text(c);
            }
            return (w, o) -> {
                if (w.c.dates == Codec.AS_EXT && type == Date.class) {
                    Exts.writeDate(w, ((Date) o).getTime());
                } else {
                    instant(w, type == Date.class ? Instant.ofEpochMilli(((Date) o).getTime()) : ((Date) o).toInstant());
                }
            };
        } else if (type == ZonedDateTime.class && c.times != Codec.AS_ERROR) {
            return (w, o) -> instant(w, ((ZonedDateTime) o).toInstant());
        } else if (type == OffsetDateTime.class && c.times != Codec.AS_ERROR) {
            return (w, o) -> instant(w, ((OffsetDateTime) o).toInstant());
        } else if (TemporalAccessor.class.isAssignableFrom(type) || TemporalAmount.class.isAssignableFrom(type)
            || type == java.net.URI.class || type == java.net.URL.class || java.nio.file.Path.class.isAssignableFrom(type)
            || java.io.File.class == type || java.time.ZoneId.class.isAssignableFrom(type) || type.isEnum()
            || type.getSuperclass() != null && type.getSuperclass().isEnum()) {
            return text(c);
        } else if (type == Pattern.class) {
            return c.patterns == Codec.AS_EXT ? (w, o) -> Exts.writePattern(w, (Pattern) o) : text(c);
        }
        return null;
    }

    private static Handler text(Codec c) {
        return c.times == Codec.AS_TEXT ? (w, o) -> w.text(o.toString()) : (w, o) -> {
            throw new Fault("unsupported", "A lossless codec has no form for " + o.getClass().getName(), o.getClass());
        };
    }

    private static void instant(Writer w, Instant at) {
        w.timestamp(at.getEpochSecond(), at.getNano());
    }

    // Containers.

    private static Handler container(Class<?> type, Codec c) {
        if (type == PersistentArrayMap.class) {
            return (w, o) -> w.arrayMap((PersistentArrayMap) o);
        } else if (type == PersistentHashMap.class) {
            return (w, o) -> w.hashMap((PersistentHashMap) o);
        } else if (type == PersistentVector.class) {
            return (w, o) -> w.vector((PersistentVector) o);
        } else if (IRecord.class.isAssignableFrom(type)) {
            return record(type, c);
        } else if (Map.class.isAssignableFrom(type)) {
            return (w, o) -> w.entries((Map<?, ?>) o);
        } else if (IPersistentMap.class.isAssignableFrom(type)) {
            return null;
        } else if (IPersistentVector.class.isAssignableFrom(type)) {
            return (w, o) -> w.items(((Iterable<?>) o).iterator());
        } else if (IPersistentSet.class.isAssignableFrom(type) || Set.class.isAssignableFrom(type)) {
            return set(c);
        } else if (Sequential.class.isAssignableFrom(type)) {
            return c.lists == Codec.AS_EXT && Iterable.class.isAssignableFrom(type) ? (w, o) -> {
                int start = w.beginExt();
                w.items(((Iterable<?>) o).iterator());
                w.endExt(start, Exts.LIST);
            } : Types::sequential;
        } else if (Collection.class.isAssignableFrom(type) || Iterable.class.isAssignableFrom(type)) {
            // A path is iterable too, of itself; it was text above.
            return (w, o) -> w.items(((Iterable<?>) o).iterator());
        } else if (Iterator.class.isAssignableFrom(type)) {
            return (w, o) -> w.items((Iterator<?>) o);
        } else if (IReduceInit.class.isAssignableFrom(type)) {
            return Types::sequential;
        } else if (type == Optional.class) {
            return (w, o) -> w.instead(((Optional<?>) o).orElse(null));
        } else if (type == clojure.lang.Delay.class) {
            return (w, o) -> w.instead(((IDeref) o).deref());
        }
        return null;
    }

    private static void sequential(Writer w, Object o) {
        w.items(o instanceof Iterable ? ((Iterable<?>) o).iterator() : reduced((IReduceInit) o).iterator());
    }

    private static List<Object> reduced(IReduceInit items) {
        List<Object> all = new java.util.ArrayList<>();
        items.reduce(new clojure.lang.AFn() {
            @Override
            public Object invoke(Object acc, Object item) {
                all.add(item);
                return acc;
            }
        }, null);
        return all;
    }

    private static Handler set(Codec c) {
        if (c.sets == Codec.AS_ERROR) {
            return refused("Sets", ":sets");
        }
        if (c.sets == Codec.AS_TEXT) {
            return (w, o) -> w.members(((Iterable<?>) o).iterator(), false);
        }
        return (w, o) -> {
            int start = w.beginExt();
            w.members(((Iterable<?>) o).iterator(), true);
            w.endExt(start, Exts.SET);
        };
    }

    private static Handler record(Class<?> type, Codec c) {
        Object[] known = c.recordWriters == null ? null : c.recordWriters.get(type);
        if (known != null) {
            String tag = (String) known[0];
            return (w, o) -> w.record(tag, (Map<?, ?>) o);
        }
        if (c.unregistered == Codec.AS_ERROR) {
            return (w, o) -> {
                throw new Fault("unsupported", "The record " + type.getName()
                    + " is not registered with :records, and would come back as a map", type);
            };
        }
        return (w, o) -> w.entries((Map<?, ?>) o);
    }

    private static Handler array(Class<?> type, Codec c) {
        if (type == byte[].class) {
            return (w, o) -> w.binary((byte[]) o, 0, ((byte[]) o).length);
        }
        if (c.arrays == Codec.AS_EXT && Exts.typeOf(type) != null) {
            return Exts::writeArray;
        }
        if (!type.getComponentType().isPrimitive()) {
            return (w, o) -> w.items(Arrays.asList((Object[]) o).iterator());
        }
        return (w, o) -> {
            int n = Array.getLength(o);
            w.items(new Iterator<Object>() {
                private int i;

                @Override
                public boolean hasNext() {
                    return i < n;
                }

                @Override
                public Object next() {
                    return Array.get(o, i++);
                }
            });
        };
    }
}
