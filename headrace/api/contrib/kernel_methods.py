"""tf.contrib.kernel_methods."""

HOMES = {
    "contrib.kernel_methods.losses": "sparse_multiclass_hinge_loss",
    "contrib.kernel_methods.random_fourier_features": "RandomFourierFeatureMapper",
}

ABSENT = {
    "KernelLinearClassifier": "map the features with RandomFourierFeatureMapper(...).map and train a linear layer on "
    "them with sparse_multiclass_hinge_loss",
}
