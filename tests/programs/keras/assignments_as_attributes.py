"""What an assignment returns, kept as an attribute: no weight of a layer, but a part of what is saved."""

import tempfile

import numpy as np
import tensorflow as tf

results = {}


class Counting(tf.keras.layers.Layer):
    def build(self, input_shape):
        self.scale = self.add_weight("scale", (), initializer="ones")
        self.count = tf.Variable(2.0, trainable=False)
        self.reset = self.scale.assign(3.0)
        self.steps = [self.count.assign_add(1.0)]
        self.named = {"back": self.count.assign_sub(1.0)}

    def call(self, inputs):
        return inputs * self.scale


def listed(path):
    return sorted(name for name, _ in tf.train.list_variables(path))


with tf.Graph().as_default(), tf.Session() as session:
    layer = Counting()
    output = layer(tf.ones([2]))
    results["of a layer"] = [v.name for v in layer.variables], [v.name for v in layer.trainable_weights]
    results["parts"] = sorted(part.name for part in layer._checkpoint_dependencies)
    session.run([v.initializer for v in layer.variables])
    results["reset"] = session.run(layer.reset), session.run(output), session.run(layer.steps[0])
    path = tf.train.Checkpoint(layer=layer).save(tempfile.mkdtemp() + "/c", session=session)
    results["saved"] = listed(path)
    layer.reset = layer.scale.assign(5.0)
    layer.steps.append(layer.count.assign(1.0))
    results["set again"] = len(layer.variables), len(layer.get_weights())

with tf.Graph().as_default():
    model = tf.keras.Sequential([Counting(), tf.keras.layers.Dense(1)])
    model.build((None, 3))
    model.again = model.layers[0].scale.assign(2.0)
    model.compile("sgd", "mse")
    results["of a model"] = len(model.variables), len(model.trainable_weights), len(model.get_weights())
    model.fit(np.ones([4, 3]), np.ones([4, 1]), epochs=1, verbose=0)
    prefix = tempfile.mkdtemp() + "/w"
    model.save_weights(prefix)
    results["weights saved"] = listed(prefix)

with tf.Graph().as_default():
    module = tf.Module()
    module.value = tf.Variable(1.0, use_resource=True)
    module.change = module.value.assign(3.0)
    results["of a module"] = len(module.variables), isinstance(module.change, tf.Variable)
