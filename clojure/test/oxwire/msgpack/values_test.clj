(ns oxwire.msgpack.values-test
  "What is written for what, and what comes back: the plain codec, the lossless one, options of types, and values that
  misbehave."
  (:require [clojure.string]
            [clojure.test :refer [are deftest is testing]]
            [oxwire.msgpack :as m])
  (:import (clojure.lang ExceptionInfo PersistentQueue)
           (java.nio ByteBuffer)
           (java.time Duration Instant LocalDate LocalDateTime OffsetDateTime ZoneId ZoneOffset ZonedDateTime)
           (java.util ArrayList Date HashMap LinkedHashMap Optional TreeMap UUID)
           (java.util.concurrent.atomic AtomicLong)
           (oxwire.msgpack Ext)))

(defrecord Point [x y])
(defrecord Other [z])

(defn hex [b] (apply str (map #(format "%02x" %) b)))
(defn there-and-back ([x] (there-and-back x nil)) ([x c] (m/unpack (m/pack x c) c)))
(defn fault [f] (try (f) nil (catch ExceptionInfo e (assoc (ex-data e) :message (ex-message e) :cause (ex-cause e)))))
(defn why [f] (some-> (fault f) :type name keyword))

(deftest plain-bytes
  (are [x bytes] (= bytes (hex (m/pack x)))
    (byte 5) "05", (short -33) "d0df", (int 70000) "ce00011170", 5N "05", (biginteger 5) "05", (AtomicLong. 7) "07"
    18446744073709551615N "cfffffffffffffffff", -9223372036854775808 "d38000000000000000"
    1.5 "cb3ff8000000000000", (float 1.5) "ca3fc00000", -0.0 "cb8000000000000000", 1e300 "cb7e37e43c8800759c"
    \a "a161", 'a/b "a3612f62", :a/b "a3612f62", {:a/b 1} "81a3612f6201", {'s 1} "81a17301"
    [1 [2]] "92019102", '(1 2) "920102", (map inc [1 2]) "920203", (range 3) "93000102", (cons 1 nil) "9101", () "90", [] "90"
    (subvec [1 2 3] 1) "920203", (first {1 2}) "920102", (into PersistentQueue/EMPTY [1 2]) "920102"
    #{1} "9101", (sorted-set 2 1) "920102", (sorted-map 2 :b 1 :a) "8201a16102a162", {} "80"
    (ArrayList. [1 2]) "920102", (HashMap. {1 2}) "810102", (TreeMap. {"b" 1 "a" 2}) "82a16102a16201"
    (object-array [1 nil]) "9201c0", (int-array [1 2]) "920102", (double-array [1]) "91cb3ff0000000000000"
    (boolean-array [true]) "91c3", (char-array "ab") "92a161a162", (into-array String ["a"]) "91a161", (long-array 0) "90"
    (byte-array [1 2]) "c4020102", (ByteBuffer/wrap (byte-array [1 2 3]) 1 2) "c4020203"
    (doto (ByteBuffer/allocateDirect 2) (.put (byte 9)) (.flip)) "c40109"
    (.iterator [1 2]) "920102", (eduction (map inc) [1 2]) "920203", (Optional/of 1) "01", (Optional/empty) "c0", (delay 1) "01"
    (->Point 1 2) "82a17801a17902", (assoc (->Point 1 2) :z 3) "83a17801a17902a17a03"
    (UUID. 0 1) "d92430303030303030302d303030302d303030302d303030302d303030303030303030303031"
    1.10M "a4312e3130", 1/3 "a3312f33", #"a+" "a2612b", (java.net.URI. "a:b") "a3613a62", (Duration/ofSeconds 5) "a450543553"
    (LocalDate/of 2026 1 2) "aa323032362d30312d3032", (m/ext 5 (byte-array [1])) "d40501"
    (Instant/ofEpochSecond 1) "d6ff00000001", (Date. 1500) "d7ff7735940000000001", (Instant/ofEpochSecond -1 999999999) "c70cff3b9ac9ffffffffffffffffff"
    (OffsetDateTime/of 1970 1 1 1 0 0 0 (ZoneOffset/ofHours 1)) "d6ff00000000"
    (ZonedDateTime/of 1970 1 1 0 0 1 0 (ZoneId/of "UTC")) "d6ff00000001"
    (java.sql.Timestamp. 1500) "d7ff7735940000000001", java.time.DayOfWeek/MONDAY "a64d4f4e444159"
    (LocalDateTime/of 2026 1 2 3 4) "b0323032362d30312d30325430333a3034"))

(deftest streams-as-bytes
  (let [in (fn [n] (java.io.ByteArrayInputStream. (byte-array (range n))))]
    (is (= "c403000102" (hex (m/pack (in 3)))))
    (is (= "82a161c400a16202" (hex (m/pack (array-map :a (in 0) :b 2)))))
    (is (= "c4050001020304" (hex (m/pack (in 5) {:max-len 5}))))
    (is (= :length (why #(m/pack (in 6) {:max-len 5}))))
    (is (= :unsupported (why #(m/pack (in 3) m/lossless-codec))))
    (let [boom (java.io.IOException. "boom")]
      (is (identical? boom (try (m/pack {:a (proxy [java.io.InputStream] [] (read ([] (throw boom)) ([_ _ _] (throw boom))))})
                                (catch java.io.IOException e e)))))))

(deftest what-comes-back
  (are [x] (= x (there-and-back x))
    nil true 1 -1 127 128 65536 4294967296 9223372036854775807 -9223372036854775808 9223372036854775808N 1.5 "" "é東🏠" [] [nil [1]]
    {} {"a" {"b" [1]}} {1 2 nil 3 true 4 [1 [2]] 5 1.5 6} (vec (range 100)) (zipmap (map str (range 100)) (range)))
  (is (instance? Long (there-and-back (int 1))))
  (is (instance? Double (there-and-back (float 1.5))))
  (is (instance? clojure.lang.BigInt (there-and-back 18446744073709551615N)))
  (is (vector? (there-and-back '(1))))
  (is (Double/isNaN (there-and-back ##NaN)))
  (is (= [1 2] (vec (there-and-back (byte-array [1 2])))))
  (is (= {:a/b 1, 2 3} (there-and-back {:a/b 1, 2 3} m/keyword-codec)))
  (testing "maps keep their order up to 16 entries"
    (let [ks (map #(str "key" %) (range 16))]
      (is (= ks (keys (there-and-back (apply array-map (interleave ks (range)))))))))
  (testing "bytes as keys can be asked for"
    (is (= 1 (get (there-and-back {(byte-array [1 2]) 1}) (ByteBuffer/wrap (byte-array [1 2]))))))
  (is (= {:a 1} (there-and-back (with-meta {:a 1} {:doc "not written"}) m/keyword-codec))))

(deftest buffers-are-left-alone
  (let [b (ByteBuffer/wrap (byte-array [1 2 3]))]
    (.get b)
    (m/pack b)
    (is (= [1 3] [(.position b) (.limit b)]))))

(deftest lossless
  (are [x] (let [y (there-and-back x m/lossless-codec)] (and (= x y) (= (class x) (class y))))
    :a :a/b (keyword "") 'a 'a/b '/ \a \u00e9 1/3 -22/7 (/ 1 (bigint 1e30)) 1.10M 0.00M 1E+100M 123456789012345678901234567890N -9223372036854775809N
    #{} #{1 :a "a" #{2}} '(1 (2) [3]) [1 '(2)] {:a {:b 'c "d" \e}} (UUID. 1 2) (Date. 5) (Instant/ofEpochSecond 5 6)
    {{:a 1} :map-as-key, #{[1]} 2, '(1) 3} #{{:a 1}} {[{:a #{{}}}] 1} (zipmap (map keyword (map str (range 100))) (range)))
  (is (= '(0 1 2) (there-and-back (range 3) m/lossless-codec)))
  (is (list? (there-and-back '(1 2) m/lossless-codec)))
  (is (list? (there-and-back () m/lossless-codec)))
  (let [p (there-and-back (java.util.regex.Pattern/compile "a+" 10) m/lossless-codec)]
    (is (= ["a+" 10] [(str p) (.flags ^java.util.regex.Pattern p)])))
  (are [x] (let [y (there-and-back x m/lossless-codec)] (and (= (class x) (class y)) (= (seq x) (seq y))))
    (int-array [1 -2]) (long-array [1 -2]) (double-array [1.5 -0.0]) (float-array [1.5]) (short-array [1 -1]) (boolean-array [true false]))
  (testing "what would not come back is an error"
    (are [x] (= :unsupported (why #(m/pack x m/lossless-codec)))
      (LocalDate/now) (java.net.URI. "a:b") (->Point 1 2) (keyword nil "a/b") (symbol nil "a/b") (ZonedDateTime/now)
      (Object.) (java.util.regex.Pattern/compile "a" java.util.regex.Pattern/LITERAL)))
  (testing "records by name"
    (let [c (m/codec m/lossless-codec {:records [{:tag "point" :class Point :read map->Point} {:tag "other" :class Other :read map->Other}]})]
      (are [x] (let [y (there-and-back x c)] (and (= x y) (= (class x) (class y))))
        (->Point 1 [:a]) [(->Point (->Other 1) nil)] {(->Point 1 2) 3} #{(->Other 1)} (assoc (->Point 1 2) :more 3))
      (is (m/ext? (m/unpack (m/pack (->Point 1 2) c) m/lossless-codec)))))
  (testing "without the codec they are exts"
    (is (= (m/ext 32 (.getBytes "a")) (m/unpack (m/pack :a m/lossless-codec))))))

(deftest options-of-types
  (are [x opts bytes] (= bytes (hex (m/pack x opts)))
    :a {:keywords :ext} "d42061", [:a {:a 1}] {:keywords :ext} "92d4206181a16101", {:a 1} {:encode-keys :as-is} "81a16101"
    {:a 1} {:encode-keys :as-is :keywords :ext} "81d4206101", {:a 1} {:key-fn str} "81a23a6101", {1 2} {:key-fn inc} "810202"
    [1.5 0.1] {:floats :shortest} "92ca3fc00000cb3fb999999999999a", 0.1 {:floats :single} "ca3dcccccd"
    {:b 1 :a 2} {:sort-keys true} "82a16102a16201", #{3 1 2} {:canonical true} "93010203", (float 0.1) {:canonical true} "ca3dcccccd"
    (byte-array 1) {:raw true} "a100", (apply str (repeat 40 "a")) {:raw true} (str "da0028" (apply str (repeat 40 "61")))
    (keyword (apply str (repeat 40 "a"))) {:compatibility-mode true} (str "da0028" (apply str (repeat 40 "61")))
    18446744073709551616N {:bigint :string} "b43138343436373434303733373039353531363136", 18446744073709551616N {:bigint :ext} "c70926010000000000000000"
    (Date. 1) {:dates :ext} "d72c0000000000000001")
  (are [x opts type] (= type (why #(m/pack x opts)))
    :a {:keywords :error} :unsupported, 'a {:symbols :error} :unsupported, #{} {:sets :error} :unsupported
    1M {:bigdec :error} :unsupported, 1/2 {:ratio :error} :unsupported, 1e300 {:floats :single} :range
    18446744073709551616N {} :range, {{} 1} {} :key, {[{}] 1} {} :key)
  (are [x opts y] (= y (m/unpack (m/pack x) opts))
    (Date. 1) {:instants :date} (Date. 1), (Date. 1) {:instants :ext} (m/ext -1 (m/unpack (m/pack (byte-array [0 0x3d 9 0 0 0 0 0]))))
    {:a/b 1} {:keys :keyword} {:a/b 1}, {:a 1} {:keys count} {1 1}, {:a 1 2 3} {:key-fn m/keywordize-keys-mapper} {:a 1 2 3}
    {:a 1} {:key-fn str} {"a" 1}, (byte-array [1]) {:bytes :buffer} (ByteBuffer/wrap (byte-array [1])))
  (is (= :timestamp (why #(m/unpack (m/pack (Instant/ofEpochSecond 0 1)) {:instants :date}))))
  (is (= :unknown-ext (why #(m/unpack (m/pack (m/ext 5 (byte-array 1))) {:unknown-ext :error}))))
  (is (= 1 (m/unpack (byte-array [1 2]) {:trailing :ignore})))
  (testing "options merge with the defaults, and nil is the default"
    (is (= "81a16101" (hex (m/pack {:a 1} {})) (hex (m/pack {:a 1} nil)) (hex (m/pack {:a 1} {:keywords nil})))))
  (testing "options that are none"
    (are [opts] (= :option (why #(m/codec opts)))
      {:kyes :keyword} {:keys :keywords} {:keywords :strings} {:max-depth 0} {:max-len "1"} {:extensions [{}]} {:extensions [{:code 300 :unpack identity}]}
      {:presets [:other]} {:records [{:tag :a}]} {:extensions [:a]} {:encode-keys 5} 5
      {:records [{:tag "a" :class Point :read map->Point} {:tag "a" :class Other :read map->Other}]}))
  (is (= {:keys :keyword} (m/codec-options (m/codec {:keys :keyword}))))
  (is (= {:a 1} (there-and-back {:a 1} (m/codec m/keyword-codec {:strict true})))))

(deftest keys-are-not-lost
  (is (= {:a/b 1 :c/b 2} (there-and-back {:a/b 1 :c/b 2} m/keyword-codec)))
  (are [x] (= :duplicate-key (why #(m/pack x)))
    {:a 1 "a" 2} {:a 1 'a 2} {\a 1 "a" 2} {[:a] 1 ["a"] 2} (sorted-map-by #(compare (str %1) (str %2)) :a 1 "a" 2)
    (LinkedHashMap. {:a 1 "a" 2}) (into {:a 1 "a" 2} (map vector (range 40) (range))))
  (is (= :duplicate-key (why #(m/pack {:a 1 :b 2} {:key-fn (constantly "k")}))))
  (is (= {"a" 1 1 2 1.5 3 [1] 4} (there-and-back {:a 1 1 2 1.5 3 [1] 4})))
  (testing "duplicates that are read"
    (let [twice (byte-array [0x82 0xa1 97 1 0xa1 97 2])]
      (is (= {"a" 2} (m/unpack (byte-array (map unchecked-byte [0x82 0xa1 97 1 0xa1 97 2])))))
      (is (= {:a 2} (m/unpack (byte-array (map unchecked-byte [0x82 0xa1 97 1 0xd9 1 97 2])) m/keyword-codec)))
      (is (= 1 (count (m/unpack (byte-array (map unchecked-byte [0x82 0xda 0 1 97 1 0xa1 97 2]))))))
      (is (= :duplicate-key (why #(m/unpack (byte-array (map unchecked-byte [0x82 0xa1 97 1 0xa1 97 2])) {:duplicate-keys :error}))))
      (is (= {"k" 2} (m/unpack (byte-array (map unchecked-byte [0x82 0xa1 97 1 0xa1 98 2])) {:keys (constantly "k")})))
      (is (some? twice)))
    (let [many (byte-array (map unchecked-byte (concat [0xde 0 40] (mapcat (fn [i] [(quot i 2) i]) (range 40)))))]
      (is (= (into {} (map (fn [i] [i (inc (* 2 i))])) (range 20)) (m/unpack many)))
      (is (= :duplicate-key (why #(m/unpack many {:duplicate-keys :error})))))))

(deftest surrogates-and-text
  ;; Written with h for the first half of a pair and l for the second, since not every reader of Clojure takes them.
  (let [halves (fn [s] (-> s (clojure.string/replace "h" (str (char 0xd800))) (clojure.string/replace "l" (str (char 0xdc00)))))]
    (are [x] (= :surrogate (why #(m/pack x)))
      (halves "h") (halves "al") (halves "ha") (halves "hh") (halves "lh") (char 0xd800)
      (str (apply str (repeat 1023 "a")) (halves "h")) (str (apply str (repeat 1023 "a")) (halves "hb")) {(halves "l") 1} (keyword (halves "h")))
    (is (= "a4f0908080" (hex (m/pack (halves "hl"))))))
  (doseq [n [0 1 30 31 32 33 63 64 255 256 1022 1023 1024 1025 2047 2048 65535 65536 70000], part ["a" "é" "東" "🏠"]]
    (let [s (str (apply str (repeat n "x")) part (apply str (repeat n part)))]
      (is (= s (there-and-back s)) [n part])
      (is (java.util.Arrays/equals (.getBytes s "UTF-8") (m/unpack (m/pack s) {:raw true})) [n part]))))

(deftest paths
  (are [x path] (= path (:path (fault #(m/pack x))))
    (Object.) [] [(Object.)] [0] {:a [1 {:b (Object.)}]} [:a 1 :b] (list 1 (Object.)) [1] {nil (Object.)} [nil]
    {[1] {"k" (Object.)}} [[1] "k"] (object-array [1 2 (Object.)]) [2] (HashMap. {"a" (Object.)}) ["a"] (->Point 1 (Object.)) [:y]
    (vec (concat (range 40) [(Object.)])) [40] (into {} (map (fn [i] [i (if (= i 30) (Object.) 1)])) (range 40)) [30])
  (is (= Object (:class (fault #(m/pack [(Object.)])))))
  (is (re-find #"java.lang.Object \(at \[:users 3 :avatar\]\)" (:message (fault #(m/pack {:users [1 2 3 {:avatar (Object.)}]})))))
  (let [bad (fn [x] (m/pack x {:extensions [{:code 5 :class Point :pack (fn [_] (byte-array 0))}]}))
        c   {:unknown-ext :error}]
    (are [x path] (= path (:path (fault #(m/unpack (bad x) c))))
      (->Point 1 2) [] [1 (->Point 1 2)] [1] {"a" {"b" [(->Point 1 2)]}} ["a" "b" 0]
      (conj (vec (range 40)) (->Point 1 2)) [40] (assoc (zipmap (range 40) (range)) 7 (->Point 1 2)) [7])))

(deftest values-that-misbehave
  (testing "what they throw comes out as it is"
    (let [boom (IllegalStateException. "boom")]
      (doseq [x [(map (fn [i] (if (= i 5) (throw boom) i)) (range 10)) {:a (lazy-seq (throw boom))} (delay (throw boom))
                 (reify Iterable (iterator [_] (throw boom)))]]
        (is (identical? boom (try (m/pack x) (catch IllegalStateException e e))))
        (is (= "01" (hex (m/pack 1)))))))
  (testing "collections that change their size"
    (let [liar (proxy [java.util.AbstractCollection] [] (size [] 100) (iterator [] (.iterator [1 2])))]
      (is (= "920102" (hex (m/pack liar))))))
  (testing "depth"
    (let [deep (fn [n] (nth (iterate vector 1) n)), deep-map (fn [n] (nth (iterate #(array-map 1 %) 1) n))]
      (is (= (deep 900) (there-and-back (deep 900))))
      (is (= :depth (why #(m/pack (deep 1001)))))
      (is (= :depth (why #(m/pack (deep-map 1001)))))
      (is (= :depth (why #(m/pack (deep 100000)))))
      (is (= :depth (why #(m/pack (doto (ArrayList.) (as-> me (.add ^ArrayList me me)))))))
      (is (= :depth (why #(m/pack (deep 11) {:max-depth 10}))))
      (is (= :depth (why #(m/unpack (m/pack (deep 11)) {:max-depth 10}))))
      (is (= (deep 10) (there-and-back (deep 10) {:max-depth 10})))
      (testing "on a thread with a small stack"
        (let [p (promise)]
          (.start (Thread. nil #(deliver p (try (hex (m/pack (deep 1000))) (catch Throwable t t))) "small" 131072))
          (is (or (string? @p) (= :oxwire.msgpack/depth (:type (ex-data @p))))))
        (let [p (promise) b (byte-array (concat (repeat 1000 -111) [1]))]
          (.start (Thread. nil #(deliver p (try (m/unpack b) 1 (catch Throwable t t))) "small" 131072))
          (is (or (= 1 @p) (= :oxwire.msgpack/depth (:type (ex-data @p)))))))))
  (testing "without end"
    (is (= :length (why #(m/pack (range) {:max-len 1000}))))
    (is (= :length (why #(m/pack (repeat 5 1) {:max-len 4}))))))

(deftest lazy-and-long
  (doseq [n [0 1 15 16 17 65535 65536]]
    (let [v (vec (range n))]
      (is (= v (there-and-back (map identity v))) n)
      (is (= v (there-and-back (ArrayList. v))) n)
      (is (= v (there-and-back (eduction (map identity) v))) n)
      (is (= (hex (m/pack v)) (hex (m/pack (map identity v)))) n)
      (is (= (apply list v) (there-and-back (apply list v) m/lossless-codec)) n)
      (is (= (set v) (there-and-back (set v) m/lossless-codec)) n)
      (is (= (zipmap v v) (there-and-back (HashMap. (zipmap v v)))) n))))

(deftest exts
  (let [e (m/ext 5 (byte-array [1 2]))]
    (is (= e (m/->Ext 5 (byte-array [1 2])) (there-and-back e)))
    (is (= (hash e) (hash (m/ext 5 (byte-array [1 2])))))
    (is (not= e (m/ext 6 (byte-array [1 2]))))
    (is (= 1 (get {e 1} (m/ext 5 (byte-array [1 2])))))
    (is (= [5 5 [1 2]] [(:code e) (:type e) (vec (:data e))]))
    (is (= "#msgpack/ext [5 \"0102\"]" (pr-str e)))
    (is (= e (m/read-ext [5 "0102"]) (read-string "#msgpack/ext [5 \"0102\"]")))
    (is (thrown? IllegalArgumentException (m/ext 128 (byte-array 0))))
    (let [b (byte-array [1]) e (m/ext 1 b)]
      (aset b 0 (byte 2))
      (aset ^bytes (:data e) 0 (byte 3))
      (is (= [1] (vec (:data e))) "nobody can change it")))
  (is (instance? Ext (m/unpack (byte-array (map unchecked-byte [0xd4 0x80 1]))))))
