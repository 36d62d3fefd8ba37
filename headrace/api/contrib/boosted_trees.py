"""tf.contrib.boosted_trees: gradient boosted trees. Its names lie in modules below: `estimator_batch.estimator`, ..."""

HOMES: dict[str, str] = {}
