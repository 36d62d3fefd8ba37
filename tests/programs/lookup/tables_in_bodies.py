"""Tables that are made in loops, branches, functions and under control dependencies stand outside of them."""

import warnings

import numpy as np
import tensorflow as tf

results = {}


def static():
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 2, 3], [5, 10, 15]), -1)


def static_of_tensors():
    pairs = tf.lookup.KeyValueTensorInitializer(tf.constant([1, 2, 3]), tf.constant([5, 10, 15]))
    return tf.lookup.StaticHashTable(pairs, -1)


def mutable():
    return tf.contrib.lookup.MutableHashTable(tf.int32, tf.int32, -1)


def show(name, make):
    with tf.Graph().as_default() as graph, warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            tensor = make()
            with tf.Session() as sess:
                sess.run(tf.tables_initializer())
                value = sess.run(tensor).tolist()
        except (ValueError, tf.errors.OpError) as error:
            results[name] = type(error).__name__, str(error).split("because")[0]
            return
        kinds = ("HashTableV2", "MutableHashTableV2", "LookupTableImportV2")
        made = [
            [node.name, node.type, len(node.control_inputs), node._get_control_flow_context() is None]
            for node in graph.get_operations()
            if node.type in kinds
        ]
        results[name] = value, made, [str(item.message) for item in seen if "Creating resources" in str(item.message)]


KEYS = np.array([2, 4, 1], np.int32)
show("loop", lambda: tf.map_fn(lambda x: static().lookup(x), KEYS))
show("mutable in a loop", lambda: tf.map_fn(lambda x: mutable().lookup(x), KEYS))
show(
    "keys of the loop",
    lambda: tf.map_fn(
        lambda x: tf.contrib.lookup.index_table_from_tensor(["a"]).lookup(x), np.array(["a", "b"]), tf.int64
    ),
)


def branch():
    keys = tf.constant(KEYS)
    return tf.cond(tf.placeholder_with_default(True, []), lambda: static().lookup(keys), lambda: keys)


def after_something():
    keys = tf.constant(KEYS)
    with tf.control_dependencies([tf.constant(1.0)]):
        return static().lookup(keys) + mutable().lookup(keys)


show("branch", branch)
show("control dependencies", after_something)


def of_elements(table, transform):
    def make():
        dataset = transform(tf.data.Dataset.from_tensor_slices([1, 2]), lambda x: table().lookup(x))
        iterator = tf.data.make_initializable_iterator(dataset)
        with tf.control_dependencies([iterator.initializer]):
            return iterator.get_next()

    return make


show("map", of_elements(static, lambda dataset, f: dataset.map(f)))
show("mutable in a map", of_elements(mutable, lambda dataset, f: dataset.map(f)))
show("filter", of_elements(static, lambda dataset, f: dataset.filter(lambda x: f(x) > 5)))
show("tensors in a map", of_elements(static_of_tensors, lambda dataset, f: dataset.map(f)))
