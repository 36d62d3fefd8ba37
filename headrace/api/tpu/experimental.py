"""tf.tpu.experimental."""

HOMES = {
    "contrib.tpu.refusals": "DeviceAssignment initialize_tpu_system",
    "estimator.tpu.embeddings": "AdagradParameters AdamParameters StochasticGradientDescentParameters",
    "feature_column.for_tpu": "embedding_column shared_embedding_columns",
}
