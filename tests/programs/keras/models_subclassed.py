"""Models and layers written as classes: what they are made of, losses, metrics, updates, control flow."""

import numpy as np
import tensorflow as tf

results = {}
keras = tf.keras
X = np.arange(8, dtype="float32").reshape(2, 4)


class Blocks(keras.Model):
    def __init__(self):
        super(Blocks, self).__init__()
        self.first = keras.layers.Dense(3)
        self.rest = [keras.layers.Dense(2), keras.layers.Dense(2)]
        self.named = {"b": keras.layers.Dense(1), "a": keras.layers.Dense(1)}
        self.scale = tf.Variable(2.0, name="scale", use_resource=True)
        self.missing = None

    def call(self, x, training=None):
        x = self.first(x)
        for layer in self.rest:
            x = layer(x)
        return self.named["a"](x) * self.scale + self.named["b"](x)


def table(model):
    lines = []
    model.summary(print_fn=lines.append)
    return lines


blocks = Blocks()
results["before"] = [blocks.built, [layer.name for layer in blocks.layers], [v.name for v in blocks.weights]]
blocks.build((None, 4))
results["built"] = [[v.name for v in blocks.weights], [v.name for v in blocks.trainable_weights], table(blocks)]
other = Blocks()
y = other(tf.placeholder("float32", [None, 4], name="given"))
results["called"] = [y.name, [v.name for v in other.weights], other.input_names, other.output_names]
blocks.rest.append(keras.layers.Dense(1))
results["appended"] = [layer.name for layer in blocks.layers]
blocks.first.trainable = False
results["frozen"] = [[v.name for v in blocks.trainable_weights], [v.name for v in blocks.non_trainable_weights]]


class Noted(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight("w", (2,), regularizer=keras.regularizers.l2(0.1), initializer="ones")
        self.count = self.add_weight("count", (), trainable=False, initializer="zeros")
        super(Noted, self).build(shape)

    def call(self, x):
        self.add_loss(tf.reduce_sum(x), inputs=True)
        self.add_loss(lambda: tf.reduce_sum(self.w))
        self.add_metric(tf.reduce_max(x), name="largest", aggregation="mean")
        self.add_update(self.count.assign_add(tf.reduce_sum(x)))
        self.add_update(self.count.assign_add(1.0))
        if tf.reduce_sum(x) > 0:
            return x * 2.0
        return x


noted = Noted()
i = keras.Input((4,))
o = noted(i)
model = keras.Model(i, o)
results["noted"] = [
    len(model.losses), [m.name for m in model.metrics], [v.name for v in model.weights], len(model.updates),
    len(model.get_updates_for(None)), len(model.get_updates_for(i)),
    len(model.get_losses_for(None)), len(model.get_losses_for(i)),
]  # fmt: skip
session = keras.backend.get_session()
session.run(tf.global_variables_initializer())
results["converted"] = session.run([o, model.losses], {i: X})
results["converted other way"] = session.run(o, {i: -X})
session.run(noted.get_updates_for(i), {i: X})
results["count"] = keras.backend.get_value(noted.count)
model.trainable = False
results["not trainable"] = [len(model.updates), len(model.losses), model.trainable_weights]


class Rescaled(keras.layers.Layer):
    def __init__(self, factor=2.0, **kwargs):
        super(Rescaled, self).__init__(**kwargs)
        self.factor = factor
        self.supports_masking = True

    def call(self, x, mask=None, extra=None):
        x = x * self.factor
        return x if extra is None else x + extra

    def get_config(self):
        config = super(Rescaled, self).get_config()
        config["factor"] = self.factor
        return config


first, second = keras.Input((4,)), keras.Input((4,))
out = Rescaled(3.0)(first, extra=second)
model = keras.Model([first, second], out)
again = keras.Model.from_config(model.get_config(), custom_objects={"Rescaled": Rescaled})
results["arguments"] = [
    model.get_config()["layers"][-1]["inbound_nodes"],
    session.run(again.outputs, {again.inputs[0]: X, again.inputs[1]: X}),
    table(again),
]
layer = Rescaled(name="here", dtype="float64")
results["settings"] = [layer.get_config(), layer.dtype, layer.trainable, layer.weights, str(layer.input_spec)]


class Two(keras.layers.Layer):
    def call(self, inputs):
        return {"sum": inputs[0] + inputs[1], "product": inputs[0] * inputs[1]}


both = Two()([first, second])
m = keras.Model([first, second], both)
results["dictionary"] = [
    m.output_names,
    sorted(both),
    [str(s) for s in m.output_shape] if isinstance(m.output_shape, list) else str(m.output_shape),
]
