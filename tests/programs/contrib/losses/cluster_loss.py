"""tf.contrib.losses.metric_learning.cluster_loss; recording it needs scikit-learn beside TensorFlow."""

import numpy as np
import tensorflow as tf

cluster_loss = tf.contrib.losses.metric_learning.cluster_loss
results = {}
R = np.random.RandomState(4)
LABELS = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 2, 0, 1], np.int32)
POINTS = (np.eye(3)[LABELS] + R.randn(12, 3) * 0.9).astype(np.float32)

for margin in ("nmi", "ami", "ari", "vmeasure"):
    for refined in (True, False):
        with tf.Graph().as_default(), tf.Session() as sess:
            points = tf.constant(POINTS)
            loss = cluster_loss(tf.constant(LABELS), points, 2.0, enable_pam_finetuning=refined, margin_type=margin)
            found = sess.run([loss, tf.gradients(loss, points)[0]])
            results["%s %s" % (margin, refined)] = [
                found,
                str(loss.shape),
                sorted(op.name for op in tf.get_default_graph().get_operations() if op.type == "ScalarSummary"),
            ]
with tf.Graph().as_default(), tf.Session() as sess:
    separate = tf.constant((np.eye(3)[LABELS] * 10).astype(np.float32))
    results["separate"] = sess.run(cluster_loss(tf.constant(LABELS), separate, 1.0))
    try:
        cluster_loss(tf.constant(LABELS), separate, 1.0, margin_type="other")
    except ValueError as error:
        results["error"] = str(error)
