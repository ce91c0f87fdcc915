(ns oxwire.cross
  "The Clojure end of tests/cross_clojure.py: answers questions that come over standard input until it ends.

  A question is a length (4 bytes, big-endian) and so many bytes: a letter, a name with its length (2 bytes), and data. An
  answer is a length and so many bytes, of which the first says whether all is well (0). The questions:

    v  name of a vector, its value as the other end wrote it: is it that? The value as it is written here
    e  a mode, a message: what is written for what is read
    g  a number and one of plain, lossless, as text: so many values made up here; an array of their messages
    c  the number of one of them, a message: is it that value?"
  (:require [clojure.string :as str]
            [clojure.test.check.generators :as gen]
            [oxwire.msgpack :as m]
            [oxwire.msgpack.property-test :as property]
            [oxwire.msgpack.vectors :as v])
  (:import (java.io BufferedOutputStream DataInputStream DataOutputStream)))

(set! *warn-on-reflection* true)

(def ^:private by-name (delay (into {} (map (juxt :name identity)) (v/all))))

(def ^:private made (atom []))

(def ^:private codec-of (memoize (fn [mode] (m/codec ((if (= mode "old-spec") v/reading v/writing) (not-empty mode))))))

(defn- same [wanted got]
  (when-not (= (v/exact wanted) (v/exact got))
    (throw (ex-info (str "is read as " (pr-str got)) {}))))

(defn- generated [kind n]
  (let [generator ({"plain" property/plain "lossless" property/lossless} kind)
        codec     ({"plain" m/default-codec "lossless" m/lossless-codec} kind)]
    (reset! made (mapv (fn [i] [codec (gen/generate generator (mod i 25) (long i))]) (range n)))
    (m/pack (mapv (fn [[codec value]] (m/pack value codec)) @made))))

(defn- answer ^bytes [letter name data]
  (case (char letter)
    \v (let [{:keys [mode value way]} (@by-name name)
             codec (codec-of mode)]
         (when-not (= way "write") (same @value (m/unpack data codec)))
         (m/pack @value codec))
    \e (let [codec (codec-of name)] (m/pack (m/unpack data codec) codec))
    \g (let [[n kind] (str/split name #" ")] (generated kind (Long/parseLong n)))
    \c (let [[codec value] (@made (Long/parseLong name))]
         (same value (m/unpack data codec))
         (byte-array 0))))

(defn -main []
  (let [in  (DataInputStream. System/in)
        out (DataOutputStream. (BufferedOutputStream. System/out))]
    ;; Deep vectors need stack for the helpers of the tests.
    (v/deeply
     (fn []
       (loop []
         (let [length (try (.readInt in) (catch java.io.EOFException _ nil))]
           (when length
             (let [letter (.readByte in)
                   name   (byte-array (.readUnsignedShort in))
                   _      (.readFully in name)
                   data   (byte-array (- (long length) 3 (alength name)))
                   _      (.readFully in data)
                   [status ^bytes said] (try [0 (answer letter (String. name "UTF-8") data)]
                                             (catch Throwable t [1 (.getBytes (str t) "UTF-8")]))]
               (.writeInt out (inc (alength said)))
               (.writeByte out status)
               (.write out said)
               (.flush out)
               (recur)))))))
    (shutdown-agents)))
