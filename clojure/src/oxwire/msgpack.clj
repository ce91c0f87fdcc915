(ns oxwire.msgpack
  "MessagePack, fast, exact and safe.

      (pack {:name \"Zoë\" :tags [:a :b]})              ; => byte[]
      (unpack (pack {:name \"Zoë\"}))                   ; => {\"name\" \"Zoë\"}
      (unpack (pack {:name \"Zoë\"}) keyword-codec)     ; => {:name \"Zoë\"}
      (unpack (pack #{:a 1/3} lossless-codec) lossless-codec) ; => #{:a 1/3}

  A codec is a compiled map of options: immutable, and to be shared by all threads. Each function takes a codec or a map
  of options last; what a map leaves out is as in `default-codec`. Maps are compiled once and remembered, but a codec in
  a var is the fastest.

      (def api (codec {:keys :keyword :max-len 1000000}))
      (unpack bytes api)

  # Functions

  `pack`, `unpack`            one value, in a byte array or whatever else holds bytes
  `pack-stream`, `unpack-stream`   one value to or from a stream, which goes on behind it
  `pack-into!`, `pack-seq!`   into buffers, streams, channels, files; many values
  `unpack-seq`                many values: reducible, iterable, and a seq if one asks
  `decoder`, `feed!`, `finish!`    values out of pieces, for sockets
  `codec`                     options, compiled
  `ext`, `extend-msgpack`     types of one's own

  # What is written for what

  nil, booleans               nil, true, false
  Byte … Long, BigInt, BigInteger, AtomicLong   the shortest integer; beyond 64 bits see :bigint
  Double; Float               float 64; float 32. All bits are kept
  String, Character           str. A surrogate without its partner is an error
  Keyword, Symbol             str with its namespace, \"a/b\"; see :keywords, :symbols
  byte[], ByteBuffer          bin (what is between position and limit; the buffer is not changed)
  InputStream                 bin: all that is left of it. It is not closed; an error of :lossless codecs
  maps, records, java.util.Map     map. Keys that are keywords or symbols are text with their namespace
  vectors, lists, seqs, queues, sets, java.util.Collection, Iterable, Iterator, eductions, other arrays   array
  Instant, Date, OffsetDateTime, ZonedDateTime    timestamp (ext -1), to the nanosecond
  UUID, BigDecimal, Ratio, java.time's others, URI, URL, Path, File, regex, enums    str, as `str` has it
  Ext                         ext
  Optional, Delay             what is in it

  Metadata is not written. Anything else is an error that names the class and the path, unless :extensions know it.
  Two keys that are written alike ({:a 1 \"a\" 2}) are an error, and so is a map as a key.

  # What is read as what

  integers are Long, beyond that BigInt; both floats are Double; str is String; bin is byte[] (in keys a read-only
  ByteBuffer, since an array is equal to itself only); array is a vector; map is a map, which keeps its order up to 16
  entries; timestamp is Instant; other exts are Ext.

  # Options, the default first

  Keys
  :keys           :string, :keyword, or a function of each key that is read
  :encode-keys    :name (keywords and symbols as text), :as-is, or a function of each key that is written
  :key-fn         a function for both, as in msgpack-clj
  :duplicate-keys :last, :error

  Types
  :keywords :symbols :char :uuid :bigdec :ratio :regex    :string, :ext, :error (not of :char and :regex)
  :bigint         :error, :ext, :string       integers beyond 64 bits
  :sets           :array, :ext, :error        of members that are equal the same message
  :lists          :array, :ext                lists and seqs, as opposed to vectors
  :arrays         :array, :ext                arrays of numbers and booleans as typed arrays, copied at once
  :dates          :timestamp, :ext            java.util.Date
  :java-time      :string, :error             what has no form of its own
  :map-keys       :error, :ext                maps as keys
  :records        [{:tag \"point\" :class Point :read map->Point}]: written with a name, and read by it
  :unregistered-records    :map, :error
  :lossless       true: all of the above :ext, and where that is not possible :error; keys :as-is
  :floats         :double, :shortest (float 32 where it is the same number), :single (rounded; an error beyond its range)
  :instants       :instant, :date, :ext       what a timestamp is read as
  :bytes          :array, :buffer             what bin is read as
  :unknown-ext    :value (Ext), :error
  :extensions     types of one's own: see below
  :presets        [:msgpack-clj], [:clojure-msgpack], [:sente]: read the exts that these libraries wrote

  Form
  :canonical      false, true: equal values are the same bytes (sorted keys and sets, shortest floats)
  :sort-keys      false, true: maps in the order of their keys' bytes
  :raw            false, true: the specification before 2013, without bin and str 8; str is read as bytes

  Input
  :malformed      :error, :replace            text that is not UTF-8
  :strict         false, true: refuse what has a shorter form, and keys that stand twice
  :trailing       :error, :ignore             bytes behind the value
  :max-depth      1000                        containers in each other, both ways
  :max-len        none                        bytes of a text, bin or ext, items, entries
  :max-buffer     none                        bytes of one message in a decoder

  # Extensions

      (codec {:extensions [{:code 5 :class Point :pack (fn [p] bytes) :unpack (fn [bytes] p)}]})

  :pack gives the body as bytes, or a value whose message is the body; :unpack gets the bytes. With :payload :value
  both speak of values. Without :code, :pack gives a value that is written instead. Either half may be missing.
  The most specific class counts, and extensions come before what is built in; Object is what nothing else knows.
  Those of msgpack-clj's protocol (`oxwire.msgpack.extension`) may stand there too.

  # Errors

  All are ex-info. :type is one of these in the namespace oxwire.msgpack, :path the keys and indexes that lead to the
  place, :offset (of reading) the byte from the beginning of the input.

  Reading: :eof :marker :utf8 :trailing :key :duplicate-key :timestamp :body :depth :non-minimal :length :collisions
  :unknown-ext :too-large. Writing: :unsupported (with :class or :value) :range :surrogate :key :duplicate-key :depth
  :length :too-large :no-room. Options: :option. What a function of yours throws comes out as it is."
  (:require [oxwire.msgpack.options :as options :refer [compile-options refuse]])
  (:import (clojure.lang IReduceInit Seqable Sequential)
           (java.io File InputStream OutputStream)
           (java.nio ByteBuffer)
           (java.nio.channels Channels ReadableByteChannel WritableByteChannel)
           (java.nio.file Files OpenOption Path)
           (java.util Iterator NoSuchElementException)
           (java.util.concurrent ConcurrentHashMap)
           (oxwire.msgpack Codec Decoder Ext Extension Fault Reader TypedArray Writer Writer$Sink)))

(set! *warn-on-reflection* true)

;; Errors

(defmacro ^:private faithfully
  "Faults of the Java code become ex-info."
  [& body]
  `(try ~@body (catch Fault fault# (throw (.info fault# nil)))))

(def ^{:arglists '([k])} stringify-keys-mapper
  "A key that is a keyword as text, with its namespace: `:a/b` is \"a/b\". Any other as it is. (`default-codec` does this
  by itself.)"
  options/stringify)

(def ^{:arglists '([k])} keywordize-keys-mapper
  "A key that is text as a keyword: \"a/b\" is `:a/b`. Any other as it is. (`keyword-codec` does this by itself, faster.)"
  options/keywordize)

;; Codecs

(defn codec
  "The options as a codec, which all functions take: see the manual of this namespace. With two arguments, the options
  of a codec and others that come on top."
  (^Codec [opts] (if (instance? Codec opts) opts (compile-options opts)))
  (^Codec [base opts] (compile-options (merge (if (instance? Codec base) (.-options ^Codec base) base) opts))))

(defn codec?
  "Whether x is a codec."
  [x]
  (instance? Codec x))

(defn codec-options
  "The options that a codec was made of, as they were given."
  [^Codec codec]
  (.-options codec))

(def ^Codec default-codec
  "What any other language can read: keywords as text, sets as arrays, keys as text."
  (compile-options {}))

(def ^Codec keyword-codec
  "`default-codec`, but keys that are text are read as keywords."
  (compile-options {:keys :keyword}))

(def ^Codec lossless-codec
  "All of Clojure's data comes back as it was: keywords, symbols, sets, lists, characters, ratios, big numbers, UUIDs,
  regular expressions, dates, typed arrays, maps as keys, and records with :records. What would not is an error."
  (compile-options {:lossless true}))

(def ^:private ^ConcurrentHashMap compiled (ConcurrentHashMap.))

(defn- remembered ^Codec [opts]
  (cond
    (nil? opts) default-codec
    (not (map? opts)) (compile-options opts)
    :else (or (.get ^ConcurrentHashMap compiled opts)
              (let [made (compile-options opts)]
                ;; Functions made for each call make each map another one: these must not pile up.
                (when (> (.size ^ConcurrentHashMap compiled) 256) (.clear ^ConcurrentHashMap compiled))
                (.put ^ConcurrentHashMap compiled opts made)
                made))))

(defmacro ^:private codec-of [codec-or-opts]
  `(let [given# ~codec-or-opts]
     (if (instance? Codec given#) given# (remembered given#))))

;; Packing

(defn pack
  "The value as one message, a byte array. Errors: see the manual of this namespace."
  (^bytes [x] (faithfully (Writer/pack x default-codec)))
  (^bytes [x codec] (let [^Codec c (codec-of codec)] (faithfully (Writer/pack x c)))))

(defn- no-room [needed]
  (refuse :no-room (str "The message has " needed " bytes, and there is not that much room") {:needed needed}))

(defn- stream-sink ^Writer$Sink [^OutputStream out]
  (reify Writer$Sink (take [_ b n] (.write out b 0 n))))

(defn- channel-sink ^Writer$Sink [^WritableByteChannel out]
  (reify Writer$Sink
    (take [_ b n]
      (let [from (ByteBuffer/wrap b 0 n)]
        (while (.hasRemaining from)
          (when (and (zero? (.write out from)) (instance? java.nio.channels.SelectableChannel out)
                     (not (.isBlocking ^java.nio.channels.SelectableChannel out)))
            (throw (java.nio.channels.IllegalBlockingModeException.))))))))

(defn- buffer-sink ^Writer$Sink [^ByteBuffer out]
  (reify Writer$Sink
    (take [_ b n] (if (< (.remaining out) n) (no-room n) (.put out b 0 n)))))

(defn- with-sink
  "Calls f with a sink for what can be written to."
  [out f]
  (cond
    (instance? OutputStream out) (let [done (f (stream-sink out))] (.flush ^OutputStream out) done)
    (instance? ByteBuffer out) (f (buffer-sink out))
    (instance? WritableByteChannel out) (f (channel-sink out))
    (bytes? out) (f (buffer-sink (ByteBuffer/wrap out)))
    (instance? File out) (recur (.toPath ^File out) f)
    (instance? Path out) (with-open [stream (Files/newOutputStream out (make-array OpenOption 0))] (f (stream-sink stream)))
    :else (refuse :unsupported (str "Cannot write to " (pr-str (class out))) {:class (class out)})))

(defn pack-into!
  "Writes the value as one message into a ByteBuffer (from its position, which moves), a byte array (from its
  beginning), an OutputStream (which is flushed and stays open), a WritableByteChannel, or a File or Path (which is
  replaced). Gives the number of bytes. If the value cannot be written, or there is no room (:no-room), nothing is;
  of a File nothing is left."
  ([sink x] (pack-into! sink x default-codec))
  ([sink x codec]
   (let [^Codec c (codec-of codec)]
     (if (or (instance? File sink) (instance? Path sink))
       ;; A file is opened when there is something to write, so that a fault leaves it as it was.
       (let [made (pack x c)]
         (with-sink sink (fn [^Writer$Sink to] (.take to made (alength made))))
         (alength made))
       (with-sink sink (fn [to] (faithfully (Writer/packInto x c to))))))))

(defn pack-stream
  "Writes the value as one message to an OutputStream (or whatever else `pack-into!` takes), all of it or nothing, and
  flushes it. Gives nil."
  ([stream x] (pack-stream stream x default-codec))
  ([stream x codec] (pack-into! stream x codec) nil))

(defn pack-seq!
  "Writes each of the values as a message, one after the other, to what `pack-into!` writes to. Gives the number of bytes.
  The values may be any collection, also one that is made while it is read. An error leaves those before it written."
  ([sink xs] (pack-seq! sink xs default-codec))
  ([sink xs codec]
   (let [^Codec c (codec-of codec)
         values   (cond
                    (nil? xs) (java.util.Collections/emptyIterator)
                    (instance? Iterable xs) (.iterator ^Iterable xs)
                    :else (.iterator ^Iterable (sequence xs)))]
     (with-sink sink (fn [to] (faithfully (Writer/packAll values c to)))))))

;; Unpacking

(defn- cannot-read [src]
  (refuse :unsupported (str "Cannot read from " (pr-str (class src))) {:class (class src)}))

(defn- buffer-reader
  "Calls f with array, beginning and end of what a buffer holds. The array is the buffer's own if it can be had."
  [^ByteBuffer src f]
  (if (.hasArray src)
    (let [from (+ (.arrayOffset src) (.position src))]
      (f (.array src) from (+ from (.remaining src))))
    (let [copy (byte-array (.remaining src))]
      (.get (.duplicate src) copy)
      (f copy 0 (alength copy)))))

(defn- stream-of ^InputStream [src]
  (cond
    (instance? InputStream src) src
    (instance? ReadableByteChannel src) (Channels/newInputStream ^ReadableByteChannel src)))

(defn- unpack-other [src ^Codec c]
  (cond
    (instance? ByteBuffer src) (buffer-reader src (fn [b from to] (Reader/unpack b (int from) (int to) c)))
    (stream-of src) (.message (Reader. (stream-of src) true c))
    (instance? File src) (recur (.toPath ^File src) c)
    (instance? Path src) (let [b (Files/readAllBytes src)] (Reader/unpack b 0 (alength b) c))
    :else (cannot-read src)))

(defn unpack
  "The value of one message: all of a byte array, a ByteBuffer (from position to limit; it is not changed), a File or a
  Path. Bytes behind it are an error, unless :trailing is :ignore. From an InputStream or a ReadableByteChannel it takes
  one message and no byte more, as `unpack-stream` does."
  ([src] (unpack src default-codec))
  ([src codec]
   (let [^Codec c (codec-of codec)]
     (faithfully
      (if (bytes? src)
        (Reader/unpack src 0 (alength ^bytes src) c)
        (unpack-other src c))))))

(defn unpack-stream
  "The next value of an InputStream, a ReadableByteChannel or a ByteBuffer, which is left at the byte behind it: not
  one more is taken. Streams that are not buffered are read in small pieces, so a buffered one is faster. At the end of
  the input it is an error (:eof), or `eof-value` if that is given."
  ([stream] (unpack-stream stream default-codec))
  ([stream codec]
   (let [v (unpack-stream stream codec ::eof)]
     (if (identical? v ::eof)
       (throw (ex-info "The input ends where a value was to begin (byte 0)" {:type ::eof :offset 0 :path []}))
       v)))
  ([stream codec eof-value]
   (let [^Codec c (codec-of codec)]
     (faithfully
      (if (instance? ByteBuffer stream)
        (buffer-reader stream (fn [b from to]
                                (let [r (Reader. b (int from) (int to) c)
                                      v (.message r eof-value)]
                                  (.position ^java.nio.Buffer stream
                                             (int (+ (.position ^ByteBuffer stream) (- (.index r) (long from)))))
                                  v)))
        (.message (Reader. (or (stream-of stream) (cannot-read stream)) true c) eof-value))))))

(defn- each-value
  "An iterator over the messages of a reader; `done` is called once, at the end or at a fault."
  ^Iterator [^Reader r done]
  (let [ahead (object-array [::none])
        fill  (fn []
                (when (identical? ::none (aget ahead 0))
                  (aset ahead 0 (try
                                  (faithfully (.message r ::end))
                                  (catch Throwable failed (aset ahead 0 ::end) (done) (throw failed))))
                  (when (identical? ::end (aget ahead 0)) (done)))
                (aget ahead 0))]
    (reify Iterator
      (hasNext [_] (not (identical? ::end (fill))))
      (next [_]
        (let [v (fill)]
          (if (identical? ::end v)
            (throw (NoSuchElementException.))
            (do (aset ahead 0 ::none) v)))))))

(defn- iterate-lazily [^Iterator values]
  ;; Not iterator-seq, which takes 32 at a time and so would wait for messages that nobody asked for yet.
  (lazy-seq (when (.hasNext values) (cons (.next values) (iterate-lazily values)))))

(deftype ^:private Messages [open]
  IReduceInit
  (reduce [_ f init]
    (let [[^Reader r done] (open)]
      (try
        (loop [acc init]
          (let [v (faithfully (.message r ::end))]
            (if (identical? ::end v)
              acc
              (let [acc (f acc v)]
                (if (reduced? acc) @acc (recur acc))))))
        (finally (done)))))
  Iterable
  (iterator [_] (let [[r done] (open)] (each-value r done)))
  Seqable
  (seq [this] (seq (iterate-lazily (.iterator this))))
  Sequential)

(defmethod print-method Messages [_ ^java.io.Writer w] (.write w "#<messages>"))

(defn unpack-seq
  "The messages of a source that holds any number of them, one after the other: something that can be reduced (fastest,
  and stops where the reduction does), iterated, and asked for a lazy seq.

      (into [] (comp (filter :ok) (take 10)) (unpack-seq (io/input-stream \"events.msgpack\") keyword-codec))

  Of a byte array, ByteBuffer, File or Path each use begins at the beginning; a File is closed at the end, by a
  reduction also when that stops before. An InputStream or a channel is read once and **ahead of the messages**: use
  `unpack-stream` if something else has to be read behind them. It is not closed."
  ([src] (unpack-seq src default-codec))
  ([src codec]
   (let [^Codec c (codec-of codec)
         nothing  (fn [])
         path     (cond (instance? File src) (.toPath ^File src) (instance? Path src) src)]
     (Messages.
      (cond
        (bytes? src) (fn [] [(Reader. ^bytes src 0 (alength ^bytes src) c) nothing])
        (instance? ByteBuffer src) (fn [] [(buffer-reader src (fn [b from to] (Reader. ^bytes b (int from) (int to) c))) nothing])
        path (fn []
               (let [in (Files/newInputStream path (make-array OpenOption 0))]
                 [(Reader. in false c) (fn [] (.close in))]))
        (stream-of src) (let [r (Reader. (stream-of src) false c)] (fn [] [r nothing]))
        :else (cannot-read src))))))

;; Pieces

(defn decoder
  "Something to `feed!`: it keeps the bytes of a message until all of them are there. Not for several threads at once."
  (^Decoder [] (Decoder. default-codec))
  (^Decoder [codec] (Decoder. (codec-of codec))))

(defn feed!
  "Gives a decoder more bytes (a byte array, a part of one from an index and of a length, or a ByteBuffer, which is
  drained), and takes the values of the messages that they complete: a vector, often an empty one.

  An error has those before it as :values in its data. What is wrong inside a message passes with it: the next `feed!`
  (perhaps of no bytes) goes on behind. After :marker, :length, :depth and :too-large nothing can be found, and
  the error stays. :offset counts all bytes that the decoder was fed."
  ([^Decoder d bytes]
   (if (instance? ByteBuffer bytes)
     (let [copy (byte-array (.remaining ^ByteBuffer bytes))]
       (.get ^ByteBuffer bytes copy)
       (feed! d copy 0 (alength copy)))
     (feed! d bytes 0 (alength ^bytes bytes))))
  ([^Decoder d bytes from length]
   (java.util.Objects/checkFromIndexSize (int from) (int length) (alength ^bytes bytes))
   (faithfully (.put d ^bytes bytes (int from) (int length)))
   (loop [values (transient [])]
     (let [v (try
               (.next d ::none)
               (catch Fault fault (throw (.info fault {:values (persistent! values)}))))]
       (if (identical? ::none v)
         (persistent! values)
         (recur (conj! values v)))))))

(defn pending
  "How many bytes a decoder keeps of a message that is not complete."
  [^Decoder d]
  (.pending d))

(defn finish!
  "Tells a decoder that its input has ended: an error (:eof) if that is inside a message. Gives nil."
  [^Decoder d]
  (when-let [fault (.rest d)]
    (throw (.info fault nil))))

;; Exts

(defn ext
  "An ext of a code (-128 to 127) and its bytes: a value, equal to others of the same code and bytes. `(:code e)`, `(:data e)`."
  ^Ext [code bytes]
  (Ext. (long code) bytes))

(defn ->Ext
  "`ext`, as clojure-msgpack calls it."
  ^Ext [code bytes]
  (ext code bytes))

(defn ext?
  "Whether x is an ext."
  [x]
  (instance? Ext x))

(defmethod print-method Ext [^Ext e ^java.io.Writer w] (.write w (.toString e)))
(defmethod print-dup Ext [^Ext e ^java.io.Writer w] (.write w (.toString e)))

(defn read-ext
  "What `#msgpack/ext [5 \"00ff\"]` means."
  [[code hex]]
  (ext code (byte-array (map (fn [[a b]] (unchecked-byte (Integer/parseInt (str a b) 16))) (partition 2 hex)))))

(defn typed-array
  "A typed array (ext 43) of what Java has no array for: a type spelled as in NumPy's array interface (\"<u4\"), the
  dimensions, and the items as bytes, little-endian, the last dimension running fastest."
  ^TypedArray [type dims items]
  (TypedArray. type (long-array dims) items))

(defn register-extension!
  "Makes an extension (see the manual of this namespace) known to all codecs, also to those that are there already; their
  own come first. One of the same class or code is replaced."
  [e]
  (Extension/register (options/extension-of {} e))
  nil)

(defn unregister-extension!
  "Takes the extension of a code back that `register-extension!` or `extend-msgpack` made known to all codecs."
  [code]
  (Extension/unregister (int code))
  nil)

(defmacro extend-msgpack
  "Gives a class an ext code for all codecs:

      (extend-msgpack Person 1
        [p] (.getBytes (:name p) \"UTF-8\")
        [bytes] (->Person (String. bytes \"UTF-8\")))

  The first body makes bytes of a value (or a value whose message they are), the second a value of bytes. Codes are
  0 to 127. For one codec only, use :extensions."
  [class code pack-args pack-body unpack-args unpack-body]
  `(let [code# ~code]
     (when-not (and (int? code#) (<= 0 code# 127))
       (throw (ex-info (str "The code of an extension is from 0 to 127, not " (pr-str code#))
                       {:type ::option :path [] :option :code :value code#})))
     (register-extension! {:class  ~class
                           :code   code#
                           :pack   (fn ~pack-args ~pack-body)
                           :unpack (fn ~unpack-args ~unpack-body)})))
