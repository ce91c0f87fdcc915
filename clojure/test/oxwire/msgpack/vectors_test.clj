(ns oxwire.msgpack.vectors-test
  "The vectors against the library: what is written, what is read, what is refused and where, at once and in pieces;
  then every prefix and every change of one byte of them, which may do anything but harm.

  Each test looks at all cases and lists those that answer wrongly."
  (:require [clojure.test :refer [deftest is testing use-fixtures]]
            [oxwire.msgpack :as m]
            [oxwire.msgpack.vectors :as v])
  (:import (java.io ByteArrayInputStream InputStream)
           (java.util Arrays)))

(set! *warn-on-reflection* true)

(use-fixtures :each (fn [f] (v/deeply f)))

(def ^:private short-form 48)

(def ^:private codecs (memoize m/codec))

(defn- attempt [f]
  (try (f) (catch clojure.lang.ExceptionInfo e e)))

(defn- fault? [x] (instance? clojure.lang.ExceptionInfo x))

(defn- fault
  "Why and where, of a fault that has all that it should."
  [x]
  (when (fault? x)
    (let [{:keys [type path offset]} (ex-data x)]
      (when (and (= "oxwire.msgpack" (namespace type)) (vector? path) (ex-message x))
        [(name type) offset]))))

(defn- same? [a ^bytes b] (and (bytes? a) (Arrays/equals ^bytes a b)))

(defn- shown [x] (if (bytes? x) (v/hex x) (if (fault? x) (str (ex-message x) " " (fault x)) (subs (pr-str x) 0 (min 200 (count (pr-str x)))))))

