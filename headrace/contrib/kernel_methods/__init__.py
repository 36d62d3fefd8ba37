"""tf.contrib.kernel_methods: kernels by explicit features, and a loss for linear classifiers over them."""
