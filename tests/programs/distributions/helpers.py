"""Helpers of distributions that programs import from where TensorFlow keeps them, with shapes known and not."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.bayesflow.python.ops import monte_carlo_impl
from tensorflow.contrib.distributions.python.ops import distribution_util, sample_stats
from tensorflow.python.ops.distributions import bijector_test_util, special_math, util
from tensorflow.python.ops.linalg import linalg_impl

tfd = tf.contrib.distributions
results = {}


def refused(name, build, session=None):
    try:
        made = build()
        if session is not None:
            session.run(made)
        results[name] = "taken"
    except Exception as error:  # the class is what is compared
        results[name] = type(error).__name__


with tf.Graph().as_default(), tf.Session() as session:
    x = tf.placeholder_with_default(np.float32([[1, 2, 3], [4, 5, 6]]), None)
    half = tf.placeholder(tf.float16)
    run = session.run
    results["padded"] = run([util.pad(x, axis=-1, front=True, value=7, count=2), util.pad(x, axis=0, back=True)])
    results["padded shape"] = util.pad(tf.ones([2, 3]), axis=1, back=True, count=2).shape.as_list()
    results["rotated"] = run(util.rotate_transpose(x, tf.placeholder_with_default(1, None)))
    results["moved"] = run(distribution_util.move_dimension(tf.reshape(x, [1, 2, 3]), 0, 2)).tolist()
    results["triangles"] = run([util.fill_triangular(x), util.fill_triangular(x, upper=True)])
    results["back"] = run(util.fill_triangular_inverse(util.fill_triangular(x, upper=True), upper=True))
    results["same shape"] = run([util.same_dynamic_shape(x, x + 1), util.same_dynamic_shape(x, x[0])])
    results["static"] = [
        util.prefer_static_broadcast_shape(tf.TensorShape([3, 1]), tf.constant([4])).as_list(),
        util.prefer_static_shape(tf.ones([2, 3])).tolist(),
        type(util.prefer_static_rank(x)).__name__,
        util.maybe_get_static_value(2, np.float64).tolist(),
    ]
    grid = np.float32([-30.0, -4.0, -0.5, 0.0, 1.5, 7.0])
    results["log_ndtr"] = run(special_math.log_ndtr(grid))
    results["ndtri"] = run(special_math.ndtri(np.float64([0.0, 1e-12, 0.3, 0.99, 1.0])))
    results["erfinv"] = run(special_math.erfinv(np.float64([-0.9, 0.1, 0.5])))
    results["bounds"] = [float(special_math.LOGNDTR_FLOAT32_LOWER), float(special_math.LOGNDTR_FLOAT64_UPPER)]
    refused("few classes", lambda: util.embed_check_categorical_event_shape(tf.ones([1])))
    refused("many classes", lambda: util.embed_check_categorical_event_shape(tf.ones([2**11 + 1], tf.float16)))
    refused("integer classes", lambda: util.embed_check_categorical_event_shape(tf.ones([3], tf.int32)))
    for number, target in ((-1.0, tf.int32), (1.5, tf.int32), (3.0, tf.bool)):
        refused(
            "cast %s" % number, lambda: util.embed_check_integer_casting_closed(tf.constant(number), target), session
        )
    refused("too large", lambda: util.embed_check_integer_casting_closed(tf.constant(2**20), tf.int16), session)
    refused("no triangle", lambda: util.fill_triangular(tf.ones([5])))
    scale = distribution_util.make_tril_scale(scale_tril=[[2.0, 9.0], [1.0, 3.0]], scale_identity_multiplier=0.5)
    results["scale"] = run(scale.to_dense())
    results["diagonal"] = [distribution_util.is_diagonal_scale(scale), scale.is_positive_definite]
    for kind in ("positive", "other"):
        refused(
            kind + " diagonal",
            lambda: distribution_util.make_diag_scale(
                scale_diag=[1.0, -1.0], validate_args=True, assert_positive=kind == "positive"
            ).to_dense(),
            session,
        )
    refused("no size", lambda: distribution_util.make_diag_scale(scale_identity_multiplier=2.0))
    results["mixture"] = run(
        distribution_util.mixture_stddev(
            tf.constant([[0.2, 0.8]]), tf.constant([[1.0, 3.0]]), tf.constant([[0.5, 2.0]])
        )
    )
    series = tf.placeholder_with_default(np.float32([[1, 3, 2, 5], [0, 1, 4, 4]]), None)
    results["autocorrelation"] = run(
        [
            sample_stats.auto_correlation(series, max_lags=2),
            sample_stats.auto_correlation(series, axis=0, normalize=False),
        ]
    )
    results["percentiles"] = run(
        [
            sample_stats.percentile(series, 40.0),
            sample_stats.percentile(tf.ones([2, 3, 4]) * 2.0, 40.0, axis=[0, -1], keep_dims=True),
            sample_stats.percentile([3.0, 1.0, 2.0], 70.0, interpolation="lower", validate_args=True),
        ]
    )
    refused("far axis", lambda: sample_stats.percentile([1.0, 2.0], 50.0, axis=3))
    bijector_test_util.assert_scalar_congruency(tfd.bijectors.Exp(), -1.0, 1.0, n=2000, rtol=0.1, sess=session)
    points = np.float32([0.2, 0.7])
    bijector_test_util.assert_bijective_and_finite(tfd.bijectors.Exp(), points, np.exp(points), 0, sess=session)
    refused("increasing", lambda: bijector_test_util.assert_strictly_increasing(np.float32([1, 3, 2])))
    results["expm"] = run(linalg_impl.matrix_exponential([[[0.0, 30.0], [0.0, 0.0]], [[0.1, 0.0], [2.0, 9.0]]]))
    matrix = tf.constant([[0.3, 1.0], [0.2, 2.5]])
    results["expm gradient"] = run(tf.gradients(tf.reduce_sum(tf.linalg.expm(matrix)), matrix)[0])
    results["expectation"] = run(
        monte_carlo_impl.expectation(tf.square, tf.constant([1.0, 2.0]), use_reparametrization=True)
    )
    images = tf.placeholder_with_default(np.zeros([3, 2, 2], np.float32), None)
    independent = tfd.Independent(tf.distributions.Bernoulli(logits=images))
    results["independent"] = run(
        [
            independent.batch_shape_tensor(),
            independent.event_shape_tensor(),
            tf.shape(independent.sample(5, seed=1)),
            independent.log_prob(tf.ones([4, 3, 2, 2])),
            independent.entropy(),
        ]
    )
    family = tfd.MixtureSameFamily(
        tf.distributions.Categorical(probs=[0.3, 0.7]),
        tfd.MultivariateNormalDiag([[-1.0, 1.0], [2.0, 0.5]], [1.0, 2.0]),
    )
    results["family"] = run([family.mean(), family.variance(), family.covariance()])
