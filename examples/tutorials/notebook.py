# %% [markdown]
# # In a notebook
#
# One line prepares a notebook for programs of TensorFlow 1: `import tensorflow` and `import keras` give Headrace from then
# on, graphs, plans and saved models are drawn, long cells show how they get on, and an error shows your lines.

# %%
# %load_ext headrace

# %%
import os
import tempfile

import numpy as np
import tensorflow as tf

state = np.random.RandomState(2)
rows = state.normal(size=[500, 8]).astype(np.float32)
answers = (rows[:, :2].prod(axis=1) > 0).astype(np.float32)

# %% [markdown]
# ## A graph is drawn
#
# A graph at the end of a cell shows its scopes as boxes, the variables with their sizes, and, folded, every operation.

# %%
tf.set_random_seed(2)
x = tf.placeholder(tf.float32, [None, 8], name="x")
y = tf.placeholder(tf.float32, [None], name="y")
with tf.variable_scope("net"):
    hidden = tf.layers.dense(x, 32, tf.nn.relu, name="hidden")
    score = tf.squeeze(tf.layers.dense(hidden, 1, name="score"), axis=1)
with tf.name_scope("loss"):
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=score))

tf.get_default_graph()

# %% [markdown]
# ## So is what will run
#
# A session turns what it fetches into a plan: a function of Python, which can be read. `region_…` lines stand for operations
# that run together without Python.

# %%
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.plan_for(loss, [x, y])

# %% [markdown]
# ## Training
#
# A cell that takes longer than two seconds says how many steps it has made, how many a second, and the last number that was
# fetched. The line is written anew each second, and stays when the cell ends.

# %%
train = tf.train.AdamOptimizer(0.001).minimize(loss)
sess.run(tf.variables_initializer([v for v in tf.global_variables() if not sess.run(tf.is_variable_initialized(v))]))
for _ in range(20000):
    _, now = sess.run([train, loss], {x: rows, y: answers})

right = np.mean((sess.run(score, {x: rows}) > 0) == (answers > 0))
print("right: %.1f %%" % (100 * right))

# %% [markdown]
# ## Errors
#
# What went wrong, the operation's name, and the two lines of the notebook that matter: the one that ran the step and the
# one that made the operation. `HEADRACE_TRACEBACK=full` in the environment brings the frames between them back.

# %% tags=["raises-exception"]
sess.run(loss, {x: rows[:, :8], y: answers[:100]})

# %% [markdown]
# ## Saved models
#
# The messages of TensorFlow's files have pages of their own: signatures with names, types and shapes, then the graph.

# %%
from tensorflow.core.protobuf import saved_model_pb2

folder = os.path.join(tempfile.mkdtemp(), "1")
tf.saved_model.simple_save(sess, folder, inputs={"rows": x}, outputs={"score": score})

saved = saved_model_pb2.SavedModel()
with open(os.path.join(folder, "saved_model.pb"), "rb") as file:
    saved.ParseFromString(file.read())
saved

# %% [markdown]
# `%tensorboard --logdir logs` in a cell opens TensorBoard below it; the extension has loaded that one too.
