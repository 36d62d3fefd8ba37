"""Where the trained weights of this network lie."""

_FOLDER = "https://github.com/fchollet/deep-learning-models/releases/download/v0.4/"
TF_WEIGHTS_PATH = _FOLDER + "xception_weights_tf_dim_ordering_tf_kernels.h5"
TF_WEIGHTS_PATH_NO_TOP = _FOLDER + "xception_weights_tf_dim_ordering_tf_kernels_notop.h5"
