"""What slim's networks predict, in inference and in training, from given weights."""

import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim
from tensorflow.contrib.slim.nets import inception, resnet_utils, resnet_v1, resnet_v2

results = {}
R = np.random.RandomState(5)


def weights(variable):
    shape = variable.shape.as_list()
    if len(shape) >= 2:
        return R.standard_normal(shape) * np.sqrt(2.0 / np.prod(shape[:-1]))
    if variable.op.name.endswith(("moving_variance", "gamma")):
        return R.uniform(0.5, 1.5, shape)
    return R.standard_normal(shape) * 0.1


def predict(name, scope, build, size, batch=2):
    images = tf.placeholder(tf.float32, [None, size, size, 3], name="images")
    with slim.arg_scope(scope):
        net, end_points = build(images)
    feed = {images: R.uniform(-1.0, 1.0, [batch, size, size, 3])}
    with tf.Session() as sess:
        for v in tf.global_variables():
            v.load(weights(v).astype(np.float32), sess)
        names = sorted(end_points)
        # A few numbers of each stage say enough.
        probes = {key: tf.reduce_mean(tf.abs(end_points[key])) for key in names}
        found = sess.run(net, feed)
        results[name] = {"net": found / np.abs(found).max(), "stages": sess.run(probes, feed)}
    tf.reset_default_graph()


predict(
    "inception_v1",
    inception.inception_v1_arg_scope(),
    lambda x: inception.inception_v1(x, 10, is_training=False),
    224,
    batch=1,
)
predict(
    "inception_v2",
    inception.inception_v2_arg_scope(),
    lambda x: inception.inception_v2(x, 10, is_training=False, depth_multiplier=0.25),
    96,
)
predict(
    "inception_v3",
    inception.inception_v3_arg_scope(),
    lambda x: inception.inception_v3(x, 10, is_training=False, depth_multiplier=0.25),
    139,
)
predict(
    "resnet_v1",
    resnet_utils.resnet_arg_scope(),
    lambda x: resnet_v1.resnet_v1_50(x, 10, is_training=False),
    64,
)
predict(
    "resnet_v2",
    resnet_utils.resnet_arg_scope(),
    lambda x: resnet_v2.resnet_v2(
        x, [resnet_v2.resnet_v2_block("a", 8, 2, 2), resnet_v2.resnet_v2_block("b", 8, 2, 2)], 5, output_stride=8
    ),
    33,
)
