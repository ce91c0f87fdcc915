(ns oxwire.msgpack.streams-test
  "Sources and sinks: streams, channels, buffers, files; many values; pieces."
  (:require [clojure.java.io :as io]
            [clojure.test :refer [are deftest is testing]]
            [oxwire.msgpack :as m])
  (:import (clojure.lang ExceptionInfo)
           (java.io BufferedInputStream ByteArrayInputStream ByteArrayOutputStream File InputStream)
           (java.nio ByteBuffer)
           (java.nio.channels Channels Pipe)
           (java.nio.file Files)))

(set! *warn-on-reflection* true)

(defn- why [f] (try (f) nil (catch ExceptionInfo e (keyword (name (:type (ex-data e)))))))

(def values [nil 1 "two" {"three" [3.0]} [] {} (vec (range 1000)) (apply str (repeat 5000 "x"))])

(def ^"[B" packed (byte-array (mapcat m/pack values)))

(defn- file ^File [] (doto (File/createTempFile "oxwire" ".msgpack") .deleteOnExit))

(defn- in ^InputStream [] (ByteArrayInputStream. packed))

(deftest pack-to-anything
  (let [x {"a" [1 2]} wanted (seq (m/pack x))]
    (let [out (ByteArrayOutputStream.)]
      (is (nil? (m/pack-stream out x)))
      (is (nil? (m/pack-stream out x {:sort-keys true})))
      (is (= (concat wanted wanted) (seq (.toByteArray out)))))
    (let [out (ByteArrayOutputStream.)]
      (is (= 6 (m/pack-into! (Channels/newChannel out) x)))
      (is (= wanted (seq (.toByteArray out)))))
    (doseq [^ByteBuffer b [(ByteBuffer/allocate 20) (ByteBuffer/allocateDirect 20)]]
      (.position b 3)
      (is (= 6 (m/pack-into! b x)))
      (is (= 9 (.position b)))
      (.position b 3)
      (is (= x (m/unpack-stream b)) "and from there")
      (is (= 9 (.position b))))
    (let [b (byte-array 8)]
      (is (= 6 (m/pack-into! b x)))
      (is (= wanted (take 6 b))))
    (doseq [f [(file) (.toPath (file))]]
      (is (= 6 (m/pack-into! f x)))
      (is (= x (m/unpack f)))))
  (testing "no room: nothing is written"
    (let [b (ByteBuffer/allocate 3)]
      (is (= :no-room (why #(m/pack-into! b {"a" [1 2]}))))
      (is (= 0 (.position b)))))
  (testing "what cannot be written leaves no trace"
    (let [out (ByteArrayOutputStream.) f (file)]
      (m/pack-into! f 1)
      (is (= :unsupported (why #(m/pack-stream out [1 2 (Object.)]))))
      (is (= :unsupported (why #(m/pack-into! f [1 (Object.)]))))
      (is (= 0 (.size out)))
      (is (= 1 (m/unpack f)))))
  (is (= :unsupported (why #(m/pack-into! "text" 1)))))

(deftest unpack-from-anything
  (let [x {"a" [1 2]} b (m/pack x)
        padded (ByteBuffer/wrap (byte-array (concat [9 9] b [9])) 2 (count b))]
    (are [src] (= x (m/unpack src))
      b (ByteArrayInputStream. b) (BufferedInputStream. (ByteArrayInputStream. b)) (Channels/newChannel (ByteArrayInputStream. b))
      (ByteBuffer/wrap b) (.asReadOnlyBuffer (ByteBuffer/wrap b)) padded (doto (ByteBuffer/allocateDirect 6) (.put b) (.flip))
      (.slice padded))
    (is (= 2 (.position padded)) "a buffer is not changed"))
  (are [src] (= :unsupported (why #(m/unpack src))) "text" nil 5)
  (is (= :eof (why #(m/unpack (byte-array 0)))))
  (is (= :eof (why #(m/unpack (ByteArrayInputStream. (byte-array 0))))))
  (is (= :eof (why #(m/unpack (file)))))
  (is (= 1 (:offset (try (m/unpack (ByteBuffer/wrap (byte-array [9 1 2 9]) 1 2)) (catch ExceptionInfo e (ex-data e))))) "from its position"))

(deftest one-after-the-other
  (doseq [src [(in) (Channels/newChannel (in)) (ByteBuffer/wrap packed) (.asReadOnlyBuffer (ByteBuffer/wrap packed))]]
    (is (= values (repeatedly (count values) #(m/unpack-stream src))))
    (is (= :eof (why #(m/unpack-stream src))))
    (is (= ::end (m/unpack-stream src m/default-codec ::end)))
    (is (= ::end (m/unpack-stream src nil ::end))))
  (testing "as with msgpack-clj, but the second is there"
    (let [src (ByteArrayInputStream. (byte-array [1 2 3]))]
      (is (= [1 2 3] [(m/unpack src) (m/unpack src) (m/unpack src)]))))
  (testing "an end inside a value is an error, not an end"
    (let [src (ByteArrayInputStream. (byte-array [-110 1]))]
      (is (= :eof (why #(m/unpack-stream src nil ::end))))))
  (testing "offsets count from where the reading began"
    (is (= 2 (:offset (try (m/unpack-stream (ByteArrayInputStream. (byte-array [-110 1 -63]))) (catch ExceptionInfo e (ex-data e))))))))

(deftest many-values
  (let [f (file) out (ByteArrayOutputStream.)]
    (is (= (alength packed) (m/pack-seq! f values) (m/pack-seq! out values) (m/pack-seq! out (eduction (map identity) values))))
    (is (= (concat packed packed) (seq (.toByteArray out))))
    (is (= 0 (m/pack-seq! out nil) (m/pack-seq! out [])))
    (doseq [open [(constantly packed) (constantly f) (constantly (.toPath f)) #(ByteBuffer/wrap packed) in #(Channels/newChannel (in))
                  #(BufferedInputStream. (in) 3)]]
      (is (= values (into [] (m/unpack-seq (open)))))
      (is (= values (seq (m/unpack-seq (open)))))
      (is (= values (iterator-seq (.iterator ^Iterable (m/unpack-seq (open))))))
      (is (= values (m/unpack-seq (open))))
      (is (= (count values) (count (seq (m/unpack-seq (open))))))
      (is (= (take 3 values) (into [] (take 3) (m/unpack-seq (open)))))
      (is (= [nil 1] (reduce (fn [acc v] (if (= v "two") (reduced acc) (conj acc v))) [] (m/unpack-seq (open))))))
    (is (= [] (into [] (m/unpack-seq (byte-array 0)))))
    (is (nil? (seq (m/unpack-seq (byte-array 0)))))
    (is (= [{:a 1}] (into [] (m/unpack-seq (m/pack {:a 1}) m/keyword-codec))))
    (testing "again and again, where that is possible"
      (let [s (m/unpack-seq f)]
        (is (= values (into [] s) (into [] s)))))
    (testing "lazily: no more is read than is asked for"
      (let [asked (atom 0)
            src   (proxy [InputStream] []
                    (read ([] (swap! asked inc) 1)
                          ([b off _] (swap! asked inc) (aset ^bytes b (int off) (byte 1)) 1)))]
        (is (= [1 1 1] (take 3 (m/unpack-seq src))))
        (is (<= @asked 4))))
    (testing "errors where they are"
      (let [bad (byte-array [1 2 -63]) seen (atom [])]
        (is (= :marker (why #(run! (fn [v] (swap! seen conj v)) (m/unpack-seq bad)))))
        (is (= [1 2] @seen))
        (is (= [1 2] (take 2 (m/unpack-seq bad))))
        (is (= :marker (why #(doall (seq (m/unpack-seq bad))))))))
    (testing "files are closed"
      (dotimes [_ 5000] (into [] (take 1) (m/unpack-seq f))))
    (testing "what was before an error is written"
      (let [out (ByteArrayOutputStream.)]
        (is (= :unsupported (why #(m/pack-seq! out [1 2 (Object.) 3]))))
        (is (= [1 2] (seq (.toByteArray out))))))))

(deftest a-pipe
  (let [pipe (Pipe/open)
        all  (future (into [] (m/unpack-seq (.source pipe))))]
    (with-open [sink (.sink pipe)]
      (doseq [v values] (m/pack-into! sink v)))
    (is (= values @all))))

(deftest pieces
  (doseq [size [1 2 3 7 100 100000]]
    (let [d (m/decoder)]
      (is (= values (into [] (mapcat #(m/feed! d (byte-array %))) (partition-all size packed))))
      (is (= 0 (m/pending d)))
      (is (nil? (m/finish! d)))))
  (testing "parts of arrays and buffers"
    (let [d (m/decoder m/keyword-codec) b (m/pack {:a 1})]
      (is (= [] (m/feed! d b 0 2)))
      (is (= 2 (m/pending d)))
      (is (= :eof (why #(m/finish! d))))
      (is (= [{:a 1} 5] (m/feed! d (ByteBuffer/wrap (byte-array (concat (drop 2 b) [5]))))))
      (is (thrown? IndexOutOfBoundsException (m/feed! d b 2 9)))))
  (testing "what is wrong passes, and what was right before it is told"
    (let [d (m/decoder)
          e (try (m/feed! d (byte-array [1 2 -95 -1 3 4])) (catch ExceptionInfo e (ex-data e)))]
      (is (= [[1 2] :oxwire.msgpack/utf8 3] ((juxt :values :type :offset) e)))
      (is (= [3 4] (m/feed! d (byte-array 0))))
      (is (= [5] (m/feed! d (byte-array [5]))))))
  (testing "behind some things nothing can be found"
    (doseq [[bytes options] [[[1 -63] {}] [[1 -37 0 1 0 0] {:max-len 100}] [[1 -111 -111 -111] {:max-depth 2}] [[1 -60 50 1 2 3 4 5 6 7 8 9] {:max-buffer 10}]]]
      (let [d (m/decoder options) e (try (m/feed! d (byte-array bytes)) (catch ExceptionInfo e (ex-data e)))]
        (is (= [1] (:values e)))
        (is (= (:type e) (:type (try (m/feed! d (byte-array [1])) (catch ExceptionInfo e (ex-data e)))))))))
  (testing "one long message in small pieces takes linear time"
    (let [d (m/decoder) b (m/pack (vec (range 200000))) n (alength b) begun (System/nanoTime)]
      (loop [at 0 got []]
        (if (< at n)
          (let [some (min 100 (- n at))] (recur (+ at some) (into got (m/feed! d b at some))))
          (is (= [(range 200000)] got))))
      (is (< (- (System/nanoTime) begun) 20000000000)))))
