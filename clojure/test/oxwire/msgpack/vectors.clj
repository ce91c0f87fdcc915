(ns oxwire.msgpack.vectors
  "The vectors that all our readers and writers keep, ../vectors/msgpack, as values of Clojure.

  What may surprise: values are compared by `exact`, which knows arrays by what they hold, one NaN from another, and
  1 from 1.0 and from 1M; and maps of many entries are LinkedHashMaps here, since the vectors say in which order they are
  written."
  (:require [clojure.data.json :as json]
            [clojure.java.io :as io]
            [clojure.string :as str])
  (:import (java.io ByteArrayOutputStream)
           (java.math BigDecimal BigInteger)
           (java.nio ByteBuffer)
           (java.time Instant)
           (java.util Date LinkedHashMap)
           (oxwire.msgpack Ext TypedArray)))

(set! *warn-on-reflection* true)

(def folders
  (let [root (io/file (or (System/getProperty "oxwire.vectors") "../vectors"))]
    [(io/file root "msgpack") (io/file root "lossless")]))

(defrecord Point [x y])

(def records [{:tag "point" :class Point :read map->Point}])

;; The notation

(defn- parts [^String text]
  (let [m    (re-matcher #"(?:([0-9a-f]{2})|'([^'()]*)'|@([124]))(?:\*(\d+))?|\s+" text)
        all  (loop [at 0 found []]
               (if (.find m)
                 (do (assert (= at (.start m)) text)
                     (recur (.end m)
                            (let [[hex ascii width n] (map #(.group m (int %)) [1 2 3 4])]
                              (cond
                                width (conj found (Long/parseLong width))
                                (or hex ascii) (conj found [(if hex (byte-array [(unchecked-byte (Integer/parseInt hex 16))])
                                                                (.getBytes ^String ascii "US-ASCII"))
                                                            (if n (Integer/parseInt n) 1)])
                                :else found))))
                 (do (assert (= at (count text)) text) found)))]
    all))

(defn octets
  "The bytes that a text of the notation stands for."
  ^bytes [^String text]
  (let [out (ByteArrayOutputStream.)
        m   (re-matcher #"\(([^()]*)\)\*(\d+)(?:\.\.(\d+))?|([^()]+)" text)]
    (while (.find m)
      (let [found (parts (or (.group m 1) (.group m 4)))
            first (if (.group m 1) (Integer/parseInt (.group m 2)) 1)
            [from to] (cond (.group m 3) [first (inc (Integer/parseInt (.group m 3)))] (.group m 1) [0 first] :else [0 1])]
        (doseq [n (range from to), part found]
          (if (vector? part)
            (dotimes [_ (second part)] (.write out ^bytes (nth part 0)))
            (doseq [shift (range (* 8 (dec (long part))) -1 -8)]
              (.write out (int (bit-and 255 (bit-shift-right (long n) (long shift))))))))))
    (.toByteArray out)))

(defn integer [said]
  (if (string? said)
    (if-let [[_ sign power add] (re-matches #"(-?)2\*\*(\d+)([+-]\d+)?" said)]
      (let [power (.shiftLeft BigInteger/ONE (Integer/parseInt power))]
        (+ (bigint (if (= sign "-") (.negate power) power)) (bigint (if add (BigInteger. ^String (str/replace add "+" "")) 0))))
      (bigint (BigInteger. ^String said)))
    said))

(defn small
  "An integer as the reader would give it."
  [n]
  (if (and (instance? clojure.lang.BigInt n) (nil? (.-bipart ^clojure.lang.BigInt n))) (long n) n))

(defn value
  "The value that a piece of the vectors' JSON stands for."
  [said]
  (cond
    (vector? said) (mapv value said)
    (not (map? said)) said
    :else
    (let [[[tag of]] (seq said)]
      (case tag
        "int" (small (integer of))
        "f64" (Double/longBitsToDouble (Long/parseUnsignedLong (str/replace of " " "") 16))
        "text" (apply str (repeat (second of) (first of)))
        "bin" (octets of)
        "array" (vec (repeat (second of) (value (first of))))
        "nest" (reduce (fn [inner _] [inner]) (value (first of)) (range (second of)))
        "nest-map" (reduce (fn [inner _] (array-map 0 inner)) (value (first of)) (range (second of)))
        "map" (let [m (LinkedHashMap.)]
                (doseq [[k v] of] (.put m (value k) (value v)))
                (if (<= (count of) 8) (apply array-map (mapcat (fn [[k v]] [(value k) (value v)]) of)) m))
        "count" (let [m (LinkedHashMap.)] (dotimes [n of] (.put m n nil)) m)
        "ext" (Ext. (long (first of)) (octets (second of)))
        "timestamp" (let [s (long (integer (first of)))]
                      (if (<= (.getEpochSecond Instant/MIN) s (.getEpochSecond Instant/MAX))
                        (Instant/ofEpochSecond s (second of))
                        (let [b (ByteBuffer/allocate 12)]
                          (.putInt b (int (second of)))
                          (.putLong b s)
                          (Ext. -1 (.array b)))))
        "typed" (TypedArray. (first of) (long-array (second of)) (octets (nth of 2)))
        "keyword" (keyword of)
        "symbol" (symbol of)
        "char" (if (= 1 (count of)) (first of) of)
        "set" (into #{} (map value) of)
        "list" (apply list (map value of))
        "ratio" (/ (bigint (integer (first of))) (bigint (integer (second of))))
        "decimal" (BigDecimal. (.toBigInteger ^clojure.lang.BigInt (bigint (integer (first of)))) (int (- (long (second of)))))
        "uuid" (java.util.UUID/fromString of)
        "pattern" (java.util.regex.Pattern/compile
                   (first of) (reduce + 0 (map {\i 2 \m 8 \s 32 \x 4 \u 64 \d 1} (second of))))
        "date" (Date. (long (integer of)))
        "record" (map->Point (value (second of)))))))

(defn exact
  "Something that is equal for equal values of one type only."
  [v]
  (cond
    (instance? Double v) [:f64 (Double/doubleToRawLongBits v)]
    (instance? BigDecimal v) [:decimal (.unscaledValue ^BigDecimal v) (.scale ^BigDecimal v)]
    (int? v) [:int (bigint v)]
    (or (instance? clojure.lang.BigInt v) (instance? BigInteger v)) [:int (bigint v)]
    (instance? (Class/forName "[B") v) [:bin (vec v)]
    (instance? ByteBuffer v) (let [b (.duplicate ^ByteBuffer v) a (byte-array (.remaining b))] (.get b a) [:bin (vec a)])
    (instance? TypedArray v) [:typed (.type ^TypedArray v) (vec (.dims ^TypedArray v)) (vec (.items ^TypedArray v))]
    (and (some? v) (.isArray (class v)))
    (let [[type size put] (condp = (class v)
                            (Class/forName "[I") ["<i4" 4 #(.putInt ^ByteBuffer %1 (int %2))]
                            (Class/forName "[J") ["<i8" 8 #(.putLong ^ByteBuffer %1 (long %2))]
                            (Class/forName "[D") ["<f8" 8 #(.putLong ^ByteBuffer %1 (Double/doubleToRawLongBits %2))]
                            (Class/forName "[F") ["<f4" 4 #(.putInt ^ByteBuffer %1 (Float/floatToRawIntBits %2))]
                            (Class/forName "[S") ["<i2" 2 #(.putShort ^ByteBuffer %1 (short %2))]
                            (Class/forName "[Z") ["|b1" 1 #(.put ^ByteBuffer %1 (byte (if %2 1 0)))])
          b (.order (ByteBuffer/allocate (* size (count v))) java.nio.ByteOrder/LITTLE_ENDIAN)]
      (doseq [one v] (put b one))
      [:typed type [(count v)] (vec (.array b))])
    (record? v) [(class v) (into {} (map (fn [[k of]] [k (exact of)])) v)]
    (instance? java.util.Map v) [:map (into {} (map (fn [[k of]] [(exact k) (exact of)])) v)]
    (set? v) [:set (into #{} (map exact) v)]
    (vector? v) [:vector (mapv exact v)]
    (sequential? v) [:list (mapv exact v)]
    (instance? java.util.regex.Pattern v) [:pattern (str v) (.flags ^java.util.regex.Pattern v)]
    (nil? v) nil
    :else [(class v) v]))

;; The cases


(defn- case-of [file said]
  (let [hex #(some-> % octets)]
    (cond-> {:file        file
             :name        (said "name")
             :mode        (said "mode")
             :way         (said "way")
             :why         (said "why")
             :offset      (said "offset")
             :data        (hex (said "bytes"))
             :canonical   (hex (said "canonical"))
             :also        (mapv octets (said "also"))
             :also-strict (mapv octets (said "also-strict"))}
      (contains? said "value") (assoc :value (delay (value (said "value")))))))

(def ^:private paths
  (into (sorted-map) (for [^java.io.File folder folders, ^java.io.File file (.listFiles folder)
                           :when (str/ends-with? (str file) ".json")]
                       [(str/replace (.getName file) ".json" "") file])))

(defn files [] (keys paths))

(def cases
  "The cases of a file."
  (memoize
   (fn [file]
     (mapv #(case-of file %) (get (json/read-str (slurp (paths file) :encoding "UTF-8")) "cases")))))

(defn all [] (mapcat cases (files)))

(defn forms
  "All bytes that are read as the value of a case."
  [{:keys [data also also-strict]}]
  (concat [data] also also-strict))

(def writing
  "What the modes of the vectors are here."
  {nil        {}
   "float32"  {:floats :single}
   "old-spec" {:raw true}
   "big-int"  {:bigint :ext}
   "typed"    {:arrays :ext}
   "clojure"  {:lossless true :records records}})

(def reading
  (merge writing {"always" {} "strict" {:strict true} "unique" {:duplicate-keys :error}}))

(defn hex [^bytes b]
  (let [n (min 40 (alength b))]
    (apply str (concat (map #(format "%02x" (aget b %)) (range n)) (when (< n (alength b)) [(str "... of " (alength b))])))))

(defn deeply
  "Runs f where there is stack for vectors that nest 1000 deep and the recursion of this namespace."
  [f]
  (let [result (promise)
        f      (bound-fn* f)
        thread (Thread. nil #(deliver result (try [(f)] (catch Throwable t t))) "deep" (* 512 1024 1024))]
    (.start thread)
    (let [r @result]
      (if (vector? r) (first r) (throw r)))))
