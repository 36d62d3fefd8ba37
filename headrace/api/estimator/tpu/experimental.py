"""tf.estimator.tpu.experimental, which is not here: embeddings in the memory of a TPU."""

ABSENT = {
    "EmbeddingConfigSpec": "there are no TPUs in Headrace; embed the features in model_fn with tf.nn.embedding_lookup"
}
