package oxwire.msgpack;

import clojure.lang.ExceptionInfo;
import clojure.lang.IPersistentMap;
import clojure.lang.Keyword;
import clojure.lang.PersistentArrayMap;
import clojure.lang.PersistentVector;
import java.util.ArrayDeque;

/**
 * What is wrong with a message or a value, on its way out of the Java code: the API turns it into an {@code ex-info}.
 *
 * <p>The path is put together while the containers are left, innermost first, so that a message that is right pays
 * nothing for it. There is no stack trace here: the {@code ex-info} has one, and a reader of hostile input throws often.
 */
public final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1;

    static final long NOWHERE = -1;

    final String type;
    final long offset;
    private final transient Object subject;
    private final transient ArrayDeque<Object> path = new ArrayDeque<>();

    /** A value that cannot be written. */
    Fault(String type, String message, Object subject) {
        this(type, NOWHERE, message, subject, null);
    }

    /** Bytes that cannot be read: {@code offset} counts from the beginning of the input. */
    Fault(String type, long offset, String message) {
        this(type, offset, message, null, null);
    }

    Fault(String type, long offset, String message, Object subject, Throwable cause) {
        super(message, cause, false, false);
        this.type = type;
        this.offset = offset;
        this.subject = subject;
    }

    /** The same fault, seen from the container that has the culprit under this key or index. */
    Fault in(Object step) {
        path.addFirst(step == null ? NIL : step);
        return this;
    }

    /** The same fault as the fault of what encloses it: the path stays. */
    Fault as(String otherType, long otherOffset, String message) {
        Fault other = new Fault(otherType, otherOffset, message + ": " + getMessage(), subject, getCause());
        other.path.addAll(path);
        return other;
    }

    private Object[] steps() {
        // A deque has no room for null, which is a key like any other.
        Object[] steps = path.toArray();
        for (int i = 0; i < steps.length; i++) {
            if (steps[i] == NIL) {
                steps[i] = null;
            }
        }
        return steps;
    }

    private static final Object NIL = new Object();

    /** For the API: the exception that users see, with further data or none. */
    public ExceptionInfo info(IPersistentMap more) {
        PersistentVector where = PersistentVector.create(steps());
        IPersistentMap data = more == null ? PersistentArrayMap.EMPTY : more;
        data = data.assoc(Keyword.intern("type"), Keyword.intern("oxwire.msgpack", type)).assoc(Keyword.intern("path"), where);
        StringBuilder text = new StringBuilder(getMessage());
        if (offset != NOWHERE) {
            data = data.assoc(Keyword.intern("offset"), offset);
            text.append(" (byte ").append(offset);
        }
        if (where.count() > 0) {
            text.append(offset == NOWHERE ? " (at " : ", at ").append(shown(where)).append(')');
        } else if (offset != NOWHERE) {
            text.append(')');
        }
        if (subject instanceof Class) {
            data = data.assoc(Keyword.intern("class"), subject);
        } else if (subject != null) {
            data = data.assoc(Keyword.intern("value"), subject);
        }
        return new ExceptionInfo(text.toString(), data, getCause());
    }

    /** Long paths and long keys would hide what the message says; the data has them whole. */
    private static String shown(PersistentVector where) {
        StringBuilder text = new StringBuilder("[");
        int n = where.count();
        for (int i = 0; i < n; i++) {
            if (i == 8 && n > 12) {
                text.append(" ...");
                i = n - 4;
            }
            Object step = where.nth(i);
            String one = step instanceof String ? '"' + (String) step + '"' : clojure.lang.RT.printString(step);
            text.append(i == 0 ? "" : " ").append(one.length() > 60 ? one.substring(0, 57) + "..." : one);
        }
        return text.append(']').toString();
    }
}
