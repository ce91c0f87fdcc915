(ns oxwire.msgpack.property-test
  "What holds for any value: test.check makes them up. The number of tries can be set: OXWIRE_TRIES."
  (:require [clojure.test :refer [deftest is]]
            [clojure.test.check :as tc]
            [clojure.test.check.generators :as gen]
            [clojure.test.check.properties :as prop]
            [clojure.walk :as walk]
            [oxwire.msgpack :as m])
  (:import (java.io ByteArrayInputStream)
           (java.time Instant)
           (java.util Arrays)))

(def ^:private tries (Long/parseLong (or (System/getenv "OXWIRE_TRIES") "300")))

(defmacro ^:private holds [property]
  `(let [result# (tc/quick-check tries ~property :max-size 25)]
     (is (:pass? result#) (pr-str (select-keys result# [:seed :shrunk])))))

(def ^:private text
  (gen/one-of [gen/string-ascii
               (gen/fmap (fn [points] (apply str (map #(String. (Character/toChars (int %))) points)))
                         (gen/vector (gen/one-of [(gen/choose 0 0xd7ff) (gen/choose 0xe000 0x10ffff) (gen/choose 0x80 0x7ff)])))]))

(def ^:private instant
  (gen/fmap (fn [[s n]] (Instant/ofEpochSecond s n))
            (gen/tuple (gen/one-of [(gen/choose 0 100) (gen/choose -62135596800 253402300799) (gen/choose (- (bit-shift-left 1 34) 2) (+ (bit-shift-left 1 34) 2))])
                       (gen/one-of [(gen/return 0) (gen/choose 0 999999999)]))))

(def ^:private integer (gen/one-of [gen/large-integer gen/small-integer (gen/choose -300 300)
                                    (gen/fmap #(+ 9223372036854775807N %) (gen/choose 1 1000))]))

(def ^:private float-number (gen/double* {:NaN? false}))

(def plain-scalar (gen/one-of [(gen/return nil) gen/boolean integer float-number text instant
                               (gen/fmap #(m/ext 77 %) gen/bytes)]))

(defn- map-of
  "Maps of up to so many entries, and of up to two for each step of the size: five levels of forty entries would not fit
  into memory. (test.check's own gives up where it finds too few keys that differ.)"
  [k v n]
  (gen/sized (fn [size] (gen/fmap #(into {} %) (gen/vector (gen/tuple k v) 0 (min n (* 2 size)))))))

(def plain
  (gen/recursive-gen
   (fn [inner] (gen/one-of [(gen/vector inner) (map-of (gen/one-of [text integer (gen/vector gen/small-integer)]) inner 10)
                            (map-of text inner 40)]))
   plain-scalar))

(def lossless
  (gen/recursive-gen
   (fn [inner] (gen/one-of [(gen/vector inner) (gen/list inner) (gen/fmap set (gen/vector inner)) (map-of inner inner 10)
                            (map-of gen/keyword-ns inner 40)]))
   (gen/one-of [plain-scalar gen/keyword gen/keyword-ns gen/symbol gen/symbol-ns gen/char
                gen/ratio gen/uuid gen/size-bounded-bigint
                (gen/fmap (fn [[n s]] (BigDecimal. (biginteger n) (int s))) (gen/tuple gen/large-integer (gen/choose -400 400)))
                (gen/fmap #(java.util.Date. (long %)) gen/large-integer)])))

(deftest plain-values-come-back
  (holds (prop/for-all [x plain] (= x (m/unpack (m/pack x))))))

(deftest keyword-keys-come-back
  (let [keyed (gen/recursive-gen (fn [inner] (gen/one-of [(gen/vector inner) (map-of (gen/one-of [gen/keyword gen/keyword-ns]) inner 20)])) plain-scalar)]
    (holds (prop/for-all [x keyed] (= x (m/unpack (m/pack x) m/keyword-codec))))))

(defn- kinds
  "The classes of what is in lists and vectors in each other. Those of maps depend on how many entries they have, and a
  BigInt that a Long can hold comes back as one."
  [x]
  (map #(cond (map? %) :map (integer? %) :integer :else (class %)) (tree-seq sequential? seq x)))

(deftest lossless-values-come-back
  (holds (prop/for-all [x lossless]
           (let [y (m/unpack (m/pack x m/lossless-codec) m/lossless-codec)]
             (and (= x y) (= (kinds x) (kinds y)))))))

(deftest canonical-bytes-of-equal-values-are-equal
  (let [c (m/codec {:lossless true :canonical true})]
    (holds (prop/for-all [x lossless]
             (let [again (walk/prewalk #(cond (record? %) % (map? %) (into {} (shuffle (vec %))) (set? %) (into #{} (shuffle (vec %))) :else %) x)
                   bytes (m/pack x c)]
               (and (Arrays/equals bytes (m/pack again c))
                    (Arrays/equals bytes (m/pack (m/unpack bytes c) c))
                    (some? [(m/unpack bytes (m/codec {:lossless true :strict true}))])))))))

(deftest what-is-written-is-strict
  (holds (prop/for-all [x plain] (= x (m/unpack (m/pack x) {:strict true})))))

(deftest streams-and-pieces-agree
  (holds (prop/for-all [xs (gen/vector plain 0 5), size (gen/choose 1 20)]
           (let [all    (byte-array (mapcat m/pack xs))
                 d      (m/decoder)
                 stream (ByteArrayInputStream. all)]
             (and (= xs (into [] (m/unpack-seq all)))
                  (= xs (into [] (mapcat #(m/feed! d (byte-array %))) (partition-all size all)))
                  (= xs (vec (take-while #(not= ::end %) (repeatedly #(m/unpack-stream stream nil ::end))))))))))

(deftest noise-is-harmless
  (let [codecs [m/default-codec m/keyword-codec m/lossless-codec (m/codec {:strict true}) (m/codec {:raw true}) (m/codec {:presets :sente})]]
    (holds (prop/for-all [noise (gen/one-of [gen/bytes (gen/fmap #(byte-array (map unchecked-byte %))
                                                                 (gen/vector (gen/one-of [(gen/choose 0x80 0xdf) (gen/choose 0 40) (gen/choose 32 45)]) 0 60))])]
             (every? (fn [c]
                       (try (m/unpack noise c) true
                            (catch clojure.lang.ExceptionInfo e (and (:offset (ex-data e)) (:path (ex-data e)) (:type (ex-data e))))))
                     codecs)))))
