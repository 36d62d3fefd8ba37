"""The ops that distributions and bijectors make: their names and kinds, and with them the seeds of the ops that follow."""

import numpy as np
import tensorflow as tf

ds = tf.contrib.distributions
results = {}
R = np.random.RandomState(4)
LOC, DIAG = R.randn(2, 3).astype(np.float32), (R.rand(3) + 0.5).astype(np.float32)
TRIL = (np.tril(R.rand(3, 3)) + np.eye(3)).astype(np.float32)
POSITIVE = (R.rand(2, 3) + 0.5).astype(np.float32)

MAKERS = {
    "diagonal": lambda: ds.MultivariateNormalDiag(LOC, DIAG),
    "one diagonal": lambda: ds.MultivariateNormalDiag(tf.zeros(3), tf.ones(3)),
    "triangular": lambda: ds.MultivariateNormalTriL(tf.zeros(3), TRIL),
    "exponential vectors": lambda: ds.VectorExponentialDiag(scale_diag=DIAG),
    "Laplace vectors": lambda: ds.VectorLaplaceDiag(LOC[0], DIAG),
    "lognormal": lambda: ds.TransformedDistribution(ds.Normal(LOC, 1.0), ds.bijectors.Exp()),
    "given event": lambda: ds.TransformedDistribution(
        ds.Normal(0.0, 1.0), ds.bijectors.Affine(shift=LOC[0], scale_tril=TRIL), event_shape=[3]
    ),
    "given batch": lambda: ds.TransformedDistribution(
        ds.Normal(0.0, 1.0), ds.bijectors.AffineScalar(1.0, 2.0), batch_shape=[2]
    ),
    "relaxed": lambda: ds.RelaxedOneHotCategorical(0.5, logits=LOC),
    "one hot": lambda: ds.OneHotCategorical(logits=LOC),
    "categorical": lambda: ds.Categorical(logits=LOC),
    "Laplace": lambda: ds.Laplace(LOC, DIAG),
    "normal": lambda: ds.Normal(LOC, DIAG),
    "Dirichlet": lambda: ds.Dirichlet(POSITIVE),
    "negative binomial": lambda: ds.NegativeBinomial(5.0, logits=LOC),
}


def failing(function):
    try:
        return function()
    except Exception as error:
        return type(error).__name__


def about(make, unknown):
    """What is made, op for op, and random numbers drawn without a seed after that."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        distribution = make()
        values = distribution.sample(2, seed=1)
        if unknown:
            values = tf.placeholder_with_default(values, None)
        parts = [
            values,
            failing(lambda: distribution.log_prob(values)),
            failing(lambda: distribution.prob(values)),
            failing(distribution.mean),
            failing(distribution.entropy),
            failing(lambda: ds.kl_divergence(distribution, make())),
        ]
        noise = tf.random_normal([2])
        known = [part for part in parts if not isinstance(part, str)]
        with tf.Session() as sess:
            drawn = sess.run([noise] + known[1:])
        ops = graph.get_operations()
        return {
            "count": len(ops),
            "kinds": sorted({op.type for op in ops}),
            "some names": [op.name for op in ops if "DistributionShape" not in op.name][::7],
            "noise": drawn[0],
            "values": [np.round(value, 3).tolist() for value in drawn[1:]],
            "missing": [part for part in parts if isinstance(part, str)],
        }


for key, make in sorted(MAKERS.items()):
    results[key] = about(make, False)
for key in ("diagonal", "lognormal", "one hot"):
    results[key + ", unknown shape"] = about(MAKERS[key], True)

# A log-determinant that is the same everywhere is computed once.
graph = tf.Graph()
with graph.as_default():
    affine = ds.bijectors.AffineScalar(1.0, 2.0)
    first = affine.inverse_log_det_jacobian(3.0, event_ndims=0)
    results["kept"] = [affine.inverse_log_det_jacobian(5.0, event_ndims=0) is first]
    softplus = ds.bijectors.Softplus()
    x = tf.constant([1.0, 2.0])
    y = softplus.forward(x)
    there = softplus.forward_log_det_jacobian(x, event_ndims=0)
    back = softplus.inverse_log_det_jacobian(y, event_ndims=0)
    results["kept"].append([op.name for op in graph.get_operations()][-12:])
    with tf.Session() as sess:
        results["logs"] = sess.run([first, there, back])
