"""tf.contrib.distributions.bijectors: of matrices and vectors, distribution functions, flows with networks."""

import numpy as np
import tensorflow as tf

try:
    from tensorflow.contrib.distributions.python.ops.bijectors.weibull import Weibull
except ImportError:
    Weibull = tf.contrib.distributions.bijectors.Weibull

ds = tf.contrib.distributions
bs = ds.bijectors
results = {}
rng = np.random.RandomState(4)
reals = np.float32([[-1.5, 0.3, 2.0], [0.4, 0.7, -0.2]])
units = np.float32([[0.2, 0.5, 0.9], [0.1, 0.4, 0.8]])
lower = np.float32([[1.0, 0.0, 0.0], [0.5, 2.0, 0.0], [-0.3, 0.2, 1.5]])
lowers = np.stack([lower, lower * 1.5])


def described(make, x, rank, rank_after=None):
    rank_after = rank if rank_after is None else rank_after
    with tf.Graph().as_default(), tf.Session() as sess:
        b = make()
        y = sess.run(b.forward(x))
        out = {
            "name": b.name,
            "ranks": [b.forward_min_event_ndims, b.inverse_min_event_ndims, b.is_constant_jacobian],
            "forward": y,
            "inverse": sess.run(b.inverse(y)),
            "fldj": sess.run(b.forward_log_det_jacobian(x, rank)),
            "ildj": sess.run(b.inverse_log_det_jacobian(y, rank_after)),
        }
        for count, value, name in ((rank, x, "forward"), (rank_after, y, "inverse")):
            shape = list(value.shape[value.ndim - count :])
            out[name + " shape"] = str(getattr(b, name + "_event_shape")(tf.TensorShape(shape)))
            out[name + " shape tensor"] = sess.run(getattr(b, name + "_event_shape_tensor")(shape))
        return out


cases = {
    "cholesky": (lambda: bs.CholeskyOuterProduct(), lower, 2),
    "cholesky batch": (lambda: bs.CholeskyOuterProduct(validate_args=True), lowers, 2),
    "inverse": (lambda: bs.MatrixInverseTriL(), lower, 2),
    "inverse batch": (lambda: bs.MatrixInverseTriL(validate_args=True), lowers, 2),
    "fill": (lambda: bs.FillTriangular(), np.float32([[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]]), 1, 2),
    "fill upper": (lambda: bs.FillTriangular(upper=True), np.arange(10, dtype="float32"), 1, 2),
    "diagonal": (lambda: bs.TransformDiagonal(bs.Exp()), lowers, 2),
    "scale": (lambda: bs.ScaleTriL(), np.float32([[0.1, 2, -3], [1, -2, 3]]), 1, 2),
    "scale exp": (lambda: bs.ScaleTriL(bs.Exp(), None), np.float32([0.1, 2, -3]), 1, 2),
    "ordered": (lambda: bs.Ordered(), np.sort(reals), 1),
    "centred": (lambda: bs.SoftmaxCentered(), reals, 1),
    "reshape": (lambda: bs.Reshape([2, 3]), np.arange(12, dtype="float32").reshape(2, 6), 1, 2),
    "reshape in": (lambda: bs.Reshape([-1], [2, 3]), np.arange(12, dtype="float32").reshape(2, 2, 3), 2, 1),
    "gumbel": (lambda: bs.Gumbel(0.5, [1.0, 2.0, 3.0]), reals, 0),
    "weibull": (lambda: Weibull([1.0, 2.0, 3.0], 1.5), units, 0),
    "weibull event": (lambda: Weibull(2.0, 0.5, validate_args=True), units, 1),
    "kumaraswamy": (lambda: bs.Kumaraswamy([1.0, 2.0, 3.0], 1.5), units, 0),
    "sinh": (lambda: bs.SinhArcsinh(0.2, [1.0, 1.5, 0.5]), reals, 0),
    "sinh default": (lambda: bs.SinhArcsinh(), reals * 1e4, 0),
}
for key, case in sorted(cases.items()):
    results[key] = described(*case)

