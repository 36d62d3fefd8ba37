"""Random Fourier features and the multiclass hinge loss."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import kernel_methods
from tensorflow.contrib.kernel_methods.python import losses
from tensorflow.contrib.kernel_methods.python.mappers.dense_kernel_mapper import InvalidShapeError

results = {}
random = np.random.RandomState(0)
x = random.randn(4, 3).astype(np.float32)
with tf.Session() as sess:
    mapper = kernel_methods.RandomFourierFeatureMapper(3, 6, stddev=2.0, seed=7, name="features")
    mapped = mapper.map(tf.constant(x))
    results["mapped"] = sess.run(mapped)
    results["again"] = bool(np.all(sess.run(mapper.map(tf.constant(x))) == sess.run(mapped)))
    results["mapper"] = [mapper.name, mapper.input_dim, mapper.output_dim]
    for name, shape in [("rank", [4]), ("size", [4, 2])]:
        try:
            mapper.map(tf.zeros(shape))
        except InvalidShapeError as error:
            results["error_" + name] = str(error)
    logits = tf.constant(random.randn(4, 5).astype(np.float32))
    labels = tf.constant([0, 3, 4, 1])
    hinge = kernel_methods.sparse_multiclass_hinge_loss
    plain = hinge(labels, logits)
    weighted = hinge(tf.reshape(tf.cast(labels, tf.int64), [4, 1]), logits, weights=[[1.0], [0.0], [2.0], [0.5]])
    each = losses.sparse_multiclass_hinge_loss(labels, logits, reduction=tf.losses.Reduction.NONE, scope="each")
    results["losses"] = sess.run([plain, weighted, each])
    results["gradients"] = sess.run(tf.gradients(weighted, logits))
    results["collection"] = [t.name for t in tf.losses.get_losses()]
    for name, arguments in [
        ("logits", (labels, tf.zeros([4]))),
        ("type", (tf.zeros([4]), logits)),
        ("labels", (tf.zeros([4, 1, 1], tf.int32), logits)),
        ("weights", (labels, logits, tf.zeros([3]))),
    ]:
        try:
            hinge(*arguments)
        except ValueError as error:
            results["error_" + name] = type(error).__name__
    try:
        sess.run(hinge(tf.constant([5, 0, 0, 0]), logits))
    except tf.errors.InvalidArgumentError as error:
        results["error_range"] = type(error).__name__
