"""Objects restored before their variables exist: these are made of the values, and what is drawn next stays the same."""

import os
import tempfile

import tensorflow as tf

tf.enable_eager_execution()
results = {}
folder = tempfile.mkdtemp()
x = tf.constant([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, 1.0, -1.0]])


class Two(tf.keras.Model):
    def __init__(self, units=3):
        super().__init__()
        self.first = tf.keras.layers.Dense(units, kernel_initializer=tf.keras.initializers.glorot_uniform(seed=5))
        self.second = tf.keras.layers.Dense(2, kernel_initializer=tf.random_normal_initializer(seed=6))

    def call(self, inputs):
        return self.second(self.first(inputs))


def draws():
    """What initializers and operations of the same seeds give next."""
    return [
        tf.keras.initializers.glorot_uniform(seed=5)([3]).numpy(),
        tf.random_normal_initializer(seed=6)([2]).numpy(),
        tf.random.uniform([2], seed=5).numpy(),
        tf.random.uniform([2]).numpy(),
    ]


tf.set_random_seed(3)
model = Two()
results["built"] = model(x).numpy()
saved = tf.train.Checkpoint(model=model).save(os.path.join(folder, "two"))
results["draws after building"] = draws()

for kind in ("called", "in a function"):
    tf.set_random_seed(3)
    model = Two()
    status = tf.train.Checkpoint(model=model).restore(saved)
    call = tf.function(model.call) if kind == "in a function" else model
    results[kind] = call(x).numpy()
    status.assert_consumed()
    results["draws, " + kind] = draws()

# Of two checkpoints the one restored last counts.
for variable in model.variables:
    variable.assign(variable * 2.0)
doubled = tf.train.Checkpoint(model=model).save(os.path.join(folder, "doubled"))
model = Two()
checkpoint = tf.train.Checkpoint(model=model)
checkpoint.restore(doubled)
checkpoint.restore(saved)
results["restored twice"] = model(x).numpy()

model = Two(units=4)
tf.train.Checkpoint(model=model).restore(saved).expect_partial()
try:
    model(x)
except ValueError as error:
    results["another shape"] = type(error).__name__

layer = tf.layers.Dense(3, kernel_initializer=tf.random_normal_initializer(seed=7))
layer(x)
saved = tf.train.Checkpoint(layer=layer).save(os.path.join(folder, "layer"))
tf.set_random_seed(4)
layer = tf.layers.Dense(3, kernel_initializer=tf.random_normal_initializer(seed=7))
tf.train.Checkpoint(layer=layer).restore(saved)
results["tf.layers"] = [layer(x).numpy(), tf.random_normal_initializer(seed=7)([2]).numpy()]
results["its names"] = [variable.name for variable in layer.variables]


@tf.function
def elements():
    """A function that returns a TensorArray returns its flow."""
    return {"array": tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0]), "other": 3.0}


found = elements()
results["flow"] = [isinstance(found["array"], tf.Tensor), found["array"].shape.as_list(), found["other"].numpy()]
