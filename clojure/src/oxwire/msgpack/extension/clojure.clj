(ns oxwire.msgpack.extension.clojure
  "The extensions that msgpack-clj has for keywords, symbols and sets, in its codes and forms (but that a symbol keeps
  its namespace). To exchange data with programs that use them; among our own, `lossless-codec` keeps more."
  (:refer-clojure :exclude [extensions])
  (:require [oxwire.msgpack.extension :as extension])
  (:import (java.nio.charset StandardCharsets)
           (oxwire.msgpack ExtensionTypeHeader Packer Reader Unpacker)))

(set! *warn-on-reflection* true)

(defn- text-ext [code pred text parse]
  (reify extension/MsgpackExtension
    (can-pack? [_ value] (pred value))
    (can-unpack? [_ type-byte] (= code type-byte))
    (pack [_ packer value _]
      (let [bytes (.getBytes ^String (text value) StandardCharsets/UTF_8)]
        (doto ^Packer packer
          (.packExtensionTypeHeader (unchecked-byte code) (alength bytes))
          (.writePayload bytes))))
    (unpack [_ unpacker header _]
      (parse (String. (.readPayload ^Unpacker unpacker (.getLength ^ExtensionTypeHeader header)) StandardCharsets/UTF_8)))))

(def keyword-ext "Keywords as ext 3: their text." (text-ext 3 keyword? #(subs (str %) 1) keyword))

(def symbol-ext "Symbols as ext 4: their text." (text-ext 4 symbol? str symbol))

(def set-ext
  "Sets as ext 5: an array."
  (reify extension/MsgpackExtension
    (can-pack? [_ value] (set? value))
    (can-unpack? [_ type-byte] (= 5 type-byte))
    (pack [_ packer value _] (.packExtension ^Packer packer (unchecked-byte 5) (vec value)))
    (unpack [_ unpacker _ _] (Reader/setOf (.unpackValue ^Unpacker unpacker)))))

(def extensions "All three." [keyword-ext symbol-ext set-ext])
