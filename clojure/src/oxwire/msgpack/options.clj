(ns ^:no-doc oxwire.msgpack.options
  "Options, checked and compiled: what `oxwire.msgpack/codec` does. Of no use by itself; the manual is oxwire.msgpack."
  (:require [oxwire.msgpack.extension :as extension]
            [oxwire.msgpack.presets :as presets])
  (:import (clojure.lang Keyword)
           (java.util HashMap)
           (oxwire.msgpack Codec Extension)))

(set! *warn-on-reflection* true)

(defn refuse
  "Throws an error of a type that the manual names."
  [type message data]
  (throw (ex-info message (assoc data :type (keyword "oxwire.msgpack" (name type)) :path []))))

(defn stringify
  "Text for a key that is a keyword."
  [k]
  (if (keyword? k) (.toString (.-sym ^Keyword k)) k))

(defn keywordize
  "A keyword for a key that is text."
  [k]
  (if (string? k) (keyword k) k))

(def ^:private as-words {:string 0 :ext 1 :error 2 :array 0 :map 0 :timestamp 0})

(def ^:private words
  "What can be said of each option, the default first."
  {:duplicate-keys       [:last :error]
   :keywords             [:string :ext :error]
   :symbols              [:string :ext :error]
   :char                 [:string :ext]
   :uuid                 [:string :ext]
   :bigdec               [:string :ext :error]
   :ratio                [:string :ext :error]
   :regex                [:string :ext]
   :bigint               [:error :ext :string]
   :sets                 [:array :ext :error]
   :lists                [:array :ext]
   :arrays               [:array :ext]
   :dates                [:timestamp :ext]
   :java-time            [:string :error]
   :map-keys             [:error :ext]
   :unregistered-records [:map :error]
   :floats               [:double :shortest :single]
   :instants             [:instant :date :ext]
   :bytes                [:array :buffer]
   :unknown-ext          [:value :error]
   :malformed            [:error :replace]
   :trailing             [:error :ignore]
   :lossless             [false true]
   :canonical            [false true]
   :sort-keys            [false true]
   :raw                  [false true]
   :compatibility-mode   [false true]
   :strict               [false true]})

(def ^:private lossless-words
  {:keywords :ext :symbols :ext :char :ext :uuid :ext :bigdec :ext :ratio :ext :regex :ext :bigint :ext :sets :ext
   :lists :ext :arrays :ext :dates :ext :java-time :error :map-keys :ext :unregistered-records :error
   :encode-keys :as-is})

(def ^:private codes
  "The ext codes of the options that may be :ext; records have theirs when there are some."
  {:keywords 32 :symbols 33 :sets 34 :lists 35 :char 36 :ratio 37 :bigint 38 :bigdec 39 :uuid 40 :regex 42 :arrays 43
   :dates 44 :map-keys 45})

