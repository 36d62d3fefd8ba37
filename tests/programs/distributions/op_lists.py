"""The ops that distributions and bijectors make, by name and type: seeds of ops without one of their own depend on them."""

import hashlib

import numpy as np
import tensorflow as tf

tfd = tf.contrib.distributions
tfb = tfd.bijectors
results = {}


def told(name, build):
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(11)
        try:
            build()
        except NotImplementedError:
            results[name] = "not implemented"
            return
        ops = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
    results[name] = [len(ops), hashlib.md5("\n".join(ops).encode()).hexdigest()[:12]]


PAIR = [0.4, 1.2]
LOWER = [[2.0, 0.0], [0.5, 1.5]]
DISTRIBUTIONS = {
    "normal": (lambda check: tf.distributions.Normal([0.0, 2.0], PAIR, validate_args=check), PAIR),
    "laplace": (lambda check: tf.distributions.Laplace([0.0, 2.0], PAIR, validate_args=check), PAIR),
    "student": (lambda check: tf.distributions.StudentT(4.0, [0.0, 2.0], PAIR, validate_args=check), PAIR),
    "uniform": (lambda check: tf.distributions.Uniform([0.0, 1.0], [1.0, 3.0], validate_args=check), PAIR),
    "gamma": (lambda check: tf.distributions.Gamma([1.5, 2.0], PAIR, validate_args=check), PAIR),
    "exponential": (lambda check: tf.distributions.Exponential(PAIR, validate_args=check), PAIR),
    "beta": (lambda check: tf.distributions.Beta([1.5, 2.0], 3.0, validate_args=check), [0.2, 0.7]),
    "dirichlet": (lambda check: tf.distributions.Dirichlet([2.0, 3.0, 1.5], validate_args=check), [0.2, 0.5, 0.3]),
    "bernoulli": (lambda check: tf.distributions.Bernoulli(probs=[0.2, 0.9], validate_args=check), [0, 1]),
    "categorical": (lambda check: tf.distributions.Categorical(probs=[0.2, 0.8], validate_args=check), 1),
    "multinomial": (lambda check: tf.distributions.Multinomial(3.0, logits=PAIR, validate_args=check), [1.0, 2.0]),
    "dirichlet_multinomial": (
        lambda check: tf.distributions.DirichletMultinomial(3.0, [2.0, 1.5], validate_args=check),
        [1.0, 2.0],
    ),
    "binomial": (lambda check: tfd.Binomial(3.0, logits=PAIR, validate_args=check), [1.0, 2.0]),
    "geometric": (lambda check: tfd.Geometric(logits=PAIR, validate_args=check), [1.0, 2.0]),
    "negative_binomial": (lambda check: tfd.NegativeBinomial(3.0, logits=PAIR, validate_args=check), [1.0, 2.0]),
    "poisson": (lambda check: tfd.Poisson(PAIR, validate_args=check), [1.0, 2.0]),
    "cauchy": (lambda check: tfd.Cauchy(PAIR, 2.0, validate_args=check), PAIR),
    "half_normal": (lambda check: tfd.HalfNormal(PAIR, validate_args=check), PAIR),
    "inverse_gamma": (lambda check: tfd.InverseGamma([2.5, 3.0], 2.0, validate_args=check), PAIR),
    "kumaraswamy": (lambda check: tfd.Kumaraswamy([1.5, 2.0], 2.0, validate_args=check), [0.3, 0.6]),
    "chi2": (lambda check: tfd.Chi2([2.0, 3.0], validate_args=check), PAIR),
    "mvn_diag": (lambda check: tfd.MultivariateNormalDiag(PAIR, [1.0, 2.0], validate_args=check), PAIR),
    "mvn_identity": (
        lambda check: tfd.MultivariateNormalDiag(PAIR, scale_identity_multiplier=2.0, validate_args=check),
        PAIR,
    ),
    "mvn_tril": (lambda check: tfd.MultivariateNormalTriL(PAIR, LOWER, validate_args=check), PAIR),
    "mvn_low_rank": (
        lambda check: tfd.MultivariateNormalDiagPlusLowRank(
            PAIR, [1.0, 2.0], scale_perturb_factor=[[0.5], [1.0]], scale_perturb_diag=[2.0], validate_args=check
        ),
        PAIR,
    ),
    "wishart": (lambda check: tfd.WishartCholesky(4.0, LOWER, validate_args=check), [[2.0, 0.5], [0.5, 1.0]]),
    "sinh_arcsinh": (lambda check: tfd.SinhArcsinh(PAIR, 2.0, 0.3, 1.1, validate_args=check), PAIR),
    "vector_laplace": (lambda check: tfd.VectorLaplaceDiag(PAIR, [1.0, 2.0], validate_args=check), PAIR),
}
for title, (make, value) in DISTRIBUTIONS.items():
    told(title + " checked", lambda: make(True))
    told(title + " sample", lambda: make(False).sample(3))
    told(title + " log_prob", lambda: make(False).log_prob(np.float32(value)))
    told(title + " checked log_prob", lambda: make(True).log_prob(np.float32(value)))
    for method in ("mean", "stddev", "mode", "entropy", "variance"):
        told("%s %s" % (title, method), lambda: getattr(make(False), method)())
    for method in ("cdf", "log_survival_function"):
        told("%s %s" % (title, method), lambda: getattr(make(False), method)(np.float32(value)))
