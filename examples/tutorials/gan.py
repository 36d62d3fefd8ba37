# %% [markdown]
# # Two nets against each other
#
# A generator makes points of noise, a discriminator tells them from true points, and each learns from the other
# (Goodfellow et al., *Generative Adversarial Nets*, 2014). The points lie on a ring of eight heaps, so that one can see
# what the generator has understood. What the page is about in TensorFlow's terms: two sets of variables in one graph, and
# two training operations of which each moves its own.

# %%
import matplotlib.pyplot as plt
import numpy as np

import headrace as tf

tf.set_random_seed(11)
state = np.random.RandomState(11)


def ring(count):
    """Points of eight heaps on a circle of radius 2."""
    angles = state.randint(8, size=count) * (np.pi / 4)
    centres = 2.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return (centres + state.normal(scale=0.1, size=[count, 2])).astype(np.float32)


# %% [markdown]
# The discriminator is called twice, on true points and on made ones. `reuse` makes the second call use the variables of the
# first; scopes give both nets' variables names to select them by.


# %%
def generator(noise):
    with tf.variable_scope("generator"):
        hidden = tf.layers.dense(noise, 64, tf.nn.relu, name="hidden1")
        hidden = tf.layers.dense(hidden, 64, tf.nn.relu, name="hidden2")
        return tf.layers.dense(hidden, 2, name="points")


def discriminator(points, reuse=None):
    with tf.variable_scope("discriminator", reuse=reuse):
        hidden = tf.layers.dense(points, 64, tf.nn.relu, name="hidden1")
        hidden = tf.layers.dense(hidden, 64, tf.nn.relu, name="hidden2")
        return tf.layers.dense(hidden, 1, name="score")


BATCH = 256
true = tf.placeholder(tf.float32, [None, 2], name="true")
made = generator(tf.random_normal([BATCH, 16]))
true_score = discriminator(true)
made_score = discriminator(made, reuse=True)

# %% [markdown]
# The discriminator wants true points to score high and made ones low; the generator wants its own to score high. The
# gradient of the generator's loss passes through the discriminator, but only the generator's variables are moved by it.

# %%
cross_entropy = tf.losses.sigmoid_cross_entropy
discriminator_loss = cross_entropy(tf.ones_like(true_score), true_score) + cross_entropy(
    tf.zeros_like(made_score), made_score
)
generator_loss = cross_entropy(tf.ones_like(made_score), made_score)


def training(loss, scope):
    """Moves the variables of one scope."""
    variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope)
    return tf.train.AdamOptimizer(1e-3, beta1=0.5).minimize(loss, var_list=variables)


train_discriminator = training(discriminator_loss, "discriminator")
train_generator = training(generator_loss, "generator")
for variable in tf.trainable_variables():
    print(variable.op.name, variable.shape)

# %%
sess = tf.Session()
sess.run(tf.global_variables_initializer())
snapshots = {}
for step in range(4001):
    sess.run(train_discriminator, {true: ring(BATCH)})
    sess.run(train_generator)
    if step in (0, 500, 1500, 4000):
        snapshots[step] = np.concatenate([sess.run(made) for _ in range(4)])

# %%
figure, axes = plt.subplots(1, 5, figsize=(11, 2.4), sharex=True, sharey=True)
for axis, (step, points) in zip(axes, [*snapshots.items(), ("true", ring(1000))]):
    axis.plot(points[:, 0], points[:, 1], ".", markersize=1)
    axis.set_title(step)
    axis.set_aspect("equal")
plt.show()

# %% [markdown]
# How many of the made points lie within 0.5 of one of the heaps, and how many heaps are found?

# %%
points = np.concatenate([sess.run(made) for _ in range(8)])
angles = np.arange(8) * (np.pi / 4)
centres = 2.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
distances = np.linalg.norm(points[:, np.newaxis] - centres, axis=2)
near = distances.min(axis=1) < 0.5
print("near a heap: %.0f %%" % (100 * near.mean()))
print("heaps with points:", len(set(distances[near].argmin(axis=1))))
sess.close()

# %% [markdown]
# Each of these steps is a few dozen small operations. [Making a slow program fast](faster.md) shows what such a step costs
# and where its time goes.
