"""tf.contrib.kernel_methods."""

HOMES = {
    "contrib.kernel_methods.kernel_estimator": "KernelLinearClassifier",
    "contrib.kernel_methods.losses": "sparse_multiclass_hinge_loss",
    "contrib.kernel_methods.random_fourier_features": "RandomFourierFeatureMapper",
}
