(ns oxwire.msgpack.extensions-test
  "Types of one's own, as data, globally and by msgpack-clj's protocol; and what other libraries wrote."
  (:require [clojure.test :refer [are deftest is testing]]
            [muuntaja.format.core :as muuntaja]
            [clojure.string]
            [oxwire.msgpack :as m :refer [pack unpack keywordize-keys-mapper stringify-keys-mapper]]
            [oxwire.msgpack.extension :as extension]
            [oxwire.msgpack.extension.clojure :as clojure-extensions]
            [oxwire.msgpack.muuntaja :as format])
  (:import (clojure.lang ExceptionInfo)
           (oxwire.msgpack ExtensionTypeHeader Packer Unpacker)))

(set! *warn-on-reflection* true)

(defrecord Money [amount currency])
(defrecord Person [name])
(deftype Temperature [degrees])

(defn- octets ^bytes [& xs] (byte-array (map unchecked-byte xs)))
(defn- hex [b] (apply str (map #(format "%02x" %) b)))
(defn- unhex [s] (byte-array (map #(unchecked-byte (Integer/parseInt (apply str %) 16)) (partition 2 s))))
(defn- why [f] (try (f) nil (catch ExceptionInfo e (keyword (name (:type (ex-data e)))))))

(deftest as-data
  (let [c (m/codec {:extensions [{:code 5 :class Money
                                  :pack (fn [^Money x] (.getBytes (str (.-amount x) " " (.-currency x))))
                                  :unpack (fn [^bytes b] (let [[a c] (clojure.string/split (String. b) #" ")] (->Money (Long/parseLong a) c)))}
                                 {:code 6 :class Temperature :payload :value
                                  :pack (fn [^Temperature t] {:degrees (.-degrees t)})
                                  :unpack (fn [{:strs [degrees]}] [:degrees degrees])}
                                 {:class java.net.URI :pack (fn [u] [:uri (str u)])}
                                 {:code 7 :class java.util.Locale :pack (fn [l] (str l))}]})]
    (is (= "d60535205553" (hex (pack (->Money 5 "US") c))) "records are no maps then")
    (is (= {"a" [(->Money 5 "EUR")]} (unpack (pack {:a [(->Money 5 "EUR")]} c) c)))
    (is (= [:degrees 5] (unpack (pack (->Temperature 5) c) c)))
    (is (= ["uri" "a:b"] (unpack (pack (java.net.URI. "a:b") c) c)))
    (is (= "c70307a2656e" (hex (pack (java.util.Locale. "en") c))) "a value is its message")
    (is (= {(->Money 1 "X") 1} (unpack (pack {(->Money 1 "X") 1} c) c)) "also as a key"))
  (testing "what it throws comes out as it is, and the rest goes on"
    (let [c (m/codec {:extensions [{:code 5 :class Money :pack (fn [_] (throw (IllegalStateException. "no"))) :unpack (fn [_] (throw (ArithmeticException.)))}]})]
      (is (thrown? IllegalStateException (pack (->Money 1 2) c)))
      (is (thrown? ArithmeticException (unpack (octets 0xd4 5 1) c)))
      (is (= "01" (hex (pack 1 c))))))
  (testing "the most specific class, whatever the order"
    (let [one (fn [class text] {:class class :pack (fn [_] text)})]
      (doseq [order [identity reverse]]
        (are [x said] (= said (unpack (pack x {:extensions (order [(one clojure.lang.IPersistentMap "map") (one Money "money") (one Object "other")
                                                                    (one Number "number") (one java.util.List "list")])})))
          (->Money 1 2) "money" {} "map" (->Person 1) "map" {:a 1} "map" 5 "number" 1.5 "number" [1] "list" '(1) "list"
          (Object.) "other" "text" "text" :a "a" nil nil true true))))
  (testing "without end"
    (is (= :depth (why #(pack (->Person 1) {:extensions [{:class Person :pack identity}]}))))
    (is (= :depth (why #(unpack (nth (iterate (fn [b] (pack (m/ext 9 b))) (pack 1)) 1100) {:extensions [{:code 9 :payload :value :unpack identity}]})))))
  (testing "a body that is no message"
    (is (= :body (why #(unpack (octets 0xd4 9 0xc1) {:extensions [{:code 9 :payload :value :unpack identity}]})))))
  (testing "built-in types can be taken over, and ours keep theirs"
    (is (= "d40561" (hex (pack :a {:extensions [{:code 5 :class clojure.lang.Keyword :pack (fn [k] (.getBytes (name k)))}]}))))))

(deftest for-all-codecs
  (m/extend-msgpack Person 100
    [p] (.getBytes ^String (:name p) "UTF-8")
    [bytes] (->Person (String. ^bytes bytes "UTF-8")))
  (is (= [(->Person "Ada")] (unpack (pack [(->Person "Ada")]))))
  (is (= (->Person "Ada") (unpack (pack (->Person "Ada") m/keyword-codec) {:keys :keyword})))
  (is (= "own" (unpack (pack (->Person "Ada")) {:extensions [{:code 100 :unpack (fn [_] "own")}]})))
  (m/extend-msgpack Person 101 [p] {:name (:name p)} [bytes] (->Person ((unpack bytes) "name")))
  (is (= "d76581" (subs (hex (pack (->Person "A"))) 0 6)) "said again, it is replaced")
  (is (= (->Person "Ada") (unpack (pack (->Person "Ada")))))
  (m/unregister-extension! 101)
  (is (= {"name" "Ada"} (unpack (pack (->Person "Ada")))))
  (is (thrown? ExceptionInfo (eval '(oxwire.msgpack/extend-msgpack String 128 [x] x [b] b)))))

(deftest as-msgpack-clj-does
  ;; Its README, with the namespace changed.
  (is (= {"a" 1 "b" [1 2 3]} (unpack (pack {:a 1 "b" [1 2 3]}))))
  (is (= {":a" 1} (unpack (pack {:a 1} {:key-fn str}))))
  (is (= {:a 1} (unpack (pack {:a 1}) {:key-fn keywordize-keys-mapper})))
  (is (= {"a" 1} (unpack (pack {:a 1} {:key-fn stringify-keys-mapper}))))
  (is (= ["a/b" 5 :a 5] [(stringify-keys-mapper :a/b) (stringify-keys-mapper 5) (keywordize-keys-mapper "a") (keywordize-keys-mapper 5)]))
  (let [opts {:extensions clojure-extensions/extensions}
        x    {:a [:b 'c 'n/d #{1 :e}]}]
    (is (= {"a" [:b 'c 'n/d #{1 :e}]} (unpack (pack x opts) opts)))
    (is (= "d40361" (hex (pack :a opts))))
    (is (= "81d4036101" (hex (pack {:a 1} (assoc opts :encode-keys :as-is)))))
    (is (= #{:a 'b} (unpack (pack #{:a 'b} opts) {:presets [:msgpack-clj]}))))
  (let [ext (reify extension/MsgpackExtension
              (can-pack? [_ v] (instance? Temperature v))
              (can-unpack? [_ code] (= code 0x11))
              (pack [_ packer v _]
                (.packExtensionTypeHeader ^Packer packer (byte 0x11) 8)
                (.writePayload ^Packer packer (.array (.putLong (java.nio.ByteBuffer/allocate 8) (.-degrees ^Temperature v)))))
              (unpack [_ unpacker header opts]
                [(.getType ^ExtensionTypeHeader header) opts
                 (.getLong (java.nio.ByteBuffer/wrap (.readPayload ^Unpacker unpacker (.getLength ^ExtensionTypeHeader header))))]))
        opts {:extensions [ext]}]
    (is (= "d7110000000000000005" (hex (pack (Temperature. 5) opts))))
    (is (= [1 [0x11 opts 5] 2] (unpack (pack [1 (Temperature. 5) 2] opts) opts)) "the place is kept")
    (is (= :unsupported (why #(pack (Object.) opts)))))
  (testing "an extension that does not take its body"
    (let [lazy (reify extension/MsgpackExtension
                 (can-pack? [_ _] false) (can-unpack? [_ code] (= code 1)) (pack [_ _ _ _]) (unpack [_ _ _ _] nil))]
      (is (= :body (why #(unpack (octets 0xd4 1 1) {:extensions [lazy]})))))))

(deftest what-others-wrote
  (testing "msgpack-clj"
    (are [bytes x] (= x (unpack (unhex bytes) {:presets [:msgpack-clj]}))
      "d40361" :a "c70303612f62" :a/b "d40461" 'a "c7040593010203" #{1 2 3} "81d4036101" {:a 1}))
  (testing "clojure-msgpack: bodies are messages"
    (are [bytes x] (= x (unpack (unhex bytes) {:presets :clojure-msgpack}))
      "d603a3616263" :abc "d504a161" 'a "d505a161" \a "c70306920103" 1/3 "d407c0" #{} "d5079105" #{5}
      "81d503a16101" {:a 1}))
  (testing "sente"
    (are [bytes x] (= x (unpack (unhex bytes) {:presets [:sente]}))
      "d40061" :a "d40161" 'a "d40261" \a "d5030103" 1/3 "d5049105" #{5} "d30000000100000000" 4294967296
      "c70cff000000050000000000000001" (java.time.Instant/ofEpochSecond 1 5)
      "c7240930303030303030302d303030302d303030312d303030302d303030303030303030303032" (java.util.UUID. 1 2)
      "9281d400610181d4080002" [{:a 1} {:a 2}] "9181d40061d40061" [{:a :a}])
    (is (= [1 2] (vec (unpack (unhex "d7050000000100000002") {:presets [:sente]}))))
    (is (= [1.5] (vec (unpack (unhex "d6063fc00000") {:presets [:sente]}))))
    (is (= [1.5] (vec (unpack (unhex "d7073ff8000000000000") {:presets [:sente]}))))
    (is (= :body (why #(unpack (unhex "81d4080001") {:presets [:sente]})))))
  (testing "one's own come first"
    (is (= :mine (unpack (unhex "d40361") {:presets [:msgpack-clj] :extensions [{:code 3 :unpack (constantly :mine)}]}))))
  (testing "bodies that are wrong"
    (are [bytes preset] (= :body (why #(unpack (unhex bytes) {:presets [preset]})))
      "d40501" :msgpack-clj "d503a1ff" :clojure-msgpack "d5069101" :clojure-msgpack "d40901" :sente)))

(deftest muuntaja-format
  (let [{:keys [name encoder decoder]} format/format
        write ((first encoder) (second encoder))
        read  ((first decoder) (second decoder))
        out   (java.io.ByteArrayOutputStream.)]
    (is (= "application/msgpack" name))
    (is (= {:a [1 "b"]} (muuntaja/decode read (java.io.ByteArrayInputStream. (muuntaja/encode-to-bytes write {:a [1 :b]} "utf-8")) "utf-8")))
    ((muuntaja/encode-to-output-stream write {:a 1} "utf-8") out)
    (is (= {:a 1} (muuntaja/decode read (.toByteArray out) "utf-8")))
    (is (= :trailing (why #(muuntaja/decode read (java.io.ByteArrayInputStream. (octets 1 2)) "utf-8"))))
    (let [{:keys [decoder]} (format/format-with {:keys :string})]
      (is (= {"a" 1} (muuntaja/decode ((first decoder) (second decoder)) (.toByteArray out) "utf-8"))))))
