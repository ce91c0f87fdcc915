(ns hooks.oxwire.msgpack
  "Tells clj-kondo that extend-msgpack binds names in two bodies, and how many arguments it takes."
  (:require [clj-kondo.hooks-api :as api]))

(defn extend-msgpack [{:keys [node]}]
  (let [[class code pack-args pack-body unpack-args unpack-body :as args] (rest (:children node))]
    (when (not= 6 (count args))
      (api/reg-finding! (assoc (meta node) :type :invalid-arity
                               :message "extend-msgpack: class, code, [x], body to pack, [bytes], body to unpack")))
    {:node (api/list-node
            (filter some? [(api/token-node 'do) class code
                           (when pack-body (api/list-node [(api/token-node 'fn) pack-args pack-body]))
                           (when unpack-body (api/list-node [(api/token-node 'fn) unpack-args unpack-body]))]))}))
