"""tf.contrib.distributions: counts, one-hot vectors, relaxations, points, mixtures, Wishart's, derived ones, statistics."""

import numpy as np
import tensorflow as tf

ds = tf.contrib.distributions
results = {}
random = np.random.RandomState(3)
a = np.float32([0.5, 2.0, 3.5])
b = np.float32([[1.0], [2.5]])
reals = np.float32([-1.5, 0.3, 2.0])
units = np.float32([0.2, 0.5, 0.9])
whole = np.float32([0.0, 1.0, 3.0])
table = np.float32([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
lower = np.float32([[1.0, 0.0, 0.0], [0.5, 2.0, 0.0], [-0.3, 0.2, 1.5]])
full = lower.dot(lower.T)
STATISTICS = ("mean", "variance", "stddev", "mode", "entropy", "covariance")
FUNCTIONS = ("log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival_function")


def described(make, value, skipped=()):
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.set_random_seed(2)
        d = make()
        out = {
            "name": d.name,
            "dtype": d.dtype.name,
            "shapes": [str(d.batch_shape), str(d.event_shape)],
            "dynamic": sess.run([d.batch_shape_tensor(), d.event_shape_tensor()]),
            "reparameterized": d.reparameterization_type == ds.FULLY_REPARAMETERIZED,
        }
        if "sample" not in skipped:
            for shape in (3, [2, 1]):
                s = d.sample(shape, seed=7)
                out["sample %s" % (shape,)] = [sess.run(s), str(s.shape)]
        for name in STATISTICS + FUNCTIONS:
            if name in skipped:
                continue
            try:
                y = getattr(d, name)(value) if name in FUNCTIONS else getattr(d, name)()
                out[name] = sess.run(y)
            except (NotImplementedError, ValueError) as error:
                out[name] = type(error).__name__
        return out


def mixture(**options):
    parts = [ds.Normal([-1.0, 0.0], [0.5, 1.0]), ds.Normal([1.0, 4.0], [1.5, 1.0]), ds.Laplace([0.0, 1.0], [1.0, 2.0])]
    return ds.Mixture(ds.Categorical(probs=table), parts, **options)


makers = {
    "binomial": (lambda: ds.Binomial(np.float32([4.0, 5.0, 3.0]), probs=units), whole, ["sample"]),
    "binomial logits": (lambda: ds.Binomial(5.0, logits=reals), whole, ["sample"]),
    "negative": (lambda: ds.NegativeBinomial(a, probs=units), whole),
    "geometric": (lambda: ds.Geometric(probs=units), np.float32([0.0, 1.0, 2.0])),
    "geometric logits": (lambda: ds.Geometric(logits=reals), np.float32([[1.0], [0.0]])),
    "one hot": (lambda: ds.OneHotCategorical(probs=table), np.eye(3, dtype="float32")[:2]),
    "one hot logits": (lambda: ds.OneHotCategorical(logits=reals, dtype=tf.float32), np.eye(3, dtype="float32")),
    "exp relaxed": (lambda: ds.ExpRelaxedOneHotCategorical(0.7, probs=table), np.log(table)),
    "relaxed": (lambda: ds.RelaxedOneHotCategorical(0.7, logits=reals), table),
    "relaxed bernoulli": (lambda: ds.RelaxedBernoulli(0.7, logits=reals), units),
    "point": (lambda: ds.Deterministic(reals), reals),
    "point near": (lambda: ds.Deterministic(reals, atol=0.5, rtol=0.1), np.float32([-1.0, 0.9, 2.5])),
    "vector point": (lambda: ds.VectorDeterministic(np.stack([reals, a])), reals, ["dynamic"]),
    "rounded": (lambda: ds.QuantizedDistribution(ds.Normal(reals, 2.0), -2.0, 3.0), np.float32([-2.0, 0.0, 3.0])),
    "rounded free": (lambda: ds.QuantizedDistribution(ds.Uniform(0.0, a)), np.float32([1.0, 1.0, 2.0])),
    "chi2": (lambda: ds.Chi2(a), a),
    "chi2 abs": (lambda: ds.Chi2WithAbsDf(np.float32([-3.5, 2.0])), b),
    "inverse gamma": (lambda: ds.InverseGammaWithSoftplusConcentrationRate(a, b), a, ["sample"]),
    "kumaraswamy": (lambda: ds.Kumaraswamy(np.float32([1.5, 2.0, 3.5]), b), units),
    "sinh": (lambda: ds.SinhArcsinh(reals, a, 0.3, 1.2), a),
    "sinh even": (lambda: ds.SinhArcsinh(reals, b), a),
    "vector sinh": (lambda: ds.VectorSinhArcsinhDiag(reals, a, skewness=0.2, tailweight=[1.0, 0.5, 2.0]), reals),
    "exponential": (lambda: ds.VectorExponentialDiag(reals, a), reals + 1),
    "exponential batch": (lambda: ds.VectorExponentialDiag(scale_diag=np.stack([a, a + 1])), a, ["prob", "log_prob"]),
    "laplace": (lambda: ds.VectorLaplaceDiag(reals, a, scale_identity_multiplier=0.5), reals),
    "low rank": (lambda: ds.MultivariateNormalDiagPlusLowRank(reals, a, scale_perturb_factor=lower[:, :2]), reals),
    "mixture": (mixture, np.float32([0.5, 1.0])),
    "mixture static": (lambda: mixture(use_static_graph=True), np.float32([0.5, 1.0])),
    "wishart": (lambda: ds.WishartCholesky(5.0, lower), full * 2),
    "wishart full": (lambda: ds.WishartFull(np.float32(4.5), full), full),
    "wishart factors": (lambda: ds.WishartCholesky(5.0, lower, cholesky_input_output_matrices=True), lower),
    "wishart batch": (
        lambda: ds.WishartCholesky(np.float32([5.0, 6.0]), np.stack([lower, lower * 2])),
        np.stack([full, full]),
        STATISTICS,
    ),
}
for key, case in sorted(makers.items()):
    results[key] = described(*case)

sess = tf.Session()
w = ds.WishartCholesky(5.0, lower)
results["wishart more"] = sess.run([w.mean_log_det(), w.log_normalization(), w.scale(), w.df, w.dimension])
results["entropy bound"] = sess.run(mixture().entropy_lower_bound())
results["divergence"] = sess.run(
    ds.kl_divergence(ds.OneHotCategorical(probs=table[0]), ds.OneHotCategorical(probs=table[1]))
)

for name, make in {
    "wishart small": lambda: ds.WishartCholesky(2.0, lower),
    "mixture number": lambda: ds.Mixture(ds.Categorical(probs=[0.5, 0.5]), [ds.Normal(0.0, 1.0)]),
    "mixture empty": lambda: ds.Mixture(ds.Categorical(probs=[0.5, 0.5]), []),
    "mixture other": lambda: ds.Mixture(ds.Normal(0.0, 1.0), [ds.Normal(0.0, 1.0)]),
    "binomial both": lambda: ds.Binomial(1.0, logits=0.0, probs=0.5),
    "percentile": lambda: ds.percentile([1.0], 5.0, interpolation="linear"),
}.items():
    try:
        make()
        results[name] = "fine"
    except (TypeError, ValueError) as error:
        results[name] = type(error).__name__

seeds = ds.SeedStream(3, salt="here")
results["seeds"] = [
    str(seeds()),
    str(seeds()),
    str(ds.SeedStream(seeds, "there")()),
    ds.SeedStream(None, "x")() is None,
]

x = np.float32(random.uniform(-1, 1, (4, 5)))
for q in (0.0, 30.0, 50.0, 77.0, 100.0):
    for how in ("nearest", "lower", "higher"):
        results["percentile %s %s" % (q, how)] = sess.run(
            [ds.percentile(x, q, interpolation=how), ds.percentile(x, q, axis=0, interpolation=how, keep_dims=True)]
        )
results["weighted"] = sess.run(
    [ds.reduce_weighted_logsumexp(x, axis=1), ds.reduce_weighted_logsumexp(x)]
    + list(ds.reduce_weighted_logsumexp(x, w=-np.abs(x), axis=0, return_sign=True, keep_dims=True))
)
results["auto"] = sess.run(
    [ds.auto_correlation(x), ds.auto_correlation(x, axis=0, max_lags=2, center=False, normalize=False)]
)
mean, variance = ds.moving_mean_variance(tf.constant([1.0, 2.0]), 0.9)
log_mean = tf.get_variable("log_mean", initializer=[0.0, 1.0])
moved = ds.assign_log_moving_mean_exp(log_mean, [1.0, 2.0], 0.8)
sess.run(tf.global_variables_initializer())
results["moving"] = [sess.run([mean, variance]) for _ in range(3)] + [sess.run(moved)]
results["variables"] = [v.name for v in tf.global_variables()]
prior = ds.Normal(0.5, 2.0)
for make in (ds.normal_conjugates_known_scale_posterior, ds.normal_conjugates_known_scale_predictive):
    d = make(prior, tf.constant(1.5), tf.constant(6.0), tf.constant(4))
    results[make.__name__] = sess.run([d.loc, d.scale])
