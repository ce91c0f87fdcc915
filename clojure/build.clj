(ns build
  "For the clojure command: `clojure -T:build javac`, `clojure -T:build jar`. `mvn package` makes the same jar."
  (:require [clojure.tools.build.api :as b]))

(def ^:private lib 'oxwire/msgpack)
(def ^:private version "0.1.0")

(defn javac
  "Compiles the Java into classes/, for Java 11 and later."
  [_]
  (b/javac {:src-dirs ["java"] :class-dir "classes" :basis (b/create-basis {}) :javac-opts ["--release" "11" "-Xlint:all"]}))

(defn jar
  "Makes target/msgpack-<version>.jar."
  [_]
  (let [basis (b/create-basis {}) classes "target/jar"]
    (b/delete {:path classes})
    (b/javac {:src-dirs ["java"] :class-dir classes :basis basis :javac-opts ["--release" "11"]})
    (b/copy-dir {:src-dirs ["src" "resources"] :target-dir classes})
    (b/write-pom {:class-dir classes :lib lib :version version :basis basis :src-dirs ["src"]})
    (b/jar {:class-dir classes :jar-file (str "target/msgpack-" version ".jar")})))
