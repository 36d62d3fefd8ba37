"""tf.contrib.factorization: k-means, mixtures of Gaussians, factorization of sparse matrices."""
