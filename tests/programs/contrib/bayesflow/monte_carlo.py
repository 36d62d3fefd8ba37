"""tf.contrib.bayesflow.monte_carlo: importance sampling, expectations and their gradients."""

import numpy as np
import tensorflow as tf

mc = tf.contrib.bayesflow.monte_carlo
ds = tf.contrib.distributions
results = {}
sess = tf.Session()
p, q = ds.Normal([0.5, 1.0], 1.0), ds.Normal([0.0, 0.5], 2.0)
z = np.float32(np.random.RandomState(1).normal(0, 2, (40, 2)))
results["sampler"] = sess.run(mc.expectation_importance_sampler(tf.sin, p.log_prob, q, z=z))
results["drawn"] = sess.run(mc.expectation_importance_sampler(tf.square, p.log_prob, q, n=50, seed=3))
results["logspace"] = sess.run(mc.expectation_importance_sampler_logspace(lambda x: -tf.abs(x), p.log_prob, q, z=z))
loc = tf.constant([0.5, 1.0])
for reparametrized in (True, False):
    d = ds.Normal(loc, 1.0)
    x = d.sample(30, seed=5)
    mean = mc.expectation(tf.square, x, d.log_prob, use_reparametrization=reparametrized)
    results["expectation %s" % reparametrized] = sess.run([mean, tf.gradients(mean, loc)[0]])
    results["shape %s" % reparametrized] = str(mc.expectation(tf.square, x, d.log_prob, axis=1, keep_dims=True).shape)
for name, make in {
    "both": lambda: mc.expectation_importance_sampler(tf.sin, p.log_prob, q, z=z, n=3),
    "f": lambda: mc.expectation(3, z),
    "log_prob": lambda: mc.expectation(tf.square, z, use_reparametrization=False),
}.items():
    try:
        make()
        results[name] = "fine"
    except ValueError as error:
        results[name] = type(error).__name__