sess = tf.Session()
results["tridiag"] = sess.run(ds.tridiag([1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0]))
results["tridiag parts"] = sess.run([ds.tridiag(below=[[1.0, 2.0]]), ds.tridiag(above=[1.0]), ds.tridiag(diag=[1, 2])])
results["diag transform"] = sess.run(ds.matrix_diag_transform(lowers, tf.nn.softplus))
results["fill functions"] = sess.run(
    [ds.fill_triangular([1, 2, 3]), ds.fill_triangular_inverse([[1, 2], [3, 4]], True)]
)
held = tf.placeholder(tf.float32, [None, None])
filled = ds.fill_triangular(held)
feed = {held: [[1, 2, 3, 4, 5, 6.0]]}
results["fill fed"] = sess.run([filled, ds.fill_triangular_inverse(filled)], feed)

ones = tf.constant_initializer(0.1)
for unroll in (False, True):
    with tf.variable_scope("unroll%d" % unroll):
        network = bs.masked_autoregressive_default_template([6, 8], kernel_initializer=ones)
        flow = bs.MaskedAutoregressiveFlow(network, unroll_loop=unroll)
        y = flow.forward(reals)
        back = flow.inverse(tf.identity(y))
        # Of the forward one TensorFlow's optimizer loses the sign.
        logs = [flow.inverse_log_det_jacobian(tf.identity(y), 1)]
        sess.run(tf.global_variables_initializer())
        results["flow %s" % unroll] = [sess.run(t) for t in [y, back] + logs]
shift_only = bs.MaskedAutoregressiveFlow(bs.masked_autoregressive_default_template([6], True, kernel_initializer=ones))
shifted = shift_only.inverse(reals)
sess.run(tf.global_variables_initializer())
results["shift only"] = sess.run(shifted)
results["masked"] = [v.name for v in tf.global_variables()]
kernels = [v for v in tf.global_variables() if "kernel" in v.name]
results["masks"] = [sess.run(v) != 0 for v in kernels]
results["shapes"] = [str(v.shape) for v in kernels]

with tf.Graph().as_default(), tf.Session() as sess:
    coupling = bs.RealNVP(1, bs.real_nvp_default_template([5], kernel_initializer=ones))
    y = coupling.forward(reals)
    sess.run(tf.global_variables_initializer())
    results["real nvp"] = [sess.run(y), [v.name for v in tf.global_variables()]]

for training in (True, False):
    with tf.Graph().as_default(), tf.Session() as sess:
        norm = bs.BatchNormalization(training=training)
        x = norm.inverse(reals)
        logs = [norm.inverse_log_det_jacobian(reals, 1), norm.forward_log_det_jacobian(reals * 2, 1)]
        forward = norm.forward(reals * 2)
        sess.run(tf.global_variables_initializer())
        # One by one: fetched together, TensorFlow's optimizer mixes up their signs.
        results["norm %s" % training] = [sess.run(t) for t in [x, forward] + logs]
        results["norm names %s" % training] = [v.name for v in tf.global_variables()]

for name, make in {
    "no triangle": lambda: bs.FillTriangular().forward([1.0, 2.0]),
    "two unknown": lambda: bs.Reshape([-1, -1]),
    "float shape": lambda: bs.Reshape([1.5]),
    "mismatch": lambda: bs.Reshape([2, 3], [6]).forward(np.zeros((2, 5), "float32")),
    "renorm": lambda: bs.BatchNormalization(tf.layers.BatchNormalization(renorm=True)),
    "no layer": lambda: bs.BatchNormalization(3),
    "nothing": lambda: ds.tridiag(),
}.items():
    try:
        make()
        results[name] = "fine"
    except (TypeError, ValueError) as error:
        results[name] = type(error).__name__
