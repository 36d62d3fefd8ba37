"""Flows, losses, optimizers and metrics of contrib make the ops TensorFlow makes, or unseeded numbers after them differ."""

import numpy as np
import tensorflow as tf

results = {}
distributions = tf.contrib.distributions
bijectors = distributions.bijectors


def flow():
    x = tf.placeholder(tf.float32, [None, 4])
    parts = []
    for _ in range(2):
        template = bijectors.masked_autoregressive_default_template(hidden_layers=[5])
        parts += [bijectors.MaskedAutoregressiveFlow(shift_and_log_scale_fn=template), bijectors.Permute([3, 2, 1, 0])]
    base = distributions.MultivariateNormalDiag(tf.zeros([4]), tf.ones([4]))
    flow = distributions.TransformedDistribution(base, bijectors.Chain(parts[-2::-1]))
    return flow.log_prob(x), {x: np.arange(8.0).reshape(2, 4) / 8.0}


def coupling():
    x = tf.placeholder(tf.float32, [None, 4])
    layer = bijectors.RealNVP(2, bijectors.real_nvp_default_template(hidden_layers=[5]))
    return layer.inverse_log_det_jacobian(x, 1), {x: np.arange(8.0).reshape(2, 4) / 8.0}


def chain():
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    both = bijectors.Chain([bijectors.Exp(), bijectors.AffineScalar(scale=2.0)])
    return [both.forward_log_det_jacobian(x, 1), both.inverse_log_det_jacobian(x, 0)], None


def mixtures():
    normal = distributions.Independent(distributions.Normal(tf.zeros([3, 2]), 1.0), reinterpreted_batch_ndims=1)
    mixture = distributions.MixtureSameFamily(distributions.Categorical(logits=tf.zeros([3])), normal)
    return mixture.log_prob([[0.5, 1.0]]), None


def triplets():
    points = tf.nn.l2_normalize(tf.constant([[1.0, 2.0], [3.0, 1.0], [1.0, 2.5], [2.0, 1.0]]), 1)
    return tf.contrib.losses.metric_learning.triplet_semihard_loss([0, 1, 0, 1], points), None


def sizes():
    x = tf.placeholder(tf.float32, [None, None, 6])
    y = tf.reshape(x, [-1, tf.shape(x)[2]])
    z = tf.reshape(x, tf.concat([[-1], tf.shape(x)[2:]], 0))
    results["shapes"] = [str(y.shape), str(z.shape), str(tf.zeros([tf.shape(x)[0], tf.shape(x)[2]]).shape)]
    return tf.gradients(tf.reduce_sum(y * y) + tf.reduce_sum(z), x), {x: np.ones([1, 2, 6])}


def second_order():
    a = tf.get_variable("a", [1, 2], initializer=tf.ones_initializer())
    b = tf.get_variable("b", [2], initializer=tf.ones_initializer())
    first = tf.gradients(tf.reduce_sum(tf.placeholder_with_default([[1.0, 2.0]], [None, 2]) * a / (b * b)), [a, b])
    return tf.gradients([tf.reduce_sum(each * each) for each in first], [a, b]), None


def trained(make, sparse=False):
    def build():
        v = tf.get_variable("v", [3, 2], initializer=tf.constant_initializer(0.3))
        loss = tf.reduce_sum(tf.square((tf.gather(v, [0, 2, 2]) if sparse else v) - 1.0))
        with tf.control_dependencies([make().minimize(loss, tf.train.get_or_create_global_step())]):
            return tf.identity(loss), None

    return build


def metric(make):
    def build():
        labels, predictions = tf.constant([True, False, True]), tf.constant([0.9, 0.4, 0.3])
        return make(labels, predictions)[1], None

    return build


contrib = tf.contrib.opt
cases = {
    "flow": flow,
    "coupling": coupling,
    "chain": chain,
    "mixtures": mixtures,
    "triplets": triplets,
    "sizes": sizes,
    "second order": second_order,
    "shampoo": trained(lambda: contrib.ShampooOptimizer(tf.train.get_or_create_global_step(), learning_rate=0.1)),
    "lars": trained(lambda: contrib.LARSOptimizer(0.1)),
    "signs": trained(lambda: contrib.AddSignOptimizer(0.1), sparse=True),
    "curve": metric(lambda y, p: tf.contrib.metrics.streaming_dynamic_auc(y, p)),
    "thresholds": metric(lambda y, p: tf.contrib.metrics.precision_recall_at_equal_thresholds(y, p, num_thresholds=4)),
}
for name, build in cases.items():
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        tf.set_random_seed(5)
        found, feed = build()
        made = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
        after = tf.random_normal([2])
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        value = sess.run(found, feed)
        values = [] if value is None else value if isinstance(value, list) else [value]
        results[name] = {"ops": made, "values": values, "after": sess.run(after)}
