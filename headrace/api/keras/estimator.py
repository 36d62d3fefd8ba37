"""tf.keras.estimator."""

HOMES: dict[str, str] = {"estimator.keras": "model_to_estimator"}
