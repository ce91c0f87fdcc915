(ns oxwire.msgpack.readme-test
  "The examples of README.md: each block of Clojure is evaluated from top to bottom in one namespace, and where a form has
  `; => value` behind it, that must be its value. The linter's export is read too, since nobody else here does."
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io]
            [clojure.test :refer [deftest is]])
  (:import (clojure.lang LineNumberingPushbackReader)
           (java.io StringReader)))

(defn- rest-of-line [^LineNumberingPushbackReader in]
  (loop [line ""]
    (let [c (.read in)]
      (cond
        (neg? c) line
        (= c 10) (do (.unread in c) line)
        :else (recur (str line (char c)))))))

(defn- check-block [block]
  (let [in (LineNumberingPushbackReader. (StringReader. block))]
    (loop [count 0]
      (let [form (read {:eof ::end} in)]
        (if (= form ::end)
          count
          (let [value (eval form)
                [_ wanted] (re-find #"^\s*;+ => (.*)$" (rest-of-line in))]
            (when wanted
              (is (= (eval (read-string wanted)) value) (pr-str form)))
            (recur (inc count))))))))

(deftest examples
  (let [text   (slurp "README.md" :encoding "UTF-8")
        blocks (map second (re-seq #"(?s)```clojure\n(.*?)```" text))
        space  (create-ns 'oxwire.msgpack.readme)]
    (is (< 5 (count blocks)))
    (binding [*ns* space]
      (refer-clojure)
      (is (< 20 (reduce + (map check-block blocks)))))))

(deftest files-of-tools
  (is (map? (edn/read-string (slurp "deps.edn"))))
  (is (contains? (get-in (edn/read-string (slurp (io/resource "clj-kondo.exports/oxwire/msgpack/config.edn"))) [:hooks :analyze-call])
                 'oxwire.msgpack/extend-msgpack))
  (is (= 'ns (first (read-string (slurp (io/resource "clj-kondo.exports/oxwire/msgpack/hooks/oxwire/msgpack.clj")))))))