(def ^:private others
  #{:keys :encode-keys :key-fn :records :extensions :presets :max-depth :max-len :max-buffer})

(defn- check-options [opts]
  (when-not (or (nil? opts) (map? opts))
    (refuse :option (str "Options are a map or a codec, not " (pr-str (class opts))) {:value opts}))
  (doseq [[option v] opts]
    (let [known (words option)]
      (cond
        known (when-not (or (nil? v) (some #(= v %) known))
                (refuse :option (str option " is one of " (pr-str known) ", not " (pr-str v)) {:option option :value v}))
        (not (others option)) (refuse :option (str "No such option: " (pr-str option)) {:option option :value v})))))

(defn- limit [opts option default]
  (let [v (get opts option)]
    (cond
      (nil? v) default
      (and (int? v) (pos? v)) (int (min v Integer/MAX_VALUE))
      :else (refuse :option (str option " is a positive integer, not " (pr-str v)) {:option option :value v}))))

(defn- key-function [option v]
  (if (ifn? v) v (refuse :option (str option " is a keyword that the manual names, or a function") {:option option :value v})))

(defn- decode-keys [opts]
  (let [v (or (:keys opts) (:key-fn opts) :string)]
    (cond
      (or (= v :string) (identical? v stringify)) {}
      (or (= v :keyword) (identical? v keywordize)) {"keyword-keys" true}
      (keyword? v) (refuse :option ":keys is :string, :keyword or a function" {:option :keys :value v})
      :else {"decode-key" (key-function :keys v)})))

(defn- encode-keys [opts]
  (let [v (or (:encode-keys opts) (:key-fn opts) :name)]
    (cond
      (or (= v :name) (identical? v stringify) (identical? v keywordize)) {"key-mode" 0}
      (= v :as-is) {"key-mode" 1}
      (keyword? v) (refuse :option ":encode-keys is :name, :as-is or a function" {:option :encode-keys :value v})
      :else {"key-mode" 2 "encode-key" (key-function :encode-keys v)})))

(defn extension-of
  "An extension as the Java code knows it."
  [opts e]
  (cond
    (map? e)
    (let [{:keys [code class pack unpack payload]} e]
      (when-not (and (or (nil? code) (and (int? code) (<= -128 code 127) (not= code -1)))
                     (or (nil? class) (instance? Class class))
                     (or pack unpack)
                     (= (some? pack) (some? class))
                     (or code (nil? unpack))
                     (contains? #{nil :bytes :value} payload)
                     (every? #{:code :class :pack :unpack :payload} (keys e)))
        (refuse :option "An extension is {:code -128…127 (not -1) :class a-class :pack f :unpack f :payload :bytes or :value}"
                {:option :extensions :value e}))
      (Extension. class (int (or code Extension/NO_CODE)) pack unpack (= payload :value)))

    (satisfies? extension/MsgpackExtension e)
    (Extension/asking (fn [v] (extension/can-pack? e v))
                      (fn [packer v] (extension/pack e packer v opts))
                      (fn [code] (extension/can-unpack? e (unchecked-byte (long code))))
                      (fn [unpacker header opts] (extension/unpack e unpacker header opts)))

    :else (refuse :option "An extension is a map or of the protocol MsgpackExtension" {:option :extensions :value e})))

(defn- check-records [records]
  (doseq [{:keys [tag class read] :as record} records]
    (when-not (and (string? tag) (instance? Class class) (ifn? read))
      (refuse :option "A record is {:tag \"name\" :class a-class :read f}" {:option :records :value record})))
  (doseq [part [:tag :class]]
    (when-not (or (empty? records) (apply distinct? (map part records)))
      (refuse :option (str "Two records have the same " part) {:option :records :value (vec records)}))))

(defn- presets-of [opts]
  (let [named (:presets opts)]
    (map (fn [k] (or (presets/presets k)
                     (refuse :option (str "No such preset: " (pr-str k)) {:option :presets :value k})))
         (if (keyword? named) [named] named))))

(defn compile-options
  "A codec of a map of options, or an error that names the option."
  ^Codec [given]
  (check-options given)
  (let [opts    (if (:lossless given) (merge lossless-words given) given)
        word    (fn [option] (let [v (get opts option)] (if (nil? v) (first (words option)) v)))
        _       (check-records (:records opts))
        presets (presets-of opts)
        exts    (concat (map #(extension-of given %) (:extensions opts))
                        (for [{:keys [code payload unpack]} (mapcat :extensions presets)]
                          (Extension/preset (int code) unpack (= payload :value))))
        read    (merge (into {} (for [[option code] codes :when (or (:lossless opts) (= :ext (word option)))] [code code]))
                       (when (or (:lossless opts) (seq (:records opts))) {41 41})
                       (into {} (mapcat :bodies) presets))
        m       (HashMap.)]
    (doto m
      (.putAll (decode-keys opts))
      (.putAll (encode-keys opts))
      (.put "max-depth" (limit opts :max-depth (int 1000)))
      (.put "max-len" (limit opts :max-len Integer/MAX_VALUE))
      (.put "max-buffer" (limit opts :max-buffer Integer/MAX_VALUE))
      (.put "floats" ({:double 0 :shortest 1 :single 2} (word :floats)))
      (.put "instants" ({:instant 0 :date 1 :ext 2} (word :instants)))
      (.put "unique" (= :error (word :duplicate-keys)))
      (.put "replace" (= :replace (word :malformed)))
      (.put "byte-buffers" (= :buffer (word :bytes)))
      (.put "unknown-is-error" (= :error (word :unknown-ext)))
      (.put "trailing" (= :ignore (word :trailing)))
      (.put "strict" (word :strict))
      (.put "canonical" (word :canonical))
      (.put "sort-keys" (word :sort-keys))
      (.put "old-spec" (or (word :raw) (word :compatibility-mode)))
      (.put "cached-keys" (boolean (some :cached-keys presets)))
      (.put "read-codes" (int-array (mapcat identity read))))
    (doseq [[option name] {:keywords "keywords" :symbols "symbols" :char "chars" :uuid "uuids" :bigdec "bigdec"
                           :ratio "ratios" :regex "patterns" :bigint "bigint" :sets "sets" :lists "lists"
                           :arrays "arrays" :dates "dates" :java-time "times" :map-keys "map-keys"
                           :unregistered-records "unregistered"}]
      (.put m name (as-words (word option))))
    (when-let [records (seq (:records opts))]
      (.put m "record-writers" (HashMap. ^java.util.Map (into {} (map (juxt :class #(object-array [(:tag %)]))) records)))
      (.put m "record-readers" (HashMap. ^java.util.Map (into {} (map (juxt :tag :read)) records))))
    (Codec. (or given {}) m (into-array Extension exts))))
