"""Every distribution: all its methods, with shapes known and not, gradients, divergences, and what it refuses."""

import numpy as np
import tensorflow as tf

ds = tf.contrib.distributions
results = {}
R = np.random.RandomState(21)


def positive(*shape):
    return (np.abs(R.randn(*shape)) + 0.3).astype(np.float32)


def real(*shape):
    return R.randn(*shape).astype(np.float32)


def inside(*shape):
    return R.uniform(0.1, 0.9, shape).astype(np.float32)


def simplex(*shape):
    x = positive(*shape)
    return x / x.sum(-1, keepdims=True)


def tril(n):
    return (np.tril(R.rand(n, n)) + np.eye(n)).astype(np.float32)


# Name: class, parameters, values, parameters that are refused, values that are refused.
CASES = {
    "Bernoulli": (ds.Bernoulli, {"logits": real(2, 3)}, np.array([0, 1, 1]), {"probs": [1.5]}, [2]),
    "Bernoulli probs": (ds.Bernoulli, {"probs": inside(3), "dtype": tf.float32}, np.float32([[0], [1]]), None, None),
    "Beta": (
        ds.Beta,
        {"concentration1": positive(3), "concentration0": positive(2, 1)},
        inside(4, 2, 3),
        {"concentration1": [-1.0], "concentration0": [1.0]},
        [1.5],
    ),
    "BetaWithSoftplusConcentration": (
        ds.BetaWithSoftplusConcentration,
        {"concentration1": real(3), "concentration0": real(3)},
        inside(3),
        None,
        None,
    ),
    "Binomial": (
        ds.Binomial,
        {"total_count": np.float32([5, 7, 3]), "probs": inside(3)},
        np.float32([[2, 7, 0]]),
        None,
        [9.0],
    ),
    "Categorical": (ds.Categorical, {"logits": real(2, 4)}, np.array([[0, 3], [1, 2]]), None, [1.5]),
    "Cauchy": (ds.Cauchy, {"loc": real(3), "scale": positive(3)}, real(2, 3), {"loc": 0.0, "scale": -1.0}, None),
    "Chi2": (ds.Chi2, {"df": positive(3)}, positive(2, 3), {"df": [-1.0]}, [-1.0]),
    "Chi2WithAbsDf": (ds.Chi2WithAbsDf, {"df": real(3) * 5}, positive(2, 3), None, None),
    "Deterministic": (ds.Deterministic, {"loc": real(3), "atol": 0.5}, real(2, 3), {"loc": 0.0, "atol": -1.0}, None),
    "Dirichlet": (
        ds.Dirichlet,
        {"concentration": positive(2, 3)},
        simplex(4, 2, 3),
        {"concentration": [-1.0, 1.0]},
        [0.9, 0.9],
    ),
    "DirichletMultinomial": (
        ds.DirichletMultinomial,
        {"total_count": np.float32([4, 6]), "concentration": positive(2, 3)},
        np.float32([[1, 2, 1], [0, 6, 0]]),
        {"total_count": 1.5, "concentration": [1.0, 1.0]},
        [3.0, 3.0],
    ),
    "ExpRelaxedOneHotCategorical": (
        ds.ExpRelaxedOneHotCategorical,
        {"temperature": 0.7, "logits": real(2, 3)},
        np.log(simplex(2, 3)),
        {"temperature": -1.0, "logits": [0.0, 1.0]},
        None,
    ),
    "Exponential": (ds.Exponential, {"rate": positive(3)}, positive(2, 3), {"rate": [-1.0]}, [-1.0]),
    "ExponentialWithSoftplusRate": (ds.ExponentialWithSoftplusRate, {"rate": real(3)}, positive(3), None, None),
    "Gamma": (
        ds.Gamma,
        {"concentration": positive(3) * 2, "rate": positive(2, 1)},
        positive(4, 2, 3),
        {"concentration": [-1.0], "rate": [1.0]},
        [-1.0],
    ),
    "GammaWithSoftplusConcentrationRate": (
        ds.GammaWithSoftplusConcentrationRate,
        {"concentration": real(3), "rate": real(3)},
        positive(3),
        None,
        None,
    ),
    "Geometric": (ds.Geometric, {"probs": inside(3)}, np.float32([[0, 3, 1]]), {"probs": [1.5]}, [-1.0]),
    "HalfNormal": (ds.HalfNormal, {"scale": positive(3)}, positive(2, 3), {"scale": [-1.0]}, None),
    "InverseGamma": (
        ds.InverseGamma,
        {"concentration": positive(3) * 4, "rate": positive(3)},
        positive(2, 3),
        {"concentration": [-1.0], "rate": [1.0]},
        [-1.0],
    ),
    "InverseGammaWithSoftplusConcentrationRate": (
        ds.InverseGammaWithSoftplusConcentrationRate,
        {"concentration": real(3), "rate": real(3)},
        positive(3),
        None,
        None,
    ),
    "Kumaraswamy": (
        ds.Kumaraswamy,
        {"concentration1": positive(3), "concentration0": positive(3)},
        inside(2, 3),
        None,
        None,
    ),
    "Laplace": (ds.Laplace, {"loc": real(3), "scale": positive(3)}, real(2, 3), {"loc": 0.0, "scale": -1.0}, None),
    "LaplaceWithSoftplusScale": (
        ds.LaplaceWithSoftplusScale,
        {"loc": real(3), "scale": real(3)},
        real(2, 3),
        None,
        None,
    ),
    "Logistic": (ds.Logistic, {"loc": real(3), "scale": positive(3)}, real(2, 3), {"loc": 0.0, "scale": -1.0}, None),
    "Multinomial": (
        ds.Multinomial,
        {"total_count": np.float32([4, 6]), "logits": real(2, 3)},
        np.float32([[1, 2, 1], [0, 6, 0]]),
        {"total_count": -1.0, "logits": [1.0, 1.0]},
        [3.0, 3.0],
    ),
    "MultivariateNormalDiag": (
        ds.MultivariateNormalDiag,
        {"loc": real(2, 3), "scale_diag": positive(3)},
        real(4, 2, 3),
        None,
        None,
    ),
    "MultivariateNormalDiag multiplier": (
        ds.MultivariateNormalDiag,
        {"loc": real(3), "scale_identity_multiplier": 1.5},
        real(4, 3),
        None,
        None,
    ),
    "MultivariateNormalDiagPlusLowRank": (
        ds.MultivariateNormalDiagPlusLowRank,
        {
            "loc": real(3),
            "scale_diag": positive(3),
            "scale_perturb_factor": real(3, 2),
            "scale_perturb_diag": positive(2),
        },
        real(4, 3),
        None,
        None,
    ),
    "MultivariateNormalDiagWithSoftplusScale": (
        ds.MultivariateNormalDiagWithSoftplusScale,
        {"loc": real(3), "scale_diag": real(3)},
        real(4, 3),
        None,
        None,
    ),
    "MultivariateNormalFullCovariance": (
        ds.MultivariateNormalFullCovariance,
        {"loc": real(3), "covariance_matrix": np.dot(tril(3), tril(3).T) * 0 + np.diag(positive(3)) + 0.1},
        real(4, 3),
        None,
        None,
    ),
    "MultivariateNormalTriL": (
        ds.MultivariateNormalTriL,
        {"loc": real(3), "scale_tril": tril(3)},
        real(4, 3),
        None,
        None,
    ),
    "NegativeBinomial": (
        ds.NegativeBinomial,
        {"total_count": positive(3) * 3, "logits": real(3)},
        np.float32([[2, 7, 0]]),
        {"total_count": [-1.0], "logits": [0.5]},
        [-1.0],
    ),
    "Normal": (ds.Normal, {"loc": real(3), "scale": positive(2, 1)}, real(2, 3), {"loc": 0.0, "scale": -1.0}, None),
    "NormalWithSoftplusScale": (ds.NormalWithSoftplusScale, {"loc": real(3), "scale": real(3)}, real(2, 3), None, None),
    "OneHotCategorical": (
        ds.OneHotCategorical,
        {"logits": real(2, 3)},
        np.eye(3, dtype=np.int32)[[0, 2]],
        None,
        [1, 1, 0],
    ),
    "Poisson": (ds.Poisson, {"rate": positive(3) * 3}, np.float32([[2, 7, 0]]), {"rate": [-1.0]}, [-1.0]),
    "Poisson log": (ds.Poisson, {"log_rate": real(3)}, np.float32([[2, 7, 0]]), None, [1.5]),
    "RelaxedBernoulli": (
        ds.RelaxedBernoulli,
        {"temperature": 0.5, "logits": real(3)},
        inside(2, 3),
        {"temperature": -1.0, "logits": [0.0]},
        None,
    ),
    "RelaxedOneHotCategorical": (
        ds.RelaxedOneHotCategorical,
        {"temperature": 0.5, "probs": simplex(2, 3)},
        simplex(2, 3),
        None,
        None,
    ),
    "SinhArcsinh": (
        ds.SinhArcsinh,
        {"loc": real(3), "scale": positive(3), "skewness": 0.3, "tailweight": 1.2},
        real(2, 3),
        None,
        None,
    ),
    "StudentT": (
        ds.StudentT,
        {"df": np.float32([0.7, 1.5, 5.0]), "loc": real(3), "scale": positive(3)},
        real(2, 3),
        {"df": -1.0, "loc": 0.0, "scale": 1.0},
        None,
    ),
    "StudentTWithAbsDfSoftplusScale": (
        ds.StudentTWithAbsDfSoftplusScale,
        {"df": np.float32([3.5, -5.0]), "loc": real(2), "scale": real(2)},
        real(3, 2),
        None,
        None,
    ),
    "Uniform": (
        ds.Uniform,
        {"low": np.float32([0, -1]), "high": np.float32([1, 3])},
        np.float32([[0.5, 5.0], [-1.0, 0.0]]),
        {"low": 1.0, "high": 0.0},
        None,
    ),
    "VectorDeterministic": (ds.VectorDeterministic, {"loc": real(2, 3)}, real(2, 3), None, None),
    "VectorExponentialDiag": (
        ds.VectorExponentialDiag,
        {"loc": np.zeros(3, np.float32), "scale_diag": positive(3)},
        positive(4, 3),
        None,
        None,
    ),
    "VectorLaplaceDiag": (ds.VectorLaplaceDiag, {"loc": real(3), "scale_diag": positive(3)}, real(4, 3), None, None),
    "VectorSinhArcsinhDiag": (
        ds.VectorSinhArcsinhDiag,
        {"loc": real(3), "scale_diag": positive(3), "tailweight": 1.3},
        real(4, 3),
        None,
        None,
    ),
    "WishartCholesky": (
        ds.WishartCholesky,
        {"df": 5.0, "scale": tril(2)},
        np.float32([[2.0, 0.3], [0.3, 1.5]]),
        {"df": 1.0, "scale": tril(3)},
        None,
    ),
    "WishartFull": (
        ds.WishartFull,
        {"df": 4.0, "scale": np.float32([[2.0, 0.3], [0.3, 1.5]])},
        np.float32([[2.0, 0.3], [0.3, 1.5]]),
        None,
        None,
    ),
    "QuantizedDistribution": (
        lambda **k: ds.QuantizedDistribution(ds.Normal(k.pop("loc"), k.pop("scale")), low=-2.0, high=3.0, **k),
        {"loc": real(3), "scale": positive(3)},
        np.float32([[-2, 0, 3]]),
        None,
        None,
    ),
    "Independent": (
        lambda **k: ds.Independent(ds.Normal(k["loc"], k["scale"]), 1),
        {"loc": real(2, 3), "scale": positive(3)},
        real(2, 3),
        None,
        None,
    ),
    "Mixture": (
        lambda **k: ds.Mixture(
            ds.Categorical(logits=k["logits"]), [ds.Normal(k["loc"], 1.0), ds.Laplace(k["loc"] + 2.0, 0.5)]
        ),
        {"logits": real(3, 2), "loc": real(3)},
        real(4, 3),
        None,
        None,
    ),
    "MixtureSameFamily": (
        lambda **k: ds.MixtureSameFamily(ds.Categorical(logits=k["logits"]), ds.Normal(k["loc"], 1.0)),
        {"logits": real(2), "loc": real(3, 2)},
        real(4, 3),
        None,
        None,
    ),
    "TransformedDistribution": (
        lambda **k: ds.TransformedDistribution(ds.Normal(k["loc"], 1.0), ds.bijectors.Exp()),
        {"loc": real(3)},
        positive(4, 3),
        None,
        None,
    ),
}
VALUED = ["log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival_function"]
STATISTICS = [
    "mean",
    "variance",
    "stddev",
    "mode",
    "entropy",
    "covariance",
    "batch_shape_tensor",
    "event_shape_tensor",
    "is_scalar_event",
    "is_scalar_batch",
]


