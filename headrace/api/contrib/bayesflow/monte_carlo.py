"""tf.contrib.bayesflow.monte_carlo: expectations from samples."""

HOMES = {
    "contrib.bayesflow.monte_carlo": "expectation expectation_importance_sampler expectation_importance_sampler_logspace",
}
