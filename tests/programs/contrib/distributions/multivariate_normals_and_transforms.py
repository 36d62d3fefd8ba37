"""tf.contrib.distributions: multivariate normals, transforms, mixtures, bijectors, more distributions of numbers."""

import numpy as np
import tensorflow as tf

ds = tf.contrib.distributions
bs = ds.bijectors
results = {}
random = np.random.RandomState(3)
a = np.float32([0.5, 2.0, 3.5])
b = np.float32([[1.0], [2.5]])
reals = np.float32([-1.5, 0.3, 2.0])
lower = np.float32([[1.0, 0.0, 0.0], [0.5, 2.0, 0.0], [-0.3, 0.2, 1.5]])
STATISTICS = ("mean", "variance", "stddev", "mode", "entropy", "covariance")
FUNCTIONS = ("log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival_function")


def described(make, value, sampled=True):
    with tf.Graph().as_default():
        tf.set_random_seed(2)
        sess = tf.Session()
        d = make()
        out = {
            "name": d.name,
            "dtype": d.dtype.name,
            "shapes": [str(d.batch_shape), str(d.event_shape)],
            "dynamic": sess.run([d.batch_shape_tensor(), d.event_shape_tensor()]),
            "reparameterized": d.reparameterization_type == ds.FULLY_REPARAMETERIZED,
        }
        if sampled:
            for shape in (3, [2, 1]):
                s = d.sample(shape, seed=7)
                out["sample %s" % (shape,)] = [sess.run(s), str(s.shape)]
        for name in STATISTICS + FUNCTIONS:
            try:
                y = getattr(d, name)(value) if name in FUNCTIONS else getattr(d, name)()
                out[name] = sess.run(y)
            except NotImplementedError as error:
                out[name] = type(error).__name__
        return out


makers = {
    "diag": (lambda: ds.MultivariateNormalDiag(reals, a), reals),
    "diag batch": (lambda: ds.MultivariateNormalDiag(np.stack([reals, a]), [[1.0, 2.0, 3.0]] * 2), reals),
    "identity": (lambda: ds.MultivariateNormalDiag(reals), reals),
    "multiplier": (lambda: ds.MultivariateNormalDiag(reals, scale_identity_multiplier=2.0), reals),
    "softplus": (lambda: ds.MultivariateNormalDiagWithSoftplusScale(reals, reals), reals),
    "tril": (lambda: ds.MultivariateNormalTriL(reals, lower), reals),
    "full": (lambda: ds.MultivariateNormalFullCovariance(reals, lower.dot(lower.T)), reals),
    "log normal": (lambda: ds.TransformedDistribution(ds.Normal(reals, 1.0), bs.Exp()), a),
    "affine": (lambda: ds.TransformedDistribution(ds.Normal(0.0, 1.0), bs.AffineScalar(1.0, 3.0)), a),
    "event": (
        lambda: ds.TransformedDistribution(ds.Normal(0.0, 1.0), bs.Affine(reals, scale_tril=lower), event_shape=[3]),
        a,
    ),
    "independent": (lambda: ds.Independent(ds.Normal(np.stack([reals, a]), 2.0)), reals),
    "independent 2": (lambda: ds.Independent(ds.Normal(np.stack([reals, a]), 2.0), 2), np.stack([reals, a])),
    "cauchy": (lambda: ds.Cauchy(reals, b), reals),
    "logistic": (lambda: ds.Logistic(reals, b), reals),
    "half normal": (lambda: ds.HalfNormal(a), a),
    "inverse gamma": (lambda: ds.InverseGamma(a + 2, b), a),
    "poisson": (lambda: ds.Poisson(a), np.float32([0.0, 1.0, 4.0])),
}
results["described"] = {key: described(*makers[key]) for key in sorted(makers)}
results["mixture"] = described(
    lambda: ds.MixtureSameFamily(ds.Categorical(probs=[0.3, 0.7]), ds.Normal([-1.0, 1.0], [0.1, 0.5])), reals, False
)
results["mixture of vectors"] = described(
    lambda: ds.MixtureSameFamily(
        ds.Categorical(probs=[0.3, 0.7]), ds.MultivariateNormalDiag(np.stack([reals, a]), np.stack([a, a + 1]))
    ),
    reals,
    False,
)
results["mixture of vectors"].pop("covariance")

with tf.Graph().as_default():
    sess = tf.Session()
    bijectors = {
        "exp": (bs.Exp(), reals, 0),
        "softplus": (bs.Softplus(), reals, 0),
        "soft hinge": (bs.Softplus(hinge_softness=0.5), reals, 0),
        "sigmoid": (bs.Sigmoid(), reals, 0),
        "softsign": (bs.Softsign(), reals, 0),
        "square": (bs.Square(), a, 0),
        "power": (bs.PowerTransform(0.3), a, 0),
        "identity": (bs.Identity(), a, 0),
        "affine scalar": (bs.AffineScalar(1.5, -2.0), reals, 0),
        "affine diag": (bs.Affine(reals, scale_diag=a), reals, 1),
        "affine tril": (bs.Affine(reals, scale_tril=lower), reals, 1),
        "affine tril diag": (bs.Affine(reals, scale_tril=lower, scale_diag=a), reals, 1),
        "affine multiplier": (bs.Affine(reals, scale_identity_multiplier=3.0), reals, 1),
        "affine update": (bs.Affine(reals, scale_diag=a, scale_perturb_factor=lower[:, :2]), reals, 1),
        "chain": (bs.Chain([bs.Exp(), bs.AffineScalar(0.5, 2.0)]), reals, 0),
        "chain of vectors": (bs.Chain([bs.Softplus(), bs.Affine(scale_diag=a)]), reals, 1),
        "invert": (bs.Invert(bs.Exp()), a, 0),
        "permute": (bs.Permute([2, 0, 1]), reals, 1),
        "inline": (
            bs.Inline(tf.exp, tf.log, lambda y: -tf.log(y), forward_min_event_ndims=0, name="mine"),
            reals,
            0,
        ),
        "real nvp": (bs.RealNVP(1, lambda x, n: (x * [[1.0] * n], x * [[0.5] * n])), np.stack([reals, a]), 1),
    }
    done = {}
    for key, (bijector, x, rank) in sorted(bijectors.items()):
        x = tf.constant(x)
        y = bijector.forward(x)
        fresh = tf.identity(y)
        parts = [y, bijector.inverse(fresh)]
        for ndims in (rank, 1):
            parts.append(bijector.forward_log_det_jacobian(x, event_ndims=ndims))
            parts.append(bijector.inverse_log_det_jacobian(fresh, event_ndims=ndims))
        done[key] = [sess.run(parts), bijector.name, bijector.forward_min_event_ndims, bijector.is_constant_jacobian]
        done[key].append([str(bijector.forward_event_shape([3])), bijector.inverse(y) is x])
    results["bijectors"] = done
    p, q = ds.MultivariateNormalDiag(reals, a), ds.MultivariateNormalTriL(a, lower)
    results["divergences"] = sess.run(
        [
            ds.kl_divergence(p, q),
            ds.kl_divergence(q, p),
            ds.kl_divergence(p, ds.MultivariateNormalDiag(a, a[::-1])),
            ds.kl_divergence(ds.Independent(ds.Normal(reals, 1.0), 1), ds.Independent(ds.Normal(a, 2.0), 1)),
        ]
    )
    loc, scale = tf.constant(reals), tf.constant(a)
    d = ds.MultivariateNormalDiag(loc, scale)
    results["flow"] = sess.run(tf.gradients(tf.reduce_sum(d.sample(4, seed=2) ** 2) + d.log_prob(a), [loc, scale]))
