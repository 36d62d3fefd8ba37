"""tf.estimator.tpu.experimental."""

HOMES = {"estimator.tpu.embeddings": "EmbeddingConfigSpec"}