(defn- read-exactly [form options]
  (attempt #(v/exact (m/unpack form (codecs options)))))

(deftest there-are-vectors
  (is (<= 1000 (count (v/all))))
  (is (apply distinct? (map :name (v/all)))))

(deftest values-are-written
  (doseq [file (v/files)]
    (testing file
      (is (empty?
           (for [{:keys [name mode way why value data canonical]} (v/cases file)
                 :when (and (nil? why) (not= way "read"))
                 [options wanted] (cond-> [[(v/writing mode) data]]
                                    (not (#{"float32" "old-spec"} mode))
                                    (conj [(assoc (v/writing mode) :canonical true) (or canonical data)]))
                 :let [got (attempt #(m/pack @value (codecs options)))]
                 :when (not (same? got wanted))]
             [name options (shown got) (v/hex wanted)]))))))

(deftest values-without-a-form-are-refused
  (is (empty?
       (for [{:keys [name mode why value data]} (v/all)
             :when (and why (nil? data))
             :let [got (attempt #(m/pack @value (codecs (v/writing mode))))]
             :when (not= why (first (fault got)))]
         [name (shown got)]))))

(deftest bytes-are-read
  (doseq [file (v/files)]
    (testing file
      (is (empty?
           (for [{:keys [name mode way why value also canonical] :as case} (v/cases file)
                 :when (and (nil? why) (not= way "write"))
                 :let [options (v/reading mode)
                       wanted  (v/exact @value)
                       strict  (assoc options :strict true)]
                 problem (concat
                          (for [form (v/forms case)
                                :let [got (read-exactly form options)]
                                :when (not= got wanted)]
                            [name (v/hex form) (shown got)])
                          (when (not= mode "old-spec")
                            (for [form (v/forms case)
                                  :let [got (read-exactly form strict) refused (some #(identical? form %) also)]
                                  :when (if refused (not (fault got)) (not= got wanted))]
                              [:strict name (v/hex form) (shown got)]))
                          (when canonical
                            (let [got (read-exactly canonical strict)]
                              (when (fault? got) [[:canonical name (shown got)]]))))]
             problem))))))

(deftest bytes-are-refused
  (doseq [file (v/files)]
    (testing file
      (is (empty?
           (for [{:keys [name mode why offset data]} (v/cases file)
                 :when (and why data)
                 :let [got    (read-exactly data (v/reading mode))
                       strict (read-exactly data {:strict true})
                       plain  (read-exactly data {})]
                 :when (not (and (= [why offset] (fault got))
                                 (if (= mode "always") (fault strict) (not (fault? plain)))))]
             [name why offset (shown got)]))))))

(deftest text-that-is-not-utf8-can-be-replaced
  (doseq [{:keys [data name]} (v/cases "refused-utf8")]
    (is (not (fault? (read-exactly data {:malformed :replace}))) name)))

(defn- trickle
  "A stream that gives a byte at a time."
  ^InputStream [^bytes b]
  (let [in (ByteArrayInputStream. b)]
    (proxy [InputStream] []
      (read
        ([] (.read in))
        ([b off n] (if (zero? (long n)) 0 (.read in b off 1)))))))

(deftest streams-give-one-value-and-no-byte-more
  (is (empty?
       (for [{:keys [name mode way why value] :as case} (v/all)
             :when (and (nil? why) (not= way "write"))
             :let [wanted (v/exact @value)]
             ^bytes form (v/forms case)
             :let [c     (codecs (v/reading mode))
                   twice (byte-array (concat form [-63]))
                   many  (byte-array (mapcat identity (repeat 3 form)))
                   got   (attempt
                          #(doall
                            (concat
                             (for [open [(fn [b] (ByteArrayInputStream. b)) trickle]
                                   :when (or (< (alength form) 5000) (not= open trickle))
                                   :let [^InputStream in (open twice) read (v/exact (m/unpack-stream in c))]
                                   :when (not (and (= wanted read) (= 0xc1 (.read in)) (= -1 (.read in))))]
                               [:stream read])
                             (for [src [many (ByteArrayInputStream. many) (trickle many)]
                                   :when (or (< (alength form) 2000) (bytes? src))
                                   :let [read (mapv v/exact (m/unpack-seq src c))]
                                   :when (not= [wanted wanted wanted] read)]
                               [:seq read]))))]
             :when (or (fault? got) (seq got))]
         [name (v/hex form) (shown got)]))))

(defn- fed
  "The values of bytes that come in these pieces."
  [pieces options]
  (let [d (m/decoder (codecs options))
        values (into [] (mapcat #(m/feed! d %)) pieces)]
    (m/finish! d)
    (mapv v/exact values)))

(defn- cuts [^bytes form]
  (let [n (alength form)]
    (if (<= n short-form)
      (concat (for [at (range 1 n)] [(Arrays/copyOfRange form 0 (int at)) (Arrays/copyOfRange form (int at) n)])
              [(map #(byte-array [%]) form) [(byte-array (concat form form))]])
      [[form form] [(Arrays/copyOfRange form 0 7) (Arrays/copyOfRange form 7 n)]])))

(deftest bytes-are-read-in-pieces
  (is (empty?
       (for [{:keys [name mode way why value] :as case} (v/all)
             :when (and (nil? why) (not= way "write"))
             :let [wanted (v/exact @value)]
             ^bytes form (v/forms case)
             pieces (cuts form)
             :let [got (attempt #(fed pieces (v/reading mode)))]
             :when (not= got (vec (repeat (quot (reduce + (map count pieces)) (alength form)) wanted)))]
         [name (map v/hex pieces) (shown got)]))))

(deftest bytes-are-refused-in-pieces
  (is (empty?
       (for [{:keys [name mode why offset ^bytes data]} (v/all)
             :when (and why data (pos? (alength data)) (not= why "trailing"))
             pieces (cons [data] (take-while #(= (alength data) (reduce + (map count %))) (cuts data)))
             :let [got (attempt #(fed pieces (v/reading mode)))]
             ;; A decoder looks at complete messages only, and so may find one cut before what else is wrong.
             :when (not (some #{(fault got)} [[why offset] ["eof" (alength data)]]))]
         [name (map v/hex pieces) why offset (shown got)]))))

(deftest every-prefix-is-refused
  (is (empty?
       (for [{:keys [name mode way why] :as case} (v/all)
             :when (and (nil? why) (not= way "write"))
             ^bytes form (v/forms case)
             n (distinct (concat (range (min (alength form) short-form)) [(dec (alength form))]))
             :let [got (read-exactly (Arrays/copyOf form (int n)) (v/reading mode))]
             :when (not= ["eof" n] (fault got))]
         [name n (v/hex form) (shown got)]))))

(deftest every-change-of-one-byte-is-harmless
  ;; The heap of the test JVM is small, so that a length that is believed is an OutOfMemoryError.
  (let [tried (volatile! 0)
        wrong (for [{:keys [name mode way why data] :as case} (v/all)
                    :when (and data (not= way "write"))
                    ^bytes form (cond->> (v/forms case) why (take 1))
                    :let [options (v/reading mode)
                          c       (codecs options)
                          loose   (codecs (assoc options :presets :sente))
                          n       (alength form)]
                    at (if (<= n short-form) (range n) (concat (range 12) [(quot n 2) (dec n)]))
                    :let [was (aget form at)]
                    change (if (<= n 12) (range 1 256) (if (<= n short-form) [1 16 0x3f 0x80 0xc1 0xff] [1 0x80 0xff]))
                    :let [_   (aset form at (unchecked-byte (bit-xor was change)))
                          got (try (m/unpack form (if (even? change) c loose)) nil
                                   (catch clojure.lang.ExceptionInfo e (when-not (fault e) e))
                                   (catch Throwable t t))
                          _   (aset form at was)]
                    :when (do (vswap! tried inc) got)]
                [name at change (v/hex form) (str got)])]
    (is (empty? wrong))
    (is (< 100000 @tried))))
