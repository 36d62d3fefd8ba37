"""tf.keras: an LSTM over masked text, step by step, with weights of time steps and a stateful network."""

import numpy as np
import tensorflow as tf

results = {}
layers = tf.keras.layers
tf.set_random_seed(21)
np.random.seed(22)
r = np.random.RandomState(23)
words = r.randint(1, 30, [24, 7])
for row, length in enumerate(r.randint(2, 8, 24)):
    words[row, length:] = 0
labels = r.randint(0, 2, [24, 1])

model = tf.keras.Sequential(
    [layers.Embedding(30, 6, mask_zero=True, input_length=7), layers.LSTM(5), layers.Dense(1, activation="sigmoid")]
)
model.compile("rmsprop", "binary_crossentropy", metrics=["accuracy"])
results["steps"] = [[float(v) for v in model.train_on_batch(words, labels)] for _ in range(20)]
results["predict"] = model.predict(words[:6])

# A loss for every step, of which the masked ones count nothing.
tf.keras.backend.clear_session()
tf.set_random_seed(24)
tags = r.rand(24, 7, 2).astype(np.float32)
inputs = tf.keras.Input((7,), dtype="int32")
outputs = layers.LSTM(2, return_sequences=True)(layers.Embedding(30, 4, mask_zero=True)(inputs))
tagger = tf.keras.Model(inputs, outputs)
tagger.compile("sgd", "mse", metrics=["mae"], weighted_metrics=["mae"], sample_weight_mode="temporal")
weights = r.rand(24, 7)
results["tagger_names"] = tagger.metrics_names
results["tagger"] = [[float(v) for v in tagger.train_on_batch(words, tags, sample_weight=weights)] for _ in range(5)]
results["tagger_plain"] = [float(v) for v in tagger.test_on_batch(words, tags)]

tf.keras.backend.clear_session()
tf.set_random_seed(25)
stateful = tf.keras.Sequential([layers.GRU(3, stateful=True, batch_input_shape=(4, 2, 5)), layers.Dense(1)])
stateful.compile("sgd", "mse")
x, y = r.rand(8, 2, 5), r.rand(8, 1)
results["stateful"] = [float(stateful.train_on_batch(x[i : i + 4], y[i : i + 4])) for i in (0, 4, 0, 4)]
stateful.reset_states()
results["stateful_predict"] = stateful.predict(x, batch_size=4)
results["stateful_again"] = stateful.predict(x, batch_size=4)
try:
    stateful.fit(x[:6], y[:6], batch_size=4, verbose=0)
except ValueError as error:
    results["stateful_error"] = "divided by the batch size" in str(error) or str(error)