def attempt(sess, function, *arguments, **feeding):
    """What a function's tensor is, or the error's name."""
    try:
        return sess.run(function(*arguments), **feeding)
    except (AttributeError, NotImplementedError, TypeError, ValueError, tf.errors.OpError) as error:
        return type(error).__name__


def rounded(value):
    # What lies far out is all rounding.
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.array(["%.3g" % x if abs(x) > 1e-4 or x != x else "0" for x in value.ravel()]).tolist()
    return value


def examine(name, make, parameters, values, bad, bad_values):
    with tf.Graph().as_default(), tf.Session() as sess:
        tensors = {
            key: value if isinstance(value, tf.DType) else tf.constant(value, name="given")
            for key, value in parameters.items()
        }
        made = make(**tensors)
        kept = [t for t in tensors.values() if isinstance(t, tf.Tensor) and t.dtype.is_floating]
        found = {
            "about": [
                made.name,
                made.dtype.name,
                str(made.batch_shape),
                str(made.event_shape),
                str(made.reparameterization_type),
            ],
            "parameters": sorted(key for key in made.parameters if key not in ("self", "__class__", "is_vector")),
        }
        # TensorFlow hands the parameters of points on wrongly.
        try:
            found["copy"] = "" if "Deterministic" in name else made.copy(name="other").name
        except TypeError as error:
            found["copy"] = type(error).__name__
        for method in VALUED:
            found[method] = rounded(attempt(sess, getattr(made, method), values))
        for method in STATISTICS:
            found[method] = rounded(attempt(sess, getattr(made, method)))
        found["quantile"] = rounded(attempt(sess, lambda: made.quantile(np.float32([0.3]))))
        found["gradient"] = [
            rounded(attempt(sess, tf.convert_to_tensor, g)) if g is not None else None
            for g in tf.gradients(tf.reduce_sum(made.log_prob(values)), kept)
        ]
        try:
            sample = made.sample([4, 2], seed=5)
            drawn = sess.run(sample)
            found["sample"] = [
                "" if "Wishart" in name else sample.name,
                str(sample.shape),
                drawn.dtype.name,
                str(drawn.shape),
                bool(np.isfinite(drawn).all()),
            ]
            # Which of its parameters a sample moves with.
            moved = tf.gradients(sample, kept) if sample.dtype.is_floating else []
            found["reparameterized"] = [g is not None for g in moved]
        except (LookupError, NotImplementedError, TypeError, ValueError) as error:
            found["sample"] = type(error).__name__
        if bad is not None:
            found["refused"] = attempt(sess, lambda: make(validate_args=True, **bad).mean())
            found["refused mode"] = attempt(
                sess, lambda: make(validate_args=True, allow_nan_stats=False, **bad).sample(3, seed=1)
            )
        if bad_values is not None:
            strict = make(validate_args=True, **parameters)
            found["refused value"] = attempt(sess, lambda: strict.log_prob(bad_values))
        if not hasattr(make, "__code__"):
            found["strict"] = attempt(sess, lambda: tf.shape(make(allow_nan_stats=False, **tensors).mean()))
            found["strict variance"] = attempt(
                sess, lambda: tf.shape(make(allow_nan_stats=False, **tensors).variance())
            )
        results[name] = found

    # Shapes that are not known.
    with tf.Graph().as_default(), tf.Session() as sess:
        numbers = {key: np.asarray(value) for key, value in parameters.items() if not isinstance(value, tf.DType)}
        others = {key: value for key, value in parameters.items() if isinstance(value, tf.DType)}
        given = {key: tf.placeholder(value.dtype, name=key) for key, value in numbers.items()}
        feed = {given[key]: value for key, value in numbers.items()}
        if name in (
            "Independent",
            "Mixture",
            "MixtureSameFamily",
            "MultivariateNormalDiagPlusLowRank",
            "MultivariateNormalDiag multiplier",
            "VectorDeterministic",
        ):
            return
        try:
            made = make(**dict(given, **others))
        except (NotImplementedError, TypeError, ValueError) as error:
            results[name]["unknown"] = type(error).__name__
            return
        results[name]["unknown"] = (
            [str(made.batch_shape), str(made.event_shape)]
            + [
                rounded(attempt(sess, getattr(made, method), *arguments, feed_dict=feed))
                for method, arguments in (
                    ("batch_shape_tensor", ()),
                    ("event_shape_tensor", ()),
                    ("log_prob", (values,)),
                    ("mean", ()),
                )
            ]
            + [attempt(sess, lambda: tf.shape(made.sample([3, 2], seed=2)), feed_dict=feed)]
        )


for name, case in sorted(CASES.items()):
    examine(name, *case)
