# %% [markdown]
# # Where does the NaN come from?
#
# A loss that turns into NaN says little: by then every variable is NaN. The debugger of TensorFlow 1, `tfdbg`, keeps what
# every operation gave in a step, so that one can ask for the first bad value and for the line that made it.

# %%
import os
import tempfile

import numpy as np

import headrace as tf
from headrace.python import debug as tf_debug

state = np.random.RandomState(4)
rows = state.normal(size=[200, 5]).astype(np.float32)
answers = (rows[:, 0] > 0).astype(np.float32)

# %% [markdown]
# ## A program with a flaw
#
# Cross-entropy written by hand: as soon as the net is sure of itself, the logarithm of zero is taken.

# %%
tf.set_random_seed(4)
x = tf.placeholder(tf.float32, [None, 5], name="x")
y = tf.placeholder(tf.float32, [None], name="y")
hidden = tf.layers.dense(x, 16, tf.nn.relu, name="hidden")
score = tf.squeeze(tf.layers.dense(hidden, 1, name="score"), axis=1)
chance = tf.sigmoid(score, name="chance")
loss = -tf.reduce_mean(y * tf.log(chance) + (1 - y) * tf.log(1 - chance), name="loss")
train = tf.train.GradientDescentOptimizer(20.0).minimize(loss)

sess = tf.Session()
sess.run(tf.global_variables_initializer())
for step in range(100):
    _, now = sess.run([train, loss], {x: rows, y: answers})
    print("step %d: loss %s" % (step, now))
    if not np.isfinite(now):
        break

# %% [markdown]
# ## Watching
#
# The wrapper is a session that writes what each operation gave into a folder. The program's loop stays as it is.

# %%
folder = tempfile.mkdtemp()
watching = tf_debug.DumpingDebugWrapperSession(sess, folder)
sess.run(tf.global_variables_initializer())
for step in range(100):
    _, now = watching.run([train, loss], {x: rows, y: answers})
    print("step %d: loss %s" % (step, now))
    if not np.isfinite(now):
        break

# %% [markdown]
# The last folder has the step that failed. `find` goes through its values in the order in which they were made, and the first
# with a NaN or an infinity is the culprit:

# %%
runs = sorted(os.listdir(folder), key=lambda name: int(name.split("_")[1]))
dump = tf_debug.DebugDumpDir(os.path.join(folder, runs[-1]))
bad = dump.find(tf_debug.has_inf_or_nan)
first = bad[0]
print("%d values with NaN or infinity; the first is %s" % (len(bad), first.watch_key))
print("its inputs:", dump.node_inputs(first.node_name))

# %% [markdown]
# It is a logarithm. What did it get?

# %%
(given,) = dump.get_tensors(dump.node_inputs(first.node_name)[0], 0, "DebugIdentity")
print("smallest and largest:", given.min(), given.max())

# %% [markdown]
# And where was it made?

# %%
operation = sess.graph.get_operation_by_name(first.node_name)
print(operation.name, "of", operation.inputs[0].name, "in:", operation.traceback[-1][3])

# %% [markdown]
# ## Mended
#
# Take the logarithm of the sigmoid in one piece, where nothing rounds to zero:

# %%
better = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=score))
train = tf.train.GradientDescentOptimizer(1.0).minimize(better)
sess.run(tf.global_variables_initializer())
for _ in range(200):
    _, now = sess.run([train, better], {x: rows, y: answers})
print("loss %.4f" % now)

# %% [markdown]
# ## Two more ways
#
# At a terminal, `tf_debug.LocalCLIDebugWrapperSession(sess)` stops before and after every run and takes commands: `run -f
# has_inf_or_nan` goes on until a value is bad, `lt` lists values, `pt` prints one, `ni -t` shows where an operation was made.
#
# `tf.add_check_numerics_ops()` makes the step itself fail at the first bad value. It costs a check an operation, and needs no
# debugger:

# %%
checks = tf.add_check_numerics_ops()
sess.run(tf.global_variables_initializer())
try:
    sess.run([checks, loss], {x: 1e4 * rows, y: answers})
except tf.errors.InvalidArgumentError as error:
    print(error.message.splitlines()[0])
sess.close()
