"""Where the trained weights of this network lie."""

_FOLDER = "https://github.com/fchollet/deep-learning-models/releases/download/v0.1/"
WEIGHTS_PATH = _FOLDER + "vgg19_weights_tf_dim_ordering_tf_kernels.h5"
WEIGHTS_PATH_NO_TOP = _FOLDER + "vgg19_weights_tf_dim_ordering_tf_kernels_notop.h5"
