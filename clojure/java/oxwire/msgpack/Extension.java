package oxwire.msgpack;

import clojure.lang.IFn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A type that the user gave a code: which class it writes and how, which code it reads and how. Either half may be
 * missing.
 *
 * <p>Global ones (extend-msgpack) are kept here, in an array that is replaced as a whole: codecs notice by its identity.
 */
public final class Extension {
    /** The code of an extension that writes its class as another value, without an ext. */
    public static final int NO_CODE = 1000;

    private static volatile Extension[] global = {};

    final Class<?> type;
    final int code;
    final IFn pack;
    final IFn unpack;
    /** Whether the payload is a message: pack's result is encoded into it, unpack gets what it holds. */
    final boolean payloadIsValue;
    /** The two questions of msgpack-clj's protocol, and its way to read and write; null for extensions as data. */
    final IFn canPack;
    final IFn canUnpack;
    /** Whether what unpack throws is a fault of the body: it is a function of ours and not of the user. */
    final boolean preset;

    public Extension(Class<?> type, int code, IFn pack, IFn unpack, boolean payloadIsValue) {
        this(type, code, pack, unpack, payloadIsValue, null, null, false);
    }

    private Extension(
        Class<?> type, int code, IFn pack, IFn unpack, boolean value, IFn canPack, IFn canUnpack, boolean preset) {
        this.type = type;
        this.code = code;
        this.pack = pack;
        this.unpack = unpack;
        this.payloadIsValue = value;
        this.canPack = canPack;
        this.canUnpack = canUnpack;
        this.preset = preset;
    }

    /** An ext that another library writes, for reading only. */
    public static Extension preset(int code, IFn unpack, boolean payloadIsValue) {
        return new Extension(null, code, null, unpack, payloadIsValue, null, null, true);
    }

    /** An extension that answers questions: of values whether it writes them, of codes whether it reads them. */
    public static Extension asking(IFn canPack, IFn pack, IFn canUnpack, IFn unpack) {
        return new Extension(null, NO_CODE, pack, unpack, false, canPack, canUnpack, false);
    }

    static Extension[] global() {
        return global;
    }

    /** Adds a global extension; one that has the same class or the same code goes. */
    public static synchronized void register(Extension added) {
        List<Extension> kept = new ArrayList<>();
        kept.add(added);
        for (Extension one : global) {
            if (one.code != added.code && one.type != added.type) {
                kept.add(one);
            }
        }
        global = kept.toArray(new Extension[0]);
    }

    /** Takes the global extension of a code back. */
    public static synchronized void unregister(int code) {
        global = Arrays.stream(global).filter(one -> one.code != code).toArray(Extension[]::new);
    }

    boolean reads() {
        return unpack != null;
    }

    boolean reads(int other) {
        if (canUnpack == null) {
            return code == other;
        }
        Object answer = canUnpack.invoke((long) other);
        return answer != null && answer != Boolean.FALSE;
    }

    boolean writes(Class<?> other) {
        return pack != null && type != null && type.isAssignableFrom(other);
    }

    /** Whether none of these has anything to do with these classes. */
    static boolean spares(Extension[] all, Class<?>[] classes) {
        for (Extension one : all) {
            if (one.canPack != null) {
                return false;
            }
            if (one.type == Object.class) {
                continue;
            }
            for (Class<?> type : classes) {
                if (one.writes(type)) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * The most specific extension for a class: the class itself, then the nearest of its ancestors; a class before an
     * interface, and of two interfaces that know nothing of each other the one that was given first. Object is what is
     * left when nothing else fits, and so is not asked here.
     */
    static Extension of(Class<?> type, Extension[] all) {
        Extension best = null;
        for (Extension one : all) {
            if (!one.writes(type) || one.type == Object.class) {
                continue;
            }
            if (best == null || nearer(one.type, best.type)) {
                best = one;
            }
        }
        return best;
    }

    private static boolean nearer(Class<?> one, Class<?> best) {
        if (one == best) {
            return false;
        }
        return best.isAssignableFrom(one) || (best.isInterface() && !one.isInterface());
    }

    static Extension last(Extension[] all) {
        for (Extension one : all) {
            if (one.type == Object.class && one.pack != null) {
                return one;
            }
        }
        return null;
    }

    static Extension[] asking(Extension[] all) {
        return Arrays.stream(all).filter(one -> one.canPack != null).toArray(Extension[]::new);
    }

    /** The value of a body (or of what it holds). */
    Object made(Object body, long offset) {
        if (!preset) {
            return unpack.invoke(body);
        }
        try {
            return unpack.invoke(body);
        } catch (Fault fault) {
            throw fault;
        } catch (RuntimeException wrong) {
            throw new Fault("body", offset, "The body of ext " + code + " is not what its code says", null, wrong);
        }
    }

    /** Writes a value as this extension says. What the function throws comes out as it is. */
    void write(Writer w, Object o) {
        Object made = pack.invoke(o);
        if (code == NO_CODE) {
            w.instead(made);
        } else if (made instanceof byte[] && !payloadIsValue) {
            w.ext(code, (byte[]) made);
        } else {
            w.payload(code, made);
        }
    }
}
