"""Programs as users wrote them: in tf.keras, as TensorFlow 1.15.5 runs them, and in the Keras of 2016 and 2017."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.oracle import TESTS, assert_same, golden, run_program

PROGRAMS = sorted((TESTS / "programs" / "keras").glob("user_*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_as_in_1_15(program: Path) -> None:
    """The numbers, names and texts are those of TensorFlow."""
    got = run_program(program.read_text(), path=str(program))
    assert_same(got, golden(f"keras/{program.stem}"))


# The same nets in the words of their years; weights and data are as in the programs of tf.keras.
OF_KERAS_1_2 = """
from keras.preprocessing.text import Tokenizer
from keras.preprocessing.sequence import pad_sequences
from keras.models import Sequential
from keras.layers.core import Dense
from keras.layers.embeddings import Embedding
from keras.layers.convolutional import Convolution1D, MaxPooling1D
from keras.layers import GlobalMaxPooling1D
from keras.optimizers import RMSprop
from keras.regularizers import l2
GOOD = ["warm sunny day", "the sun shines all day", "mild air and clear sky", "what a bright, clear morning"]
BAD = ["cold rain again", "storm and rain all night", "grey sky, no sun", "what a cold, dark storm"]
texts = [a + " " + b for kind in (GOOD, BAD) for a in kind for b in kind]
labels = np.array([1] * 16 + [0] * 16)
tokenizer = Tokenizer(nb_words=20)
tokenizer.fit_on_texts(texts)
x = pad_sequences(tokenizer.texts_to_sequences(texts), maxlen=10, padding="post")
model = Sequential()
model.add(Embedding(20, 6, input_length=10, dropout=0.0))
model.add(Convolution1D(nb_filter=8, filter_length=3, border_mode="same", activation="relu"))
model.add(MaxPooling1D(pool_length=2))
model.add(Convolution1D(nb_filter=8, filter_length=3, border_mode="valid", activation="relu", subsample_length=1))
model.add(GlobalMaxPooling1D())
model.add(Dense(output_dim=8, activation="tanh", W_regularizer=l2(0.01), init="zero"))
model.add(Dense(1, activation="sigmoid", init="uniform"))
model.compile(loss="binary_crossentropy", optimizer=RMSprop(lr=0.01), metrics=["accuracy"])
random = np.random.RandomState(5)
model.set_weights([random.uniform(-0.3, 0.3, w.shape) for w in model.get_weights()])
history = model.fit(x, labels, nb_epoch=4, batch_size=8, shuffle=False, verbose=0, validation_data=(x[::2], labels[::2]))
results["loss"] = history.history["loss"]
results["acc"] = history.history["acc"]
results["val_loss"] = history.history["val_loss"]
results["predicted"] = model.predict(x[::5]).tolist()
results["classes"] = model.predict_classes(x).tolist()
"""

OF_KERAS_2_1 = """
from keras import backend as K
from keras.models import Model, Sequential
from keras.layers import Dense, Dropout, Input, Lambda
from keras.optimizers import Nadam
random = np.random.RandomState(9)
centres = random.randn(3, 5)
kinds = np.arange(30) % 3
points = (centres[kinds] + 0.2 * random.randn(30, 5)).astype("float32")
left, right = random.randint(0, 30, 40), random.randint(0, 30, 40)
same = (kinds[left] == kinds[right]).astype("float32")

def create_base_network(input_shape):
    input = Input(shape=input_shape)
    x = Dense(6, activation="relu")(input)
    x = Dropout(0.0)(x)
    return Model(input, Dense(3)(x))

def euclidean_distance(vects):
    x, y = vects
    return K.sqrt(K.maximum(K.sum(K.square(x - y), axis=1, keepdims=True), K.epsilon()))

def eucl_dist_output_shape(shapes):
    shape1, shape2 = shapes
    return (shape1[0], 1)

def contrastive_loss(y_true, y_pred):
    return K.mean(y_true * K.square(y_pred) + (1 - y_true) * K.square(K.maximum(1.0 - y_pred, 0)))

base_network = create_base_network((5,))
input_a, input_b = Input(shape=(5,)), Input(shape=(5,))
distance = Lambda(euclidean_distance, output_shape=eucl_dist_output_shape)([base_network(input_a), base_network(input_b)])
model = Model([input_a, input_b], distance)
model.compile(loss=contrastive_loss, optimizer=Nadam(lr=0.01))
model.set_weights([random.uniform(-0.5, 0.5, w.shape) for w in model.get_weights()])
inputs = [points[left], points[right]]
history = model.fit(inputs, same, batch_size=10, epochs=3, shuffle=False, verbose=0, validation_split=0.2)
results["loss"] = history.history["loss"]
results["val_loss"] = history.history["val_loss"]
results["embedded"] = base_network.predict(points[:3]).tolist()
model.save("siamese.h5")
from keras.models import load_model
names = {"contrastive_loss": contrastive_loss, "euclidean_distance": euclidean_distance, "K": K}
again = load_model("siamese.h5", custom_objects=dict(names, eucl_dist_output_shape=eucl_dist_output_shape))
results["same_after_loading"] = bool(np.allclose(again.predict(inputs), model.predict(inputs)))
"""

HEAD = "import json, warnings\nimport numpy as np\nwarnings.simplefilter('ignore')\nresults = {}\n"


def _said(tmp_path, text):
    script = tmp_path / "program.py"
    script.write_text(f"{HEAD}{text}\nprint(json.dumps(results, default=float))\n")
    done = subprocess.run(
        [sys.executable, "-m", "headrace", str(script)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_in_the_words_of_keras_1_2(tmp_path):
    """Old names of arguments and layers, and the numbers of the same net in tf.keras."""
    found, expected = _said(tmp_path, OF_KERAS_1_2), golden("keras/user_text_classification")
    for name in ("loss", "acc", "val_loss"):
        np.testing.assert_allclose(found[name], expected["history"][name], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found["predicted"], expected["predicted"], rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(found["classes"], expected["classes"])


def test_in_the_words_of_keras_2_1(tmp_path):
    """A model that is shared, a Lambda and a loss by name in a file, and the numbers of the same net in tf.keras."""
    found, expected = _said(tmp_path, OF_KERAS_2_1), golden("keras/user_siamese_net")
    assert found["same_after_loading"]
    for name in ("loss", "val_loss"):
        np.testing.assert_allclose(found[name], expected["history"][name], rtol=1e-4, atol=1e-6)
