(ns oxwire.msgpack.reflection-test
  "That nothing is looked up at run time: neither speed nor native images would bear it. The runner listens while the
  library is loaded, since loading it again would make its types anew."
  (:require [clojure.test :refer [deftest is]]
            [oxwire.runner :as runner]))

(deftest no-reflection-warnings
  (is (= "" (runner/warnings))))
