"""Neural network ops: activations, losses, convolutions, pooling, normalization, embeddings."""
