"""tf.compat.v2.keras.estimator: the names that TensorFlow 2 means otherwise."""

SPELLED = {"model_to_estimator": "estimator.keras.model_to_estimator_v2"}
