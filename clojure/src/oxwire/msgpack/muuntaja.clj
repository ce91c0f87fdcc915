(ns oxwire.msgpack.muuntaja
  "MessagePack as a format of muuntaja, which this library does not depend on: whoever requires this namespace has it.

      (require '[muuntaja.core :as muuntaja] '[oxwire.msgpack.muuntaja :as msgpack])

      (muuntaja/create
       (assoc-in muuntaja/default-options [:formats \"application/msgpack\"] msgpack/format))

  Options are those of `oxwire.msgpack/codec`, by :decoder-opts and :encoder-opts or from `format-with`. Requests and
  responses speak the plain codec, with keywords for keys; bytes of a request behind its message are an error."
  (:refer-clojure :exclude [format])
  (:require [muuntaja.format.core :as core]
            [oxwire.msgpack :as msgpack])
  (:import (java.io InputStream OutputStream)))

(set! *warn-on-reflection* true)

(defn decoder
  "A muuntaja decoder. Options: see `oxwire.msgpack/codec`."
  [options]
  (let [codec (msgpack/codec options)]
    (reify core/Decode
      (decode [_ data _]
        (msgpack/unpack (if (instance? InputStream data) (.readAllBytes ^InputStream data) data) codec)))))

(defn encoder
  "A muuntaja encoder, to bytes and to streams. Options: see `oxwire.msgpack/codec`."
  [options]
  (let [codec (msgpack/codec options)]
    (reify
      core/EncodeToBytes
      (encode-to-bytes [_ data _] (msgpack/pack data codec))
      core/EncodeToOutputStream
      (encode-to-output-stream [_ data _]
        (fn [^OutputStream out] (msgpack/pack-stream out data codec))))))

(defn format-with
  "The format \"application/msgpack\" with these options of `oxwire.msgpack/codec`."
  [options]
  (core/map->Format
   {:name    "application/msgpack"
    :decoder [decoder (merge {:keys :keyword} options)]
    :encoder [encoder (or options {})]}))

(def format
  "The format \"application/msgpack\": the plain codec, with keywords for keys."
  (format-with {}))
