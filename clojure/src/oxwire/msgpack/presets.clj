(ns ^:no-doc oxwire.msgpack.presets
  "What other libraries of Clojure made of the ext codes, so that what they wrote can be read. Their codes collide with
  each other, which is why nobody can read all of them at once. Where a body is laid out as one of ours is, that reads it."
  (:import (java.nio ByteBuffer)
           (java.nio.charset StandardCharsets)
           (oxwire.msgpack Reader Reader$CachedKey)))

(defn- utf8 [^bytes b] (String. b StandardCharsets/UTF_8))

(defn- floats-of [^bytes b]
  (let [from (.asFloatBuffer (ByteBuffer/wrap b)) made (float-array (.remaining from))]
    (.get from made)
    made))

(defn- doubles-of [^bytes b]
  (let [from (.asDoubleBuffer (ByteBuffer/wrap b)) made (double-array (.remaining from))]
    (.get from made)
    made))

(defn- ints-of [^bytes b]
  (let [from (.asIntBuffer (ByteBuffer/wrap b)) made (int-array (.remaining from))]
    (.get from made)
    made))

(def presets
  "By name: `:bodies` says which code of theirs has the body of which of ours, `:extensions` what else there is."
  {:msgpack-clj     {:bodies {3 32, 4 33, 5 34}}
   ;; Bodies are messages there: text in text's own form, [n d], an array or (of no members) nil.
   :clojure-msgpack {:extensions [{:code 3 :payload :value :unpack keyword}
                                  {:code 4 :payload :value :unpack symbol}
                                  {:code 5 :payload :value :unpack (fn [^String s] (.charAt s 0))}
                                  {:code 6 :payload :value :unpack (fn [[n d]] (/ n d))}
                                  {:code 7 :payload :value :unpack (fn [members] (Reader/setOf (or members [])))}]}
   :sente           {:bodies      {0 32, 1 33, 2 36, 3 37, 4 34}
                     :cached-keys true
                     :extensions  [{:code 5 :unpack ints-of}
                                   {:code 6 :unpack floats-of}
                                   {:code 7 :unpack doubles-of}
                                   {:code 8 :unpack (fn [^bytes b] (Reader$CachedKey. (bit-and 0xff (aget b 0))))}
                                   {:code 9 :unpack (fn [b] (java.util.UUID/fromString (utf8 b)))}]}})
