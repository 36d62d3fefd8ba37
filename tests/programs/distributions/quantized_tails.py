"""Both tails of quantized distributions, samples whose shape is known late, and shapes of parameters."""

import numpy as np
import tensorflow as tf

results = {}
tfd = tf.contrib.distributions
points = np.float32([-2.0, -1.0, -0.5, 0.0, 0.3, 1.0, 2.7, 4.9, 5.0, 6.0])
with tf.Session() as sess:
    for low, high in [(-1.0, 5.0), (None, None), (None, 3.0), (0.0, None)]:
        quantized = tfd.QuantizedDistribution(tfd.Normal(1.0, 2.0), low=low, high=high)
        for method in ("cdf", "log_cdf", "survival_function", "log_survival_function", "prob", "log_prob"):
            results[f"{method} {low} {high}"] = sess.run(getattr(quantized, method)(points))
    late = tf.placeholder_with_default([4], [1])
    compound = tfd.PoissonLogNormalQuadratureCompound([0.0, 1.0], [1.0, 0.5], quadrature_size=5)
    mixed = tfd.VectorDiffeomixture(
        mix_loc=[[0.0], [1.0]],
        temperature=[1.0],
        distribution=tfd.Normal(0.0, 1.0),
        loc=[None, tf.ones([2])],
        scale=[tf.linalg.LinearOperatorScaledIdentity(2, 1.1), tf.linalg.LinearOperatorDiag([2.0, 3.0])],
        quadrature_size=3,
    )
    for name, distribution in (("compound", compound), ("mixed", mixed)):
        for shape in (late, [], [2, 3]):
            drawn = distribution.sample(shape, seed=1)
            results[f"{name} {shape is late or shape}"] = [str(drawn.shape), sess.run(drawn).shape]
    results["parameters"] = sess.run(tfd.RelaxedBernoulli.param_shapes([2, 3]))
