(ns oxwire.runner
  "Runs every test namespace below test/ (those that end in -test), and says in the last line how many tests there were.

      clojure.main -m oxwire.runner            all
      clojure.main -m oxwire.runner some text  those whose name has one of these in it"
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :as test]))

(defn- namespaces []
  (let [root (.toPath (io/file "test"))]
    (->> (file-seq (io/file "test"))
         (map #(str (.relativize root (.toPath ^java.io.File %))))
         (filter #(str/ends-with? % "_test.clj"))
         (map #(-> % (str/replace ".clj" "") (str/replace "_" "-") (str/replace #"[/\\]" ".") symbol))
         sort)))

(def ^:private said (java.io.StringWriter.))

(defn warnings
  "What the compiler had to say about the library."
  []
  (str said))

(defn- load-library []
  (binding [*warn-on-reflection* true, *err* (java.io.PrintWriter. said true)]
    (require 'oxwire.msgpack 'oxwire.msgpack.extension.clojure 'oxwire.msgpack.muuntaja)))

(defn -main [& wanted]
  (let [begun  (System/nanoTime)
        chosen (filter (fn [one] (or (empty? wanted) (some #(str/includes? (str one) %) wanted))) (namespaces))]
    (load-library)
    (apply require chosen)
    (let [{:keys [test pass fail error]} (binding [test/*test-out* *out*] (apply test/run-tests chosen))]
      (println (format "clojure: %d tests with %d assertions, %d failures, %d errors, in %.1f s, on Clojure %s, JDK %s"
                       test (+ pass fail error) fail error (/ (- (System/nanoTime) begun) 1e9)
                       (clojure-version) (System/getProperty "java.version")))
      (shutdown-agents)
      (System/exit (if (and (pos? test) (zero? (+ fail error))) 0 1)))))
