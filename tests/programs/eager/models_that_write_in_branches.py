"""Models of 1.x whose branches and loops change variables, loaded as objects: a normalizing layer that is told to train."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
rows = np.random.RandomState(0).randn(5, 4).astype(np.float32)
folder = os.path.join(tempfile.mkdtemp(), "model")
with tf.Graph().as_default(), tf.Session() as sess:
    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    train = tf.placeholder(tf.bool, [], name="train")
    hidden = tf.contrib.layers.fully_connected(x, 3)
    normalized = tf.contrib.layers.batch_norm(hidden, is_training=train, updates_collections=None, decay=0.5)
    count = tf.get_variable("count", initializer=0.0, trainable=False)
    last = tf.while_loop(lambda i: i < 3.0, lambda i: tf.identity(tf.assign_add(count, 1.0)), [0.0])
    sess.run(tf.global_variables_initializer())
    tf.saved_model.simple_save(sess, folder, {"x": x, "train": train}, {"normalized": normalized, "last": last})

model = tf.saved_model.load_v2(folder)
serve = model.signatures["serving_default"]
for number, is_training in enumerate((False, True, True, False)):
    given = serve(x=tf.constant(rows), train=tf.constant(is_training))
    results["step %d" % number] = {name: value.numpy() for name, value in given.items()}