told("quantile", lambda: tf.distributions.Normal(0.0, 1.0).quantile(0.3))

BIJECTORS = {
    "affine": (lambda: tfb.Affine(PAIR, scale_tril=LOWER, scale_diag=PAIR, validate_args=True), 1),
    "affine_low_rank": (lambda: tfb.Affine(scale_diag=PAIR, scale_perturb_factor=[[1.0], [2.0]]), 1),
    "affine_scalar": (lambda: tfb.AffineScalar(1.0, 2.0, validate_args=True), 0),
    "power": (lambda: tfb.PowerTransform(0.5, validate_args=True), 0),
    "softplus": (lambda: tfb.Softplus(hinge_softness=2.0, validate_args=True), 0),
    "softsign": (lambda: tfb.Softsign(validate_args=True), 0),
    "square": (lambda: tfb.Square(validate_args=True), 0),
    "gumbel": (lambda: tfb.Gumbel(0.3, 2.0, validate_args=True), 0),
    "kumaraswamy": (lambda: tfb.Kumaraswamy(2.0, 3.0, validate_args=True), 0),
    "invert": (lambda: tfb.Invert(tfb.Exp()), 0),
    "permute": (lambda: tfb.Permute([1, 0]), 1),
    "chain": (lambda: tfb.Chain([tfb.Exp(), tfb.AffineScalar(1.0, 2.0), tfb.Softplus()]), 0),
}
INSIDE = np.float32([0.3, 0.6])
for title, (make, event_ndims) in BIJECTORS.items():
    told(title + " forward", lambda: make().forward(INSIDE))
    told(title + " inverse", lambda: make().inverse(INSIDE))
    told(title + " forward log", lambda: make().forward_log_det_jacobian(INSIDE, event_ndims))
    told(title + " inverse log", lambda: make().inverse_log_det_jacobian(INSIDE, event_ndims))
for title, matrix in (("single", np.float32), ("double", np.float64), ("complex", np.complex64)):
    told("expm " + title, lambda: tf.linalg.expm(matrix([[0.1, 2.0], [0.0, 0.3]])))
told("fill_triangular", lambda: tfd.fill_triangular([[1.0, 2.0, 3.0]], upper=True))
told("fill_triangular_inverse", lambda: tfd.fill_triangular_inverse(LOWER))
told("tridiag", lambda: tfd.tridiag([1.0], PAIR, [2.0]))
told("weighted logsumexp", lambda: tfd.reduce_weighted_logsumexp(tf.constant(PAIR), [1.0, -2.0], axis=0))
