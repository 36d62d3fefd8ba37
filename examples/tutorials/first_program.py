# %% [markdown]
# # A first program
#
# A program of TensorFlow 1 has two halves. The first builds a graph: it says what is to be computed, and computes nothing.
# The second runs parts of the graph in a session, as often as it likes. This page fits a parabola to points, and meets
# everything on the way that larger programs are made of.

# %%
import matplotlib.pyplot as plt
import numpy as np

import headrace as tf

# %% [markdown]
# ## The graph
#
# Placeholders are what will be fed. `None` in a shape is a size that is known only when the graph runs.

# %%
x = tf.placeholder(tf.float32, [None], name="x")
y = tf.placeholder(tf.float32, [None], name="y")

# %% [markdown]
# A variable keeps its value from one run to the next. Three coefficients, and from them the parabola at every point:

# %%
coefficients = tf.get_variable("coefficients", [3], initializer=tf.zeros_initializer())
powers = tf.stack([tf.square(x), x, tf.ones_like(x)], axis=1)
fitted = tf.tensordot(powers, coefficients, axes=1)
print(fitted)

# %% [markdown]
# What was printed is no number but a tensor: the handle of something to compute. Its name is the name of the operation
# that will make it, its shape is known as far as it can be.
#
# The loss is one more tensor. `minimize` adds the gradients of the loss and the operation that moves the variable:

# %%
loss = tf.reduce_mean(tf.square(fitted - y), name="loss")
train = tf.train.AdamOptimizer(learning_rate=0.1).minimize(loss)
print(len(tf.get_default_graph().get_operations()), "operations,", tf.trainable_variables())

# %% [markdown]
# ## The session
#
# Points of a parabola, with noise. Then the variable is initialized, and the training operation runs five hundred times.
# Every call of `run` names what it wants to know (fetches) and what it brings (feeds).

# %%
state = np.random.RandomState(7)
points = state.uniform(-2.0, 2.0, size=100).astype(np.float32)
values = 1.5 * points**2 - 0.5 * points + 0.3 + state.normal(scale=0.3, size=100).astype(np.float32)

losses = []
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for _ in range(500):
    _, now = sess.run([train, loss], {x: points, y: values})
    losses.append(now)
print("coefficients:", sess.run(coefficients).round(2))
print("loss: %.3f, then %.3f" % (losses[0], losses[-1]))

# %% [markdown]
# The coefficients are near 1.5, -0.5 and 0.3, and what is left of the loss is the variance of the noise, 0.09.
# The same graph draws the curve: `fitted` needs `x` only, so only `x` is fed.

# %%
line = np.linspace(-2.0, 2.0, 50)
plt.plot(points, values, ".", label="points")
plt.plot(line, sess.run(fitted, {x: line}), label="fitted")
plt.legend()
plt.show()

# %% [markdown]
# ## What a mistake looks like
#
# Shapes are checked twice: what can be known of them when the graph is built, and the rest when it runs. The error names
# the operation, and the line of the program that made it.

# %%
try:
    sess.run(loss, {x: points, y: values[:50]})
except tf.errors.InvalidArgumentError as error:
    print(error.message.splitlines()[0])

# %% [markdown]
# ## What ran
#
# The first `run` of a combination of fetches and feeds plans it: Headrace writes one straight-line Python function of
# PyTorch calls, and keeps it. Here is the one for `fitted`:

# %%
print(sess.plan_for(fitted, [x]).source)
sess.close()

# %% [markdown]
# Next: [digits, from the mechanics to a convolutional net](digits.md).
