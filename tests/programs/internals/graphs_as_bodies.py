"""Graphs that a program declares to be bodies of functions: what is made outside of those comes to the graph around."""

import tensorflow as tf

results = {}
outer, body, inner, other = tf.Graph(), tf.Graph(), tf.Graph(), tf.Graph()
results["at first"] = [body.building_function, body._building_function]
body._building_function = inner._building_function = True
results["declared"] = [body.building_function, body._building_function]
NAMES = {outer: "outer", body: "body", inner: "inner", other: "other"}


def around():
    with tf.init_scope():
        return NAMES.get(tf.get_default_graph(), "the thread's own")


class Shift(tf.layers.Layer):
    def build(self, input_shape):
        self.shift = self.add_variable("shift", (), tf.float32)
        self.built = True

    def call(self, inputs):
        return inputs


with body.as_default():
    results["alone"] = around()
with outer.as_default(), body.as_default():
    results["inside"] = around()
    layer = Shift()
    layer.apply(tf.placeholder(tf.float32, ()))
    results["variables"] = [(v.name, NAMES[v.graph]) for v in layer.variables + layer.trainable_variables]
    with tf.name_scope("scope"), tf.init_scope():
        results["names"] = tf.constant(1.0).name
    with other.as_default():
        results["a graph inside"] = around()
        with body.as_default(), inner.as_default():
            results["two of them"] = around()
    with tf.control_dependencies([tf.no_op()]), tf.init_scope():
        results["waits for"] = [op.name for op in tf.no_op().control_inputs]
body._building_function = False
with outer.as_default(), body.as_default():
    results["no longer"] = around()
