"""tf.distributions: samples under seeds, densities, statistics, divergences, gradients, shapes and names."""

import numpy as np
import tensorflow as tf

ds = tf.distributions
results = {}


def fails(make):
    with tf.Graph().as_default():
        try:
            tf.Session().run(make())
        except Exception as error:
            return type(error).__name__
    return None


a = np.float32([0.5, 2.0, 3.5])
b = np.float32([[1.0], [2.5]])
inside = np.float32([0.2, 0.5, 0.9])
reals = np.float32([-1.5, 0.3, 2.0])
counts = np.float32([[1.0, 3.0, 0.0], [2.0, 1.0, 1.0]])
simplex = np.float32([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
makers = {
    "Normal": (lambda: ds.Normal(reals, b), reals),
    "Laplace": (lambda: ds.Laplace(reals, b), reals),
    "StudentT": (lambda: ds.StudentT(a, reals, a + 1), reals),
    "Uniform": (lambda: ds.Uniform(-b, a), reals),
    "Gamma": (lambda: ds.Gamma(a, b), a),
    "Exponential": (lambda: ds.Exponential(a), inside),
    "Beta": (lambda: ds.Beta(a, a[::-1]), inside),
    "Dirichlet": (lambda: ds.Dirichlet([[0.5, 2.0, 3.0], [4.0, 1.5, 2.5]]), simplex),
    "Bernoulli": (lambda: ds.Bernoulli(logits=reals), np.int32([[1, 0, 1], [0, 0, 1]])),
    "Bernoulli probs": (lambda: ds.Bernoulli(probs=inside, dtype=tf.float32), np.float32([1, 0, 1])),
    "Categorical": (lambda: ds.Categorical(logits=[[0.1, 0.5, -1.0], [2.0, 0.0, 0.3]]), np.int32([[2, 0], [1, 1]])),
    "Categorical probs": (lambda: ds.Categorical(probs=inside / inside.sum()), np.int32([0, 1, 2, 2])),
    "Multinomial": (lambda: ds.Multinomial(4.0, logits=[[0.1, 0.5, -1.0], [2.0, 0.0, 0.3]]), counts),
    "DirichletMultinomial": (lambda: ds.DirichletMultinomial(4.0, [0.5, 2.0, 3.0]), counts),
}
STATISTICS = ("mean", "variance", "stddev", "mode", "entropy", "covariance")
FUNCTIONS = ("log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival_function")


def described(make, value):
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(2)
        sess = tf.Session()
        d = make()
        out = {
            "name": d.name,
            "str": str(d),
            "repr": repr(d),
            "dtype": d.dtype.name,
            "shapes": [str(d.batch_shape), str(d.event_shape)],
            "dynamic": sess.run([d.batch_shape_tensor(), d.event_shape_tensor()]),
            "scalar": sess.run([d.is_scalar_batch(), d.is_scalar_event()]),
            "reparameterized": d.reparameterization_type == ds.FULLY_REPARAMETERIZED,
            "parameters": sorted(d.parameters),
            "ops": [[o.name, o.type] for o in graph.get_operations()][:8],
        }
        for shape in ((), 3, [2, 1]):
            if d.name == "Multinomial/":
                continue  # The rows are drawn by loop steps that run at once, in no certain order.
            s = d.sample(shape, seed=7)
            out["sample %s" % (shape,)] = [sess.run(s), str(s.shape), s.name]
        for name in STATISTICS + FUNCTIONS:
            try:
                y = getattr(d, name)(value) if name in FUNCTIONS else getattr(d, name)()
                out[name] = [sess.run(y), str(y.shape), y.dtype.name]
                parents = [t for t in d._graph_parents if t.dtype.is_floating]
                if y.dtype.is_floating and name in ("log_prob", "entropy", "cdf", "log_cdf"):
                    slopes = tf.gradients(y, parents)
                    out[name + " slopes"] = [None if g is None else sess.run(g) for g in slopes]
            except (NotImplementedError, LookupError, ValueError) as error:
                out[name] = type(error).__name__
        return out


results["described"] = {name: described(*makers[name]) for name in sorted(makers)}

with tf.Graph().as_default():
    sess = tf.Session()
    loc, scale = tf.constant(reals), tf.constant(a)
    flows = {
        "Normal": (ds.Normal(loc, scale), [loc, scale]),
        "Laplace": (ds.Laplace(loc, scale), [loc, scale]),
        "Gamma": (ds.Gamma(scale, scale + 1.0), [scale]),
        "Beta": (ds.Beta(scale, scale + 1.0), [scale]),
        "StudentT": (ds.StudentT(scale + 3.0, loc, scale), [loc, scale]),
    }
    flow = {}
    for name, (d, xs) in sorted(flows.items()):
        flow[name] = sess.run(tf.gradients(d.sample(4, seed=3), xs))
    results["flow"] = flow
    far = np.float32([-40.0, -12.0, -3.0, 0.0, 4.0, 7.0])
    standard = ds.Normal(0.0, 1.0)
    results["tails"] = sess.run([standard.log_cdf(far), standard.log_survival_function(far), standard.cdf(far)])
    p = np.float64([0.0, 1e-20, 1e-5, 0.1, 0.5, 0.8, 0.99, 1.0])
    results["quantile"] = sess.run(ds.Normal(np.float64(1.0), np.float64(2.0)).quantile(p))

with tf.Graph().as_default():
    sess = tf.Session()
    pairs = {
        "normal": (ds.Normal(0.0, 1.0), ds.Normal(reals, a)),
        "gamma": (ds.Gamma(2.0, 1.0), ds.Gamma(a, b)),
        "exponential": (ds.Exponential(2.0), ds.Exponential(a)),
        "beta": (ds.Beta(2.0, 1.0), ds.Beta(a, b)),
        "dirichlet": (ds.Dirichlet([1.0, 2.0]), ds.Dirichlet([0.5, 0.7])),
        "bernoulli": (ds.Bernoulli(probs=0.3), ds.Bernoulli(logits=reals)),
        "categorical": (ds.Categorical(logits=[0.3, 1.0]), ds.Categorical(probs=[0.4, 0.6])),
    }
    divergences = {}
    for name, (p, q) in sorted(pairs.items()):
        y = ds.kl_divergence(p, q)
        divergences[name] = [sess.run(y), y.name, sess.run(p.kl_divergence(q)), sess.run(p.cross_entropy(q))]
    results["divergences"] = divergences

results["refused"] = [
    fails(lambda: ds.kl_divergence(ds.Normal(0.0, 1.0), ds.Gamma(1.0, 1.0))),
    fails(lambda: ds.Normal(0.0, [1.0, -1.0], validate_args=True).sample(2)),
    fails(lambda: ds.Normal(0, 1).mean()),
    fails(lambda: ds.Normal(0.0, tf.constant(1.0, tf.float64)).mean()),
    fails(lambda: ds.Bernoulli(logits=1.0, probs=0.2).mean()),
    fails(lambda: ds.Bernoulli().mean()),
    fails(lambda: ds.Bernoulli(probs=1.2, validate_args=True).mean()),
    fails(lambda: ds.Bernoulli(probs=0.2, validate_args=True).prob(3)),
    fails(lambda: ds.Uniform(2.0, 1.0, validate_args=True).mean()),
    fails(lambda: ds.Gamma(0.5, 1.0, allow_nan_stats=False).mode()),
    fails(lambda: ds.Beta(0.5, 1.0, allow_nan_stats=False).mode()),
    fails(lambda: ds.Beta(2.0, 1.0, validate_args=True).prob(1.5)),
    fails(lambda: ds.Categorical(logits=[1.0, 2.0]).log_prob("a")),
    fails(lambda: ds.Normal([0.0, 1.0], [1.0, 2.0, 3.0]).batch_shape_tensor()),
    fails(lambda: ds.StudentT(0.5, 0.0, 1.0, allow_nan_stats=False).mean()),
]

with tf.Graph().as_default():
    sess = tf.Session()
    fed = tf.placeholder(tf.float32)
    d = ds.Normal(fed, 1.0, name="fed")
    results["fed"] = [str(d.batch_shape), sess.run([d.sample(2, seed=1), d.log_prob(0.5)], {fed: [0.0, 1.0]}), d.name]
    d = ds.Categorical(logits=fed)
    results["fed classes"] = sess.run(
        [d.sample(3, seed=1), d.log_prob(1), d.entropy(), d.mode(), d.batch_shape_tensor()],
        {fed: [[0.0, 1.0], [0.3, 0.1]]},
    )
    d = ds.Multinomial(4.0, probs=[[0.2, 0.3, 0.5]])
    results["draws"] = [sess.run(d.sample(3, seed=5)), sess.run(d.sample([2, 1], seed=5))]
    copy = ds.Normal(1.0, 2.0).copy(loc=3.0)
    results["copy"] = [sess.run(copy.mean()), copy.name]
    results["param_shapes"] = [
        sorted((k, str(v)) for k, v in ds.Normal.param_static_shapes([2, 3]).items()),
        sorted(ds.Gamma.param_shapes([4])),
    ]

    class Point(ds.Distribution):
        def __init__(self, at, name="Point"):
            self._at = tf.convert_to_tensor(at)
            super(Point, self).__init__(
                tf.float32,
                ds.NOT_REPARAMETERIZED,
                False,
                True,
                parameters={"at": at},
                graph_parents=[self._at],
                name=name,
            )

        def _batch_shape(self):
            return self._at.shape

        def _event_shape(self):
            return tf.TensorShape([])

        def _sample_n(self, n, seed=None):
            return tf.tile(self._at[None], [n, 1])

        def _prob(self, value):
            return tf.cast(tf.equal(value, self._at), tf.float32)

        def _variance(self):
            return tf.zeros_like(self._at)

    @ds.RegisterKL(Point, Point)
    def _between(p, q, name=None):
        return tf.abs(p._at - q._at)

    d = Point([1.0, 2.0])
    results["own"] = sess.run([d.sample(3), d.log_prob(1.0), d.stddev(), ds.kl_divergence(d, Point([0.0, 0.0]))])
    results["own lacks"] = fails(d.mean)
