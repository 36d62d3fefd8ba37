"""tf.contrib.keras.api: a second path to the same names."""

SPELLED = {"keras": "contrib.keras"}
