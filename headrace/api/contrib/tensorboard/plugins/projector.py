"""tf.contrib.tensorboard.plugins.projector: embeddings in TensorBoard."""

HOMES = {"contrib.tensorboard.projector": "EmbeddingInfo ProjectorConfig SpriteMetadata visualize_embeddings"}
