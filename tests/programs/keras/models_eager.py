"""Models while operations run eagerly: graphs of layers, models as classes, losses, layers that only run eagerly."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()

results = {}
keras = tf.keras
X = np.arange(8, dtype="float32").reshape(2, 4)


def table(model):
    lines = []
    model.summary(print_fn=lines.append)
    return lines


a = keras.Input((4,), name="a")
dense = keras.layers.Dense(3, kernel_initializer="ones")
h = dense(a)
o = keras.layers.Dropout(0.5)(tf.nn.relu(h) * 2.0 + 1.0)
model = keras.Model(a, o)
results["symbolic"] = [a.name, str(o.shape), isinstance(o, tf.Tensor)]
results["table"] = table(model)
results["values"] = [model(tf.constant(X)).numpy(), model(X).numpy(), model(X, training=False).numpy()]
results["weights"] = [[v.name for v in model.weights], model.get_weights()]
model.set_weights([np.zeros((4, 3)), np.ones(3)])
results["set"] = model(X).numpy()
copied = keras.models.clone_model(model)
copied.set_weights(model.get_weights())
results["clone"] = [[v.name for v in copied.weights], copied(X).numpy()]
rebuilt = keras.Model.from_config(model.get_config())
results["rebuilt"] = table(rebuilt)

normal = keras.layers.BatchNormalization()
with_state = keras.Model(a, normal(h))
with_state(X, training=True)
results["state"] = [normal.moving_mean.numpy(), normal.moving_variance.numpy()]

late = keras.Sequential([keras.layers.Dense(2), keras.layers.Dense(1)])
results["late"] = [late.built, late(X).shape.as_list(), late.built, [v.name for v in late.weights]]


class Added(keras.Model):
    def __init__(self):
        super(Added, self).__init__()
        self.dense = keras.layers.Dense(
            3, activity_regularizer=keras.regularizers.l2(0.1), kernel_regularizer=keras.regularizers.l1(0.1),
            kernel_initializer="ones",
        )  # fmt: skip

    def call(self, x, training=False):
        self.add_loss(tf.reduce_sum(x))
        if training:
            return self.dense(x)
        return self.dense(x) * 2.0


added = Added()
once = added(tf.constant(X)).numpy()
losses = [loss.numpy() for loss in added.losses]
added(tf.constant(X))
results["losses"] = [once, losses, [loss.numpy() for loss in added.losses], [v.name for v in added.weights]]


@tf.function
def step(x):
    return added(x, training=True)


results["function"] = step(tf.constant(X)).numpy()
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(added(tf.constant(X))) + sum(added.losses)
results["gradients"] = [g.numpy() for g in tape.gradient(loss, added.trainable_variables)]


class Python(keras.layers.Layer):
    def __init__(self):
        super(Python, self).__init__(dynamic=True)

    def call(self, x):
        return x * 2.0 if float(tf.reduce_sum(x)) > 0 else x

    def compute_output_shape(self, shape):
        return shape


only = keras.Model(a, Python()(a))
results["dynamic"] = [only.dynamic, only(X).numpy(), only(-X).numpy(), only.output_shape]


class Branching(keras.layers.Layer):
    def call(self, x):
        if tf.reduce_sum(x) > 0:
            return x
        return -x


branching = keras.Model(a, Branching()(a))
results["branch"] = [branching(X).numpy(), branching(-X).numpy()]
results["shapes"] = [
    keras.layers.Dense(3).compute_output_shape((5, 4)).as_list(),
    Branching().compute_output_shape((5, 4)).as_list(),
]
model.add_loss(tf.reduce_mean(h))
results["added loss"] = [layer.name for layer in model.layers]
results["eager loss"] = [len(model.losses), model(X).shape.as_list(), [loss.numpy() for loss in model.losses]]
