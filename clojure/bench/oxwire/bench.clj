(ns oxwire.bench
  "One library on one data set in this JVM, timed; clojure/run.py starts a JVM for each and makes the table.

      clojure.main -m oxwire.bench <library> <data set>

  What may surprise: the clock is the CPU time of this thread, since machines are shared; compilation is in the
  foreground (-XX:-BackgroundCompilation), or a busy machine would time the interpreter; and there is one JVM for each
  library, or they would spoil each other's profiles. Minimum and median of the samples are told: the minimum is what
  the code costs, the distance is what the machine adds. Bytes are those that this thread allocated."
  (:refer-clojure :exclude [doubles longs])
  (:require [oxwire.msgpack :as m])
  (:import (com.sun.management ThreadMXBean)
           (java.lang.management ManagementFactory)))

(set! *warn-on-reflection* true)

;; Data

(def small
  "A record of many shapes in 557 bytes: 12 keys, maps in maps, short vectors, text, numbers, empty things."
  {:first-line "Dear Ms. Ada,"
   :year-of-birth 36
   :height-by-foot 2.71828
   :is-registered true
   :last-seen nil
   :home-place {:city "Somerset" :zip 21 :garden? true :furnishings {:walls "teal" :has-fireplace true}}
   :lucky-numbers [2 3 4 5 6]
   :wild-numbers ["a pair" 17 true {:one "piece"} ["in a small box"]]
   :square-of-nine [[2 7 6] [9 5 1] [4 3 8]]
   :all-relatives [{:id 1 :kind "aunt" :book {:motto "never@sea.example" :pets ["ferret" "tortois"]}}
                   {:id 2 :kind "uncle" :book {:motto "often@sea.example" :instruments ["lute" "viola" "fiddle"]}}]
   :russian-doll {:outer1 {:outer2 {:outer3 {:heart "quite hollow!" :sizings [1 2 3] :box {:a 1 :b 2}}}}}
   :many-voids {:without-word "" :without-item [] :no-entry {}}})

(def rows
  (mapv (fn [i] {:id i :name (str "customer number " i) :active (even? i) :balance (* 1.37 i)
                 :tags ["new" "checked"] :visits (* i 1001)})
        (range 1000)))

(def doubles (mapv #(Math/sin %) (range 10000)))

(def longs (mapv #(* (long %) (long %) 7919) (range 10000)))

(def text (apply str (repeat 4000 "Grüße aus Ærø, 東京 und дом 🏠 ")))

(def data-sets {"small" small "rows" rows "doubles" doubles "longs" longs "text" text})

;; Libraries: a function that writes, one that reads with keys as text, one that reads with keys as keywords

(defn- walker []
  (let [java   (Class/forName "oxwire.bench.Walker")
        method (fn [name & types] (.getMethod java name (into-array Class types)))]
    (method "pack" Object)
    ;; A reflective call would be timed too, so that the calls are compiled once the class is known to be here.
    (eval '[(fn [x] (oxwire.bench.Walker/pack x))
            (fn [^bytes b] (oxwire.bench.Walker/unpack b false))
            (fn [^bytes b] (oxwire.bench.Walker/unpack b true))])))

(defn- libraries [name]
  (case name
    "oxwire" [m/pack m/unpack (fn [b] (m/unpack b m/keyword-codec))]
    "msgpack-java" (walker)
    "msgpack-java-kept" (assoc (walker) 0 (eval '(fn [x] (oxwire.bench.Walker/packKept x))))
    "jackson" (eval '(let [mapper (com.fasterxml.jackson.databind.ObjectMapper. (org.msgpack.jackson.dataformat.MessagePackFactory.))]
                       ;; It writes maps of Java with keys as text, and knows no keywords: data is prepared.
                       [(fn [x] (.writeValueAsBytes mapper x))
                        (fn [^bytes b] (.readValue mapper b Object))
                        nil]))
    "transit" (do (require 'cognitect.transit)
                  (eval '[(fn [x] (let [out (java.io.ByteArrayOutputStream. 1024)]
                                    (cognitect.transit/write (cognitect.transit/writer out :msgpack) x)
                                    (.toByteArray out)))
                          nil
                          (fn [^bytes b] (cognitect.transit/read (cognitect.transit/reader (java.io.ByteArrayInputStream. b) :msgpack)))]))))

(defn- prepared [library data]
  (if (= library "jackson")
    ((fn as-java [x]
       (cond
         (map? x) (java.util.LinkedHashMap. ^java.util.Map (into {} (map (fn [[k v]] [(name k) (as-java v)])) x))
         (vector? x) (java.util.ArrayList. ^java.util.Collection (mapv as-java x))
         :else x))
     data)
    data))

;; Time

(def ^:private ^ThreadMXBean threads (ManagementFactory/getThreadMXBean))

(def ^:private sink (volatile! nil))

(defn- run ^long [f x ^long n]
  (let [begun (.getCurrentThreadCpuTime threads)]
    (loop [i 0] (when (< i n) (vreset! sink (f x)) (recur (inc i))))
    (- (.getCurrentThreadCpuTime threads) begun)))

(defn- measured [f x samples]
  (let [until (+ (System/nanoTime) 2000000000)
        _     (while (< (System/nanoTime) until) (run f x 20))
        n     (loop [n 1] (if (< (run f x n) 20000000) (recur (* 2 n)) (* 3 n)))
        times (sort (repeatedly samples #(/ (double (run f x n)) n)))
        me    (.getId (Thread/currentThread))
        was   (.getThreadAllocatedBytes threads me)
        _     (run f x 1000)
        bytes (/ (- (.getThreadAllocatedBytes threads me) was) 1000.0)]
    [(first times) (nth times (quot samples 2)) bytes]))

(defn -main [library data-set & [samples]]
  (let [samples       (Long/parseLong (or samples "20"))
        data          (prepared library (get data-sets data-set))
        [w text kw]   (libraries library)
        packed        ^bytes (w data)]
    (when (= library "oxwire")
      (assert (= data (kw packed))))
    (println (pr-str {:what "size" :bytes (alength packed)}))
    (doseq [[what f x] [["pack" w data] ["unpack" text packed] ["unpack-keywords" kw packed]] :when f]
      (let [[least median bytes] (measured f x samples)]
        (println (pr-str {:what what :min (double least) :median (double median) :allocated bytes}))))
    (shutdown-agents)))
