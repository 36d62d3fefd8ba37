"""tf.feature_column."""

HOMES: dict[str, str] = {}
