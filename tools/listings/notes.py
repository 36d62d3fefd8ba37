# What the notes on slim, estimators and feature columns take for granted, in cells.
# %%
import time
# %%
from tensorflow.contrib.layers.python import layers
# %%
from tensorflow.python.framework import dtypes
from tensorflow.python.ops import array_ops, math_ops
# %%
inputs = tf.random_normal([2, 224, 224, 3])
# %%
net = tf.random_normal([2, 27, 27, 64])
# %%
arg_scope = tf.contrib.framework.arg_scope
# %%
mode = "train"
# %%
tf.train.create_global_step()
logits = tf.layers.dense(tf.random_normal([4, 8]), 3)
# %%
labels = tf.constant([[0], [1], [2], [0]])
# %%
predictions = {"class_ids": tf.constant([0, 1, 2, 1])}
# %%
dimension_of_embedding_vector = 3
# %%
categorical_column = tf.feature_column.categorical_column_with_identity("kind", 81)
# %%
sess = tf.Session()
# %%
x_train, x_test = np.random.rand(64, 100), np.random.rand(32, 100)
y_train, y_test = np.eye(10)[np.arange(64) % 10], np.eye(10)[np.arange(32) % 10]
