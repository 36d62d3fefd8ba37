"""tf.keras while executing eagerly: functions of batches, batches run eagerly, loops with a tape."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
layers = tf.keras.layers
r = np.random.RandomState(51)
x, y = r.rand(10, 4), r.rand(10, 2)


def plain(history):
    return {key: [float(v) for v in values] for key, values in history.history.items()}


def batches():
    while True:
        yield x, y


for name, arguments in (("function", {}), ("eagerly", {"run_eagerly": True})):
    model = tf.keras.Sequential(
        [
            layers.Dense(3, activation="relu", input_shape=(4,), kernel_initializer="ones"),
            layers.Dense(2, kernel_initializer="ones"),
        ]
    )
    model.compile("sgd", "mse", metrics=["mae"], **arguments)
    found = {"names": model.metrics_names}
    found["fit"] = plain(model.fit(x, y, epochs=2, batch_size=4, validation_split=0.2, verbose=0, shuffle=False))
    found["evaluate"] = [float(v) for v in model.evaluate(x, y, verbose=0)]
    found["predict"] = model.predict(x[:3])
    found["train_on_batch"] = [float(v) for v in model.train_on_batch(x, y)]
    found["test_on_batch"] = [float(v) for v in model.test_on_batch(x, y, sample_weight=np.linspace(0, 1, 10))]
    found["predict_on_batch"] = np.array(model.predict_on_batch(x[:3]))
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
    found["dataset"] = plain(model.fit(dataset, epochs=2, verbose=0, validation_data=dataset))
    found["dataset_predict"] = model.predict(dataset).shape
    found["generator"] = plain(model.fit(batches(), steps_per_epoch=2, verbose=0))
    found["weights"] = plain(
        model.fit(x, y, sample_weight=np.linspace(0, 1, 10), verbose=0, shuffle=False, batch_size=5)
    )
    results[name] = found


class Network(tf.keras.Model):
    def __init__(self):
        super(Network, self).__init__()
        self.hidden = layers.Dense(3, activation="tanh", kernel_initializer="ones")
        self.out = layers.Dense(2, kernel_initializer="ones")

    def call(self, inputs):
        return self.out(self.hidden(inputs))


for name, arguments in (("subclassed_function", {}), ("subclassed_eagerly", {"run_eagerly": True})):
    model = Network()
    model.compile("adam", "mse", metrics=["acc"], **arguments)
    results[name] = plain(model.fit(x, y, epochs=3, batch_size=5, verbose=0, shuffle=False))
    results[name + "_names"] = model.metrics_names
    results[name + "_evaluate"] = [float(v) for v in model.evaluate(x, y, verbose=0)]

# A loop of one's own.
model, optimizer = Network(), tf.keras.optimizers.SGD(0.1)
losses = []
for _ in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.keras.losses.mean_squared_error(y.astype(np.float32), model(x.astype(np.float32))))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    losses.append(float(loss))
results["tape"] = losses

first, second = layers.Input((4,), name="first"), layers.Input((3,), name="second")
hidden = layers.Dense(3, kernel_initializer="ones")(first)
value = layers.Dense(1, name="value", kernel_initializer="ones")(hidden)
both = layers.Dense(2, name="both", kernel_initializer="ones")(layers.concatenate([hidden, second]))
model = tf.keras.Model([first, second], [value, both])
model.compile("sgd", ["mse", "mae"], metrics={"value": "mae"}, loss_weights=[0.5, 2])
z = r.rand(10, 3)
results["two"] = plain(
    model.fit({"first": x, "second": z}, {"value": y[:, :1], "both": y}, verbose=0, shuffle=False, batch_size=4)
)
results["two_evaluate"] = [float(v) for v in model.evaluate([x, z], [y[:, :1], y], verbose=0)]
