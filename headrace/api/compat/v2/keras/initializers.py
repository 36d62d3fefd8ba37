"""tf.compat.v2.keras.initializers: the names that mean the same in 1.x, and those that TensorFlow 2 means otherwise."""

HOMES = {
    "keras.initializers": "deserialize get serialize",
}

SPELLED = {
    "Constant": "state.initializers_v2.Constant",
    "GlorotNormal": "state.initializers_v2.GlorotNormal",
    "GlorotUniform": "state.initializers_v2.GlorotUniform",
    "Identity": "state.initializers_v2.Identity",
    "Initializer": "state.initializers_v2.Initializer",
    "Ones": "state.initializers_v2.Ones",
    "Orthogonal": "state.initializers_v2.Orthogonal",
    "RandomNormal": "state.initializers_v2.RandomNormal",
    "RandomUniform": "state.initializers_v2.RandomUniform",
    "TruncatedNormal": "state.initializers_v2.TruncatedNormal",
    "VarianceScaling": "state.initializers_v2.VarianceScaling",
    "Zeros": "state.initializers_v2.Zeros",
    "constant": "state.initializers_v2.Constant",
    "glorot_normal": "state.initializers_v2.GlorotNormal",
    "glorot_uniform": "state.initializers_v2.GlorotUniform",
    "he_normal": "state.initializers_v2.he_normal",
    "he_uniform": "state.initializers_v2.he_uniform",
    "identity": "state.initializers_v2.Identity",
    "lecun_normal": "state.initializers_v2.lecun_normal",
    "lecun_uniform": "state.initializers_v2.lecun_uniform",
    "ones": "state.initializers_v2.Ones",
    "orthogonal": "state.initializers_v2.Orthogonal",
    "zeros": "state.initializers_v2.Zeros",
}
