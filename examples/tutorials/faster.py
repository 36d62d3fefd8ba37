# %% [markdown]
# # A slow program made fast
#
# Four things make programs of TensorFlow 1 slow, here as there: a graph that grows while it runs, data that comes through
# `feed_dict` from Python, values fetched that nobody needs, and operations that could be one. This page finds each of them
# with the tools there are, and measures.

# %%
import json
import time

import matplotlib.pyplot as plt
import numpy as np

import headrace as tf
from headrace.python.client import timeline

state = np.random.RandomState(9)
pictures = state.rand(2000, 28, 28).astype(np.float32)
labels = state.randint(10, size=2000)


def seconds(step, count):
    """The mean time of a step, the first few left out."""
    for _ in range(3):
        step()
    begin = time.perf_counter()
    for _ in range(count):
        step()
    return (time.perf_counter() - begin) / count


# %% [markdown]
# ## A graph that grows
#
# The line that should have been outside of the loop: every pass adds operations, every run is a new plan.

# %%
x = tf.placeholder(tf.float32, [None, 28, 28])
sess = tf.Session()
for _ in range(3):
    brightest = sess.run(tf.reduce_max(tf.square(x)), {x: pictures[:10]})
    print(len(sess.graph.get_operations()), "operations")

# %% [markdown]
# `finalize` finds the line: after it the graph refuses to grow.

# %%
sess.graph.finalize()
try:
    sess.run(tf.reduce_max(x), {x: pictures[:10]})
except RuntimeError as error:
    print("RuntimeError:", error)
sess.close()

# %% [markdown]
# ## Feeding and fetching
#
# A common loop: augment a batch in NumPy, feed it, and fetch everything one might want to look at.

# %%
tf.reset_default_graph()
tf.set_random_seed(9)


def net(pictures):
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        hidden = tf.layers.dense(tf.layers.flatten(pictures), 128, tf.nn.relu, name="hidden")
        return tf.layers.dense(hidden, 10, name="scores")


optimizer = tf.train.MomentumOptimizer(0.01, 0.9)


def training(pictures, labels):
    loss = tf.losses.sparse_softmax_cross_entropy(labels, net(pictures))
    return loss, optimizer.minimize(loss)


x = tf.placeholder(tf.float32, [None, 28, 28])
y = tf.placeholder(tf.int64, [None])
loss, train = training(x, y)
everything = [train, loss, *tf.trainable_variables()]
sess = tf.Session()
sess.run(tf.global_variables_initializer())


def slow():
    rows = state.randint(len(pictures), size=64)
    batch = np.stack([pictures[row] + 0.1 * state.normal(size=[28, 28]) for row in rows])
    sess.run(everything, {x: batch, y: labels[rows]})


times = {"fed, all fetched": seconds(slow, 100)}

# %% [markdown]
# The same with `tf.data`: shuffling, noise and batching run beside the steps, and only the training operation is
# fetched.

# %%
rows = tf.data.Dataset.from_tensor_slices((pictures, labels)).shuffle(2000, seed=9).repeat().batch(64)
noisy = rows.map(lambda picture, label: (picture + 0.1 * tf.random_normal(tf.shape(picture)), label)).prefetch(2)
batch, batch_labels = noisy.make_one_shot_iterator().get_next()
data_loss, data_train = training(batch, batch_labels)
sess.run(tf.global_variables_initializer())
times["tf.data, nothing fetched"] = seconds(lambda: sess.run(data_train), 100)

# %% [markdown]
# A loop that runs one call over and over can also keep it: `make_callable` looks the fetches up once.

# %%
call = sess.make_callable(data_train)
times["and a callable"] = seconds(call, 100)
plt.figure(figsize=(6, 2))
plt.barh(list(times), [1e3 * value for value in times.values()])
plt.xlabel("ms a step")
plt.gca().invert_yaxis()
plt.tight_layout()
plt.show()

# %% [markdown]
# ## What a step does
#
# `headrace explain train.py` prints the plans of a program, with what every pass of the planner did. Inside of a program
# `plan_for` gives one. Each line is a kernel call or, where the native runner is there, a region of many:

# %%
print("\n".join(sess.plan_for([data_train], []).source.splitlines()[:14]))

# %% [markdown]
# ## Where its time goes
#
# A traced step measures every operation. The timeline is for `chrome://tracing` or Perfetto; here its events are summed by
# type:

# %%
options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
spent = {}
for step in range(20):
    metadata = tf.RunMetadata()
    sess.run(data_train, options=options, run_metadata=metadata)
    trace = json.loads(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())
    for event in trace["traceEvents"]:
        if event["ph"] == "X" and step > 0:  # the first traced step also makes the plan that measures
            spent[event["name"]] = spent.get(event["name"], 0) + event["dur"]
total = sum(spent.values())
for name, duration in sorted(spent.items(), key=lambda item: -item[1])[:6]:
    print("%-20s %3.0f %%" % (name, 100 * duration / total))

# %% [markdown]
# The iterator's part is waiting: the noise is drawn by another thread while the step runs, and where it is not ready in time
# the input is what limits. `prefetch` with a deeper buffer, and `map` with `num_parallel_calls`, are the remedies; the matrix
# products are what the step is there for.

# %%
sess.close()
