"""tf.keras: a siamese net, its two branches one model, with a Lambda for the distance and a loss of the program's own."""

import numpy as np
import tensorflow as tf

results = {}
keras = tf.keras
layers, K = keras.layers, keras.backend

random = np.random.RandomState(9)
centres = random.randn(3, 5)
kinds = np.arange(30) % 3
points = (centres[kinds] + 0.2 * random.randn(30, 5)).astype("float32")
left, right = random.randint(0, 30, 40), random.randint(0, 30, 40)
same = (kinds[left] == kinds[right]).astype("float32")


def branch():
    sample = keras.Input(shape=(5,))
    h = layers.Dense(6, activation="relu")(sample)
    h = layers.Dropout(0.0)(h)
    return keras.Model(sample, layers.Dense(3)(h), name="branch")


def distance(pair):
    return K.sqrt(K.maximum(K.sum(K.square(pair[0] - pair[1]), axis=1, keepdims=True), K.epsilon()))


def distance_shape(shapes):
    return (shapes[0][0], 1)


def contrastive(y_true, y_pred):
    near = y_true * K.square(y_pred)
    far = (1 - y_true) * K.square(K.maximum(1.0 - y_pred, 0))
    return K.mean(near + far)


def accuracy(y_true, y_pred):
    return K.mean(K.equal(y_true, K.cast(y_pred < 0.5, y_true.dtype)))


shared = branch()
a, b = keras.Input(shape=(5,), name="left"), keras.Input(shape=(5,), name="right")
apart = layers.Lambda(distance, output_shape=distance_shape, name="distance")([shared(a), shared(b)])
model = keras.Model([a, b], apart)
model.compile(loss=contrastive, optimizer=keras.optimizers.Nadam(0.01), metrics=[accuracy])
model.set_weights([random.uniform(-0.5, 0.5, w.shape) for w in model.get_weights()])
results["shapes"] = [layer.output_shape for layer in model.layers[2:]]
results["weights"] = [list(w.shape) for w in model.get_weights()]
results["calls"] = len(shared._inbound_nodes)
inputs = [points[left], points[right]]
history = model.fit(inputs, same, batch_size=10, epochs=3, shuffle=False, verbose=0, validation_split=0.2)
results["history"] = {key: [float(v) for v in values] for key, values in history.history.items()}
results["by_name"] = model.predict({"left": points[:4], "right": points[4:8]})
results["embedded"] = shared.predict(points[:3])
results["symmetric"] = bool(np.allclose(model.predict(inputs), model.predict(inputs[::-1]), atol=1e-6))


def pairs():
    while True:
        for begin in range(0, 40, 20):
            yield [points[left[begin : begin + 20]], points[right[begin : begin + 20]]], same[begin : begin + 20]


history = model.fit_generator(pairs(), steps_per_epoch=2, epochs=2, verbose=0)
results["of_a_generator"] = {key: [float(v) for v in values] for key, values in history.history.items()}
