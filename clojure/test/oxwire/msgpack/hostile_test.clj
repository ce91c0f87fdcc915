(ns oxwire.msgpack.hostile-test
  "Input that lies and input that is made to hurt: neither memory nor time beyond what its bytes are worth."
  (:require [clojure.string]
            [clojure.test :refer [deftest is testing]]
            [oxwire.msgpack :as m])
  (:import (clojure.lang ExceptionInfo)
           (com.sun.management ThreadMXBean)
           (java.io ByteArrayInputStream)
           (java.lang.management ManagementFactory)))

(set! *warn-on-reflection* true)

(defn- octets ^bytes [& xs] (byte-array (map unchecked-byte (flatten xs))))

(defn- why [f] (try (f) nil (catch ExceptionInfo e (keyword (name (:type (ex-data e)))))))

(def ^:private ^ThreadMXBean threads (ManagementFactory/getThreadMXBean))

(defn- allocated ^long [f]
  (let [me (.getId (Thread/currentThread)) was (.getThreadAllocatedBytes threads me)]
    (f)
    (- (.getThreadAllocatedBytes threads me) was)))

(deftest lengths-are-not-believed
  (doseq [head [[0xdd 0x7f 0xff 0xff 0xff] [0xdf 0x7f 0xff 0xff 0xff] [0xdb 0x7f 0xff 0xff 0xff] [0xc6 0x7f 0xff 0xff 0xff] [0xc9 0x7f 0xff 0xff 0xff 5]
                [0xdd 0xff 0xff 0xff 0xff] [0xdf 0xff 0xff 0xff 0xff] [0xdb 0xff 0xff 0xff 0xff] [0xc6 0xff 0xff 0xff 0xff] [0xc9 0xff 0xff 0xff 0xff 5]
                [0xdc 0xff 0xff] [0xde 0xff 0xff] [0xdf 0x40 0 0 0] [0xdf 0x80 0 0 1]]
          more [[] [1 2 3]]
          :let [b (octets head more)]]
    (is (contains? #{:eof} (why #(m/unpack b))) head)
    (is (contains? #{:eof :too-large} (why #(m/unpack-stream (ByteArrayInputStream. b)))) head)
    (is (contains? #{:eof :too-large} (why #(doall (seq (m/unpack-seq (ByteArrayInputStream. b)))))) head)
    (is (= :length (why #(m/unpack b {:max-len 1000}))) head)
    (doseq [f [#(why (fn [] (m/unpack b))) #(why (fn [] (m/unpack-stream (ByteArrayInputStream. b)))) #(m/feed! (m/decoder) b)
               #(why (fn [] (doall (seq (m/unpack-seq (ByteArrayInputStream. b))))))]]
      (f)
      (is (< (allocated f) 400000) head)))
  (testing "in each other"
    (let [b (octets (repeat 900 [0xdc 0xff 0xff]))]
      (is (< (allocated #(why (fn [] (m/unpack b)))) 1000000))
      (is (< (allocated #(why (fn [] (m/unpack-stream (ByteArrayInputStream. b))))) 4000000)))
    (let [b (octets (repeat 900 [0xdf 0 1 0 0 1]) (repeat 200000 1))]
      (is (< (allocated #(why (fn [] (m/unpack b)))) 60000000)))))

(deftest limits
  (is (= "aaaa" (m/unpack (m/pack "aaaa") {:max-len 4})))
  (doseq [x ["aaaaa" [1 2 3 4 5] {1 1 2 2 3 3 4 4 5 5} (byte-array 5) (m/ext 5 (byte-array 5)) [["aaaaa"]] {"aaaaa" 1} {"a" "aaaaa"}]]
    (is (= :length (why #(m/unpack (m/pack x) {:max-len 4})))))
  (is (= {"a" 1} (m/unpack (m/pack {"a" 1}) {:max-len 1}))))

(defn- colliding
  "So many texts that all have one hash code."
  [n]
  (let [bits (- 64 (Long/numberOfLeadingZeros (dec (long n))))]
    (for [i (range n)]
      (apply str (map #(if (bit-test (long i) %) "AA" "B\"") (range bits))))))

(defn- packed
  "A map with these keys, some perhaps twice."
  [ks]
  (octets 0xdf (map #(bit-shift-right (count ks) %) [24 16 8 0]) (map (fn [k] [(seq (m/pack k)) 1]) ks)))

(deftest hashes-that-collide
  (let [few (zipmap (colliding 100) (range))]
    (is (= few (m/unpack (m/pack few))) "some are fine")
    (doseq [c [m/default-codec m/lossless-codec (m/codec {:keys clojure.string/upper-case})]]
      (is (= :collisions (why #(m/unpack (packed (colliding 20000)) c)))))
    (is (= :collisions
           (why #(m/unpack (m/pack (m/ext 34 (m/pack (vec (colliding 8400))))) {:sets :ext}))
           (why #(m/unpack (m/pack (m/ext 7 (m/pack (vec (colliding 8400))))) {:presets [:clojure-msgpack]})))))
  (testing "keys that do not, in any number and of any kind"
    (doseq [f [identity str #(* % 1.5) #(vector % %) #(* % 4294967296) #(* 65536.0 %) (fn [i] (str (char (+ 97 (mod i 26))) i)) #(keyword (str "k" %))]]
      (let [ks (map f (range 30000))]
        (is (= 30000 (count (m/unpack (m/pack (zipmap ks ks))))))
        (is (= (set ks) (m/unpack (m/pack (set ks) m/lossless-codec) m/lossless-codec)))))
    (is (= 300000 (count (m/unpack (m/pack (zipmap (range 300000) (range)))))))
    (testing "the same key a thousand times is one key"
      (is (= {"a" 1} (m/unpack (packed (repeat 1000 "a"))))))))

(deftest numbers-that-take-long
  (let [n (biginteger (.pow (biginteger 3) 100000))]
    (is (= :range (why #(m/pack (/ n 2) m/lossless-codec))))
    (is (= :range (why #(m/pack (BigDecimal. n) m/lossless-codec))))
    (is (= (bigint n) (m/unpack (m/pack n m/lossless-codec) m/lossless-codec)))))

(deftest threads-share-everything
  (let [c    (m/codec {:keys :keyword})
        data (vec (for [i (range 50)] (zipmap (map #(keyword (str "key" (mod (* % (inc i)) 3000))) (range 30)) (range))))
        all  (doall (for [t (range 8)]
                      (future
                        (dotimes [n 200]
                          (let [x (data (mod (+ n t) 50))]
                            (when-not (= x (m/unpack (m/pack x c) c))
                              (throw (ex-info "not the same" {:x x})))))
                        :fine)))]
    (is (every? #(= :fine (deref % 60000 :late)) all))))

(deftest hooks-that-pack
  (let [c (m/codec {:extensions [{:code 1 :class java.util.UUID
                                  :pack (fn [u] (m/pack {:a (str u) :b [1 2 3]} {:sort-keys true}))
                                  :unpack (fn [b] (java.util.UUID/fromString ((m/unpack b) "a")))}]})
        u (java.util.UUID. 1 2)]
    (is (= [u {"x" [u u]} "y"] (m/unpack (m/pack [u {:x [u u]} "y"] c) c)))))
