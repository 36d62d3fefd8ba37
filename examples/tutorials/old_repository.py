# %% [markdown]
# # A repository of 2016, today
#
# Somebody left a program: Python 2, TensorFlow 0.x, input through queues. This page takes it to today step by step, and the
# first step is to change nothing.

# %%
import os
import subprocess
import sys
import tempfile

folder = tempfile.mkdtemp()


def run(*arguments, shown=slice(None)):
    """Runs a command in the repository and shows lines of what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "headrace", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=240,
    )
    print("\n".join(done.stdout.replace(folder + os.sep, "").splitlines()[shown]))


def write(name, text):
    """Writes a file of the repository."""
    with open(os.path.join(folder, name), "w") as file:
        file.write(text.lstrip())


# %% [markdown]
# ## The program, as it was found
#
# `print` without parentheses, `xrange`, names that TensorFlow dropped at 1.0, a reader behind a queue, and results in a
# pickle.

# %%
write(
    "train.py",
    """
import cPickle
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer("steps", 200, "how long to train")
FLAGS = flags.FLAGS


def records(path):
    writer = tf.python_io.TFRecordWriter(path)
    state = np.random.RandomState(1)
    for _ in xrange(400):
        row = state.normal(size=4)
        label = int(row[0] * row[1] > 0)
        features = {
            "row": tf.train.Feature(float_list=tf.train.FloatList(value=row)),
            "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
        }
        writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
    writer.close()


def batches(path):
    queue = tf.train.string_input_producer([path])
    _, serialized = tf.TFRecordReader().read(queue)
    parsed = tf.parse_single_example(
        serialized,
        features={"row": tf.FixedLenFeature([4], tf.float32), "label": tf.FixedLenFeature([], tf.int64)})
    return tf.train.shuffle_batch([parsed["row"], parsed["label"]], 32, capacity=200, min_after_dequeue=100, seed=1)


def main(_):
    records("data.tfrecords")
    tf.set_random_seed(1)
    row, label = batches("data.tfrecords")
    w1 = tf.Variable(tf.truncated_normal([4, 16], stddev=0.5))
    w2 = tf.Variable(tf.truncated_normal([16, 2], stddev=0.5))
    products = tf.pack([tf.mul(row[:, 0], row[:, 1]), tf.mul(row[:, 2], row[:, 3])], 1)
    hidden = tf.nn.relu(tf.matmul(tf.concat(1, [row[:, :2], products]), w1))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.matmul(hidden, w2), label))
    train = tf.train.AdamOptimizer(0.01).minimize(loss)
    tf.scalar_summary("loss", loss)
    summaries = tf.merge_all_summaries()

    sess = tf.Session()
    sess.run(tf.initialize_all_variables())
    writer = tf.train.SummaryWriter("logs", sess.graph)
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coordinator)
    for step in xrange(FLAGS.steps + 1):
        _, now = sess.run([train, loss])
        if step % (FLAGS.steps / 4) == 0:
            print "step", step, "loss %.3f" % now
            writer.add_summary(sess.run(summaries), step)
    coordinator.request_stop()
    coordinator.join(threads)
    tf.train.Saver(tf.all_variables()).save(sess, "model.ckpt", global_step=FLAGS.steps)
    cPickle.dump(sess.run(w2), open("w2.pkl", "wb"))


if __name__ == "__main__":
    tf.app.run()
""",
)

# %% [markdown]
# ## 1. Ask what is missing
#
# `check` reads the program without running it.

# %%
run("check", "train.py")

# %% [markdown]
# ## 2. Run it
#
# Nothing is edited. The source is converted while it is loaded; `print` prints, and `/` divides whole numbers as it did.

# %%
run("train.py", "--steps", "200")
print(sorted(os.listdir(folder)))

# %% [markdown]
# ## 3. Look at what it wrote
#
# A checkpoint in TensorFlow's format; TensorFlow 1.15 reads it too.

# %%
run("inspect", "model.ckpt-200")

# %% [markdown]
# ## 4. When something is wrong
#
# An old repository often has a mistake of its own. The error says which operation, in which line of the program, and what
# was expected. Here a row of the wrong width:

# %%
with open(os.path.join(folder, "train.py")) as file:
    text = file.read()
write("broken.py", text.replace("tf.truncated_normal([4, 16]", "tf.truncated_normal([5, 16]"))
run("broken.py", shown=slice(-8, None))

# %% [markdown]
# ## 5. Where does the time go?
#
# `explain` runs a program and tells of its plans: which fetches, how many operations, and with `--passes` what the planner did
# to them.

# %%
run("explain", "train.py", "--steps", "8", shown=slice(1, 25))

# %% [markdown]
# ## 6. Make it stay
#
# Two ways. `headrace shim install` puts a `tensorflow` package that is Headrace into an environment; plain `python train.py`,
# pytest and notebooks then find it. Or the program takes the one line, and becomes Python 3 for good:

# %%
modern = text.replace("import cPickle", "import pickle").replace("cPickle", "pickle").replace("xrange", "range")
modern = modern.replace('print "step", step, "loss %.3f" % now', 'print("step", step, "loss %.3f" % now)')
modern = modern.replace("FLAGS.steps / 4", "FLAGS.steps // 4").replace(
    "import tensorflow as tf", "import headrace as tf"
)
write("train3.py", modern)
done = subprocess.run([sys.executable, "train3.py"], cwd=folder, stdout=subprocess.PIPE, text=True, timeout=240)
print(done.stdout)

# %% [markdown]
# ## 7. Take the model elsewhere
#
# The graph beside the checkpoint is enough to make an ONNX file or a PyTorch module of it:
# [a model moves on](pytorch.md).
