"""Distributions over other distributions: reshaped batches, samples fed back, sums over quadrature points, conditions."""

import numpy as np
import tensorflow as tf

ds = tf.contrib.distributions
results = {}
R = np.random.RandomState(7)


def values(name, tensors, feed=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        results[name] = sess.run(tensors, feed)


def about(d):
    return [d.name, d.dtype.name, str(d.batch_shape), str(d.event_shape), d.allow_nan_stats, d.validate_args]


def refused(build):
    try:
        build()
    except (TypeError, ValueError, NotImplementedError, tf.errors.InvalidArgumentError) as error:
        return type(error).__name__
    return "none"


# ---- BatchReshape
normal = ds.Normal(R.randn(6).astype(np.float32), np.abs(R.randn(6)).astype(np.float32))
reshaped = ds.BatchReshape(normal, [2, -1], validate_args=True)
fixed = ds.BatchReshape(normal, [3, 2])
vectors = ds.MultivariateNormalDiag(R.randn(4, 3).astype(np.float32), np.ones([4, 3], np.float32) * 1.5)
square = ds.BatchReshape(vectors, [2, 2], name="square")
x = R.randn(5, 2, 3).astype(np.float32)
z = R.randn(2, 2, 2, 3).astype(np.float32)
wanted = tf.placeholder(tf.int32, [None])
dynamic = ds.BatchReshape(
    ds.Normal(tf.placeholder_with_default(R.randn(6).astype(np.float32), [None]), 2.0), wanted, True
)
results["reshape about"] = [about(d) for d in (reshaped, fixed, square, dynamic)]
samples = [fixed.sample(4, seed=3), square.sample([2, 3], seed=4), reshaped.sample(seed=1)]
results["reshape names"] = (
    [t.name for t in samples]
    + [str(t.shape) for t in samples]
    + [fixed.log_prob(x[:, 0].repeat(2, 1).reshape([5, 3, 2])).name]
)
values(
    "reshape",
    {
        "log_prob": reshaped.log_prob(x),
        "prob": reshaped.prob(x),
        "cdf": reshaped.cdf(x),
        "log_cdf": reshaped.log_cdf(x),
        "survival": reshaped.survival_function(x),
        "log_survival": reshaped.log_survival_function(x),
        "mean": reshaped.mean(),
        "stddev": reshaped.stddev(),
        "variance": fixed.variance(),
        "mode": fixed.mode(),
        "entropy": fixed.entropy(),
        "vectors": [square.log_prob(z), square.mean(), square.covariance(), square.entropy()],
        "shapes": [reshaped.batch_shape_tensor(), fixed.event_shape_tensor(), square.event_shape_tensor()],
        "gradient": tf.gradients(tf.reduce_sum(reshaped.log_prob(x)), [normal.loc, normal.scale]),
    },
)
values(
    "reshape dynamic",
    [dynamic.mean(), dynamic.log_prob(x), dynamic.batch_shape_tensor(), tf.shape(dynamic.sample(7))],
    {wanted: [2, 3]},
)
with tf.Session() as sess:
    results["reshape errors"] = [
        refused(lambda: ds.BatchReshape(normal, [4, 2])),
        refused(lambda: ds.BatchReshape(normal, [-2, 3])),
        refused(lambda: ds.BatchReshape(normal, 6)),
        refused(lambda: fixed.log_prob(x)),
        refused(lambda: fixed.log_prob(1.0)),
        refused(lambda: sess.run(dynamic.mean(), {wanted: [4, 2]})),
        refused(lambda: sess.run(dynamic.mean(), {wanted: [-1, -1]})),
    ]

# ---- Autoregressive
weights = tf.constant(np.tril(R.randn(3, 3), -1).astype(np.float32))


def chain(x):
    return ds.Independent(ds.Normal(tf.tensordot(x, weights, [[-1], [1]]), 1.5), 1)


auto = ds.Autoregressive(chain, tf.zeros([2, 3]))
short = ds.Autoregressive(chain, tf.zeros([2, 3]), num_steps=1, name="short")
y = R.randn(4, 2, 3).astype(np.float32)
results["autoregressive about"] = [
    about(auto),
    about(short),
    auto.num_steps,
    short.num_steps,
    about(auto.distribution0),
]
drawn = auto.sample(5, seed=9)
results["autoregressive shape"] = [str(drawn.shape), drawn.name]
values(
    "autoregressive",
    [auto.log_prob(y), auto.prob(y), tf.gradients(auto.log_prob(y), weights)[0], auto.batch_shape_tensor()],
)
results["autoregressive errors"] = [refused(lambda: ds.Autoregressive(chain, tf.zeros([2, 3]), num_steps=0))]

# ---- quadrature
loc, scale = tf.constant(R.randn(3).astype(np.float32)), tf.constant(np.abs(R.randn(3)).astype(np.float32))
mixing = tf.constant(R.randn(2, 1).astype(np.float32))
values(
    "schemes",
    [
        ds.quadrature_scheme_lognormal_gauss_hermite(loc, scale, 5),
        ds.quadrature_scheme_lognormal_quantiles(loc, scale, 5),
        ds.quadrature_scheme_softmaxnormal_quantiles(mixing, tf.exp(mixing), 4),
    ],
)
results["scheme errors"] = [
    refused(lambda: ds.quadrature_scheme_softmaxnormal_quantiles([0.0, 1.0], [1.0, 1.0], 4)),
]
compound = ds.PoissonLogNormalQuadratureCompound(loc, scale, quadrature_size=6)
scalar = ds.PoissonLogNormalQuadratureCompound(
    0.5, 0.3, quadrature_fn=ds.quadrature_scheme_lognormal_gauss_hermite, validate_args=True, name="one"
)
counts = np.array([[0.0, 3.0, 1.0], [2.0, 5.0, 0.0]], np.float32)
results["poisson about"] = [about(d) for d in (compound, scalar, compound.distribution, compound.mixture_distribution)]
results["poisson size"] = [
    compound.quadrature_size,
    compound.loc.name,
    scalar.scale.name,
    str(compound.sample([2, 4]).shape),
]
values(
    "poisson",
    {
        "log_prob": compound.log_prob(counts),
        "prob": scalar.prob([0.0, 1.0, 4.0]),
        "mean": [compound.mean(), scalar.mean()],
        "variance": [compound.variance(), scalar.variance()],
        "stddev": [compound.stddev(), scalar.stddev()],
        "batch": [compound.batch_shape_tensor(), scalar.batch_shape_tensor()],
        "gradient": tf.gradients(compound.log_prob(counts), [loc, scale]),
    },
)

# ---- VectorDiffeomixture
op = tf.linalg


def mixture(**more):
    given = {
        "mix_loc": [[0.0], [1.0]],
        "temperature": [1.0],
        "distribution": ds.Normal(0.0, 1.0),
        "loc": [None, np.float32([2.0] * 3)],
        "scale": [
            op.LinearOperatorScaledIdentity(3, multiplier=np.float32(1.1), is_positive_definite=True),
            op.LinearOperatorDiag(np.linspace(2.5, 3.5, 3, dtype=np.float32), is_positive_definite=True),
        ],
        "validate_args": True,
    }
    given.update(more)
    return ds.VectorDiffeomixture(**given)


tril = np.tril(R.rand(3, 3) + 0.5).astype(np.float32)
kinds = {
    "diagonal": mixture(),
    "few": mixture(quadrature_size=3, name="h"),
    "scaled": mixture(
        loc=None,
        scale=[op.LinearOperatorIdentity(3), op.LinearOperatorScaledIdentity(3, np.float32(2.0))],
        validate_args=False,
    ),
    "triangle": mixture(
        loc=[np.float32([1.0, 2.0, 3.0]), np.zeros([2, 3], np.float32)],
        scale=[op.LinearOperatorLowerTriangular(tril), op.LinearOperatorDiag(np.float32([1.0, 2.0, 3.0]))],
        validate_args=False,
    ),
    "one": mixture(mix_loc=[0.5], temperature=[2.0], loc=[np.float32([1.0] * 3), None]),
}
z = R.randn(4, 1, 3).astype(np.float32)
for name, made in sorted(kinds.items()):
    results["mixture about " + name] = about(made) + [str(made.grid.shape), len(made.interpolated_affine)]
    results["mixture sample " + name] = [str(made.sample(5, seed=3).shape), made.sample(seed=3).name]
    values(
        "mixture " + name,
        [made.log_prob(z), made.prob(z), made.mean(), made.variance(), made.covariance(), made.stddev(), made.grid],
    )
results["mixture errors"] = [
    refused(lambda: mixture(scale=[op.LinearOperatorIdentity(3)])),
    refused(lambda: mixture(loc=[None])),
    refused(lambda: mixture(loc=[None] * 3, scale=[op.LinearOperatorIdentity(3, is_positive_definite=True)] * 3)),
    refused(lambda: mixture(scale=[op.LinearOperatorDiag(np.ones(3, np.float32))] * 2)),
    refused(lambda: mixture(distribution=ds.Normal([0.0], 1.0))),
    refused(lambda: mixture(mix_loc=[[0.0, 1.0]], temperature=[[1.0, 1.0]])),
]


# ---- conditions
class Scale(ds.bijectors.ConditionalBijector):
    def __init__(self):
        super(Scale, self).__init__(forward_min_event_ndims=0, name="scaled")

    def _forward(self, x, by):
        return x * by

    def _inverse(self, y, by):
        return y / by

    def _inverse_log_det_jacobian(self, y, by):
        return -tf.log(tf.convert_to_tensor(by))


conditional = ds.ConditionalTransformedDistribution(ds.Normal([0.0, 1.0], 1.0), Scale(), validate_args=True)
by = {"by": 3.0}
results["conditional about"] = about(conditional) + [str(conditional.sample(4, bijector_kwargs=by).shape)]
values(
    "conditional",
    [
        getattr(conditional, name)([0.5, 2.0], bijector_kwargs=by)
        for name in ("log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival_function")
    ],
)
