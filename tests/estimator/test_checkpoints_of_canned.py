"""A checkpoint of a canned estimator is continued by TensorFlow 1.15.5, and one of TensorFlow's here."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import has_oracle, run_program

PROGRAM = """
import numpy as np
import tensorflow as tf

fc = tf.feature_column
state = np.random.RandomState(3)
numbers = state.rand(16, 1).astype(np.float32)
words = np.array([[b"a"], [b"b"], [b"c"], [b"d"]])[state.randint(0, 4, 16)]
labels = state.randint(0, 2, [16, 1])
number = fc.numeric_column("number")
word = fc.categorical_column_with_hash_bucket("word", 5)
estimator = tf.estimator.DNNLinearCombinedClassifier(
    FOLDER,
    linear_feature_columns=[number, word],
    dnn_feature_columns=[number, fc.embedding_column(word, 2)],
    dnn_hidden_units=[4],
    dnn_optimizer=tf.train.AdamOptimizer(0.01),
    config=tf.estimator.RunConfig(tf_random_seed=2),
)
estimator.train(
    lambda: tf.data.Dataset.from_tensor_slices(({"number": numbers, "word": words}, labels)).batch(4).repeat(), steps=5
)
results = {name: estimator.get_variable_value(name) for name in estimator.get_variable_names()}
"""


def train(folder, implementation):
    return run_program(PROGRAM.replace("FOLDER", repr(str(folder))), implementation)


@pytest.mark.oracle
@pytest.mark.skipif(not has_oracle(), reason="make oracle has not been run")
def test_each_goes_on_where_the_other_stopped(tmp_path):
    train(tmp_path / "theirs", "tf1")
    expected = train(tmp_path / "theirs", "tf1")
    train(tmp_path / "from_us", "headrace")
    train(tmp_path / "to_us", "tf1")
    for got in (train(tmp_path / "from_us", "tf1"), train(tmp_path / "to_us", "headrace")):
        assert got.keys() == expected.keys()
        assert got["global_step"] == 10
        for name, value in expected.items():
            np.testing.assert_allclose(got[name], value, rtol=1e-4, atol=1e-5, err_msg=name)
