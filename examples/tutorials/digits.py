# %% [markdown]
# # Digits: from the mechanics to a convolutional net
#
# Two classifiers of handwritten digits. The first is written with nothing but variables and matrix products, to see the
# mechanics; the second with `tf.layers`, checkpoints and summaries for TensorBoard, as programs of 2017 are.
#
# The digits are the 1,797 small ones that scikit-learn brings, so that nothing has to be downloaded;
# `examples/digits.py` trains on MNIST's own files.

# %%
import glob
import tempfile

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import headrace as tf

digits = load_digits()
pictures = (digits.images / 16.0).astype(np.float32)[..., np.newaxis]
labels = digits.target.astype(np.int64)
order = np.random.RandomState(0).permutation(len(labels))
train_rows, test_rows = order[:1500], order[1500:]

figure, axes = plt.subplots(1, 8, figsize=(8, 1.4))
for axis, row in zip(axes, train_rows):
    axis.imshow(pictures[row, ..., 0], cmap="gray_r")
    axis.set_title(labels[row])
    axis.axis("off")
plt.show()

# %% [markdown]
# ## The mechanics
#
# One layer of weights turns 64 pixels into ten scores. Softmax makes probabilities of the scores, cross-entropy
# measures how surprising the right answer is under them. Gradients are tensors as well: `tf.gradients` adds them to the
# graph, and an assignment moves each variable against its own.

# %%
x = tf.placeholder(tf.float32, [None, 8, 8, 1], name="pictures")
y = tf.placeholder(tf.int64, [None], name="labels")

weights = tf.Variable(tf.zeros([64, 10]), name="weights")
bias = tf.Variable(tf.zeros([10]), name="bias")
scores = tf.matmul(tf.reshape(x, [-1, 64]), weights) + bias
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=scores))

gradients = tf.gradients(loss, [weights, bias])
step = tf.group(*[v.assign_sub(0.5 * g) for v, g in zip([weights, bias], gradients)])

correct = tf.equal(tf.argmax(scores, axis=1), y)
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

# %%
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(200):
        sess.run(step, {x: pictures[train_rows], y: labels[train_rows]})
    print("accuracy: %.3f" % sess.run(accuracy, {x: pictures[test_rows], y: labels[test_rows]}))
    learned = sess.run(weights)

# %% [markdown]
# The weights of each digit, as pictures: where ink speaks for the digit (red) and where against it (blue).

# %%
figure, axes = plt.subplots(1, 10, figsize=(9, 1.4))
for digit, axis in enumerate(axes):
    axis.imshow(learned[:, digit].reshape(8, 8), cmap="coolwarm", vmin=-2, vmax=2)
    axis.set_title(digit)
    axis.axis("off")
plt.show()

# %% [markdown]
# ## A convolutional net
#
# The second program makes its own graph. Input comes from `tf.data`, so that batches are shuffled without Python between
# the steps; the model is a function, called once for training and once for the test with the same variables.

# %%
tf.reset_default_graph()
tf.set_random_seed(1)


def net(pictures, training):
    """Scores of pictures [batch, 8, 8, 1]."""
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        maps = tf.layers.conv2d(pictures, 16, 3, padding="same", activation=tf.nn.relu, name="conv1")
        maps = tf.layers.conv2d(maps, 32, 3, padding="same", activation=tf.nn.relu, name="conv2")
        maps = tf.layers.max_pooling2d(maps, 2, 2)
        hidden = tf.layers.dense(tf.layers.flatten(maps), 64, activation=tf.nn.relu, name="hidden")
        hidden = tf.layers.dropout(hidden, 0.4, training=training)
        return tf.layers.dense(hidden, 10, name="scores")


batches = (
    tf.data.Dataset.from_tensor_slices((pictures[train_rows], labels[train_rows]))
    .shuffle(1500, seed=1)
    .repeat()
    .batch(64)
    .prefetch(1)
)
batch, batch_labels = batches.make_one_shot_iterator().get_next()
loss = tf.losses.sparse_softmax_cross_entropy(batch_labels, net(batch, training=True))
global_step = tf.train.get_or_create_global_step()
train = tf.train.AdamOptimizer(2e-3).minimize(loss, global_step=global_step)

test_scores = net(tf.constant(pictures[test_rows]), training=False)
guesses = tf.argmax(test_scores, axis=1)
accuracy = tf.reduce_mean(tf.cast(tf.equal(guesses, labels[test_rows]), tf.float32))

# %% [markdown]
# Summaries are operations that give TensorBoard's records; `merge_all` gathers them. The saver writes checkpoints in
# TensorFlow's own format.

# %%
tf.summary.scalar("loss", loss)
tf.summary.scalar("test_accuracy", accuracy)
summaries = tf.summary.merge_all()
saver = tf.train.Saver()
folder = tempfile.mkdtemp()

with tf.Session() as sess, tf.summary.FileWriter(folder, sess.graph) as writer:
    sess.run(tf.global_variables_initializer())
    for _ in range(300):
        _, now = sess.run([train, global_step])
        if now % 20 == 0:
            writer.add_summary(sess.run(summaries), now)
    print("accuracy: %.3f" % sess.run(accuracy))
    checkpoint = saver.save(sess, folder + "/model.ckpt", global_step=global_step)

# %% [markdown]
# `tensorboard --logdir` of that folder draws the curves and the graph. Here they are read back from the file instead:

# %%
curve = []
for file in glob.glob(folder + "/events*"):
    for event in tf.train.summary_iterator(file):
        curve += [(event.step, value.simple_value) for value in event.summary.value if value.tag == "test_accuracy"]
plt.plot(*zip(*curve))
plt.xlabel("step")
plt.ylabel("test accuracy")
plt.show()

# %% [markdown]
# ## From the checkpoint
#
# Another session, later or elsewhere, restores the variables instead of initializing them. Which digits are mistaken for
# which? Each row is a digit, each column what it was taken for.

# %%
with tf.Session() as sess:
    saver.restore(sess, checkpoint)
    print(sess.run(tf.confusion_matrix(labels[test_rows], guesses)))

# %% [markdown]
# Next: [a sequence model with attention](attention.md), or [debugging a NaN](nan.md).
