# runner: --tf-version 0.6
# What the how-to notes of release 0.6 take for granted, in cells.
# %%
import math
# %%
import threading
# %%
Coordinator = tf.train.Coordinator
# %%
batch_size, IMAGE_PIXELS, NUM_CLASSES, hidden1_units, max_steps = 10, 784, 10, 128, 3
# %%
images = tf.random_normal([10, 784])
# %%
labels = tf.constant([1, 2, 3, 4, 5, 6, 7, 8, 9, 0])
# %%
hidden2 = tf.random_normal([10, 128])
weights = tf.Variable(tf.truncated_normal([128, 10]))
biases = tf.Variable(tf.zeros([10]))
# %%
image1 = tf.random_normal([1, 8, 8, 32])
image2 = tf.random_normal([1, 8, 8, 32])
# %%
class FLAGS:
    learning_rate, max_steps, train_dir = 0.01, 3, "train"


tf.scalar_summary("pixels", tf.reduce_mean(tf.random_normal([10])))
# %%
step, feed_dict = 0, {}
# %%
saver = tf.train.Saver([tf.Variable(0.0)])
# %%
train_op = tf.train.string_input_producer(["a", "b"], num_epochs=1).dequeue()
# %%
class data_sets:
    train = None


def fill_feed_dict(data, images, labels):
    return {images: np.zeros([10, 784]), labels: np.zeros([10])}
