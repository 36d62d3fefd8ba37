"""tf.contrib.periodic_resample."""

HOMES = {"ops.array.periodic_resample": "periodic_resample"}
