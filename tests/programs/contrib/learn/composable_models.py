"""Parts of models with optimizers of their own, trained together."""

import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib.learn.python.learn.estimators import composable_model

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
layers = tf.contrib.layers
HEIGHTS = np.array([[0.5], [1.0], [3.0]], np.float32)
JOBS = np.array(["cook", "judge", "cook"])
SIDES = np.array([[1.0], [0.0], [1.0]], np.float32)

height = layers.real_valued_column("height")
job = layers.sparse_column_with_keys("job", ["cook", "judge"])
folder = tempfile.mkdtemp()
with tf.Graph().as_default() as graph:
    tf.set_random_seed(1)
    jobs = tf.SparseTensor([[0, 0], [1, 0], [2, 0]], tf.constant(JOBS), [3, 1])
    features = {"height": tf.constant(HEIGHTS), "job": jobs}
    step = tf.train.get_or_create_global_step()
    linear = composable_model.LinearComposableModel(1)
    network = composable_model.DNNComposableModel(1, [4, 2], gradient_clip_norm=1.0)
    logits = linear.build_model(features, [height, job], is_training=True)
    logits += network.build_model(features, [height, layers.embedding_column(job, 2)], is_training=True)
    loss = tf.losses.sigmoid_cross_entropy(SIDES, logits)
    train = tf.group(*(linear.get_train_step(loss) + network.get_train_step(loss)))
    results["variables"] = sorted(variable.op.name for variable in tf.global_variables())
    results["scopes"] = [linear.get_scope_name(), network.get_scope_name()]
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        losses = []
        for _ in range(5):
            losses.append(session.run(loss))
            session.run(train)
        results["learns"] = bool(losses[-1] < losses[0])
        tf.train.Saver().save(session, folder + "/model", global_step=step)
results["linear weights"] = sorted(linear.get_weights(folder))
results["linear bias"] = np.shape(linear.get_bias(folder))
results["network's weights"] = [np.shape(value) for value in network.get_weights(folder)]
results["network's biases"] = [np.shape(value) for value in network.get_bias(folder)]
