"""tf.keras: sentences about the weather sorted into good and bad, by a tokenizer, embeddings and a convolution over time."""

import json

import numpy as np
import tensorflow as tf

results = {}
keras = tf.keras
layers = keras.layers

GOOD = ["warm sunny day", "the sun shines all day", "mild air and clear sky", "what a bright, clear morning"]
BAD = ["cold rain again", "storm and rain all night", "grey sky, no sun", "what a cold, dark storm"]
texts = [f"{a} {b}" for kind in (GOOD, BAD) for a in kind for b in kind]
labels = np.array([1] * 16 + [0] * 16)

tokenizer = keras.preprocessing.text.Tokenizer(num_words=20)
tokenizer.fit_on_texts(texts)
sequences = tokenizer.texts_to_sequences(texts)
x = keras.preprocessing.sequence.pad_sequences(sequences, maxlen=10, padding="post", truncating="pre")
results["words"] = sorted(tokenizer.word_index.items(), key=lambda pair: pair[1])
results["x"] = x
results["counts"] = tokenizer.texts_to_matrix(texts[::9], mode="count")
results["read_back"] = tokenizer.sequences_to_texts(sequences[:2])


def fill(model):
    random = np.random.RandomState(5)
    model.set_weights([random.uniform(-0.3, 0.3, w.shape) for w in model.get_weights()])


model = keras.Sequential()
model.add(layers.Embedding(20, 6, input_length=10))
model.add(layers.SpatialDropout1D(0.0))
model.add(layers.Conv1D(8, 3, padding="same", activation="relu"))
model.add(layers.MaxPooling1D(2))
model.add(layers.Conv1D(8, 3, activation="relu"))
model.add(layers.GlobalMaxPooling1D())
model.add(layers.Dense(8, activation="tanh", kernel_regularizer=keras.regularizers.l2(0.01)))
model.add(layers.Dense(1, activation="sigmoid"))
model.compile(optimizer=keras.optimizers.RMSprop(0.01), loss="binary_crossentropy", metrics=["accuracy"])
fill(model)
history = model.fit(x, labels, epochs=4, batch_size=8, shuffle=False, verbose=0, validation_data=(x[::2], labels[::2]))
results["history"] = {key: [float(v) for v in values] for key, values in history.history.items()}
results["scores"] = [float(v) for v in model.evaluate(x, labels, verbose=0)]
results["predicted"] = model.predict(x[::5])
results["classes"] = model.predict_classes(x)
lines = []
model.summary(print_fn=lines.append)
results["summary"] = lines
results["config_layers"] = [layer["class_name"] for layer in json.loads(model.to_json())["config"]["layers"]]
