"""tf.keras.initializers."""

HOMES: dict[str, str] = {
    "keras.initializers": "RandomNormal RandomUniform TruncatedNormal deserialize get normal random_normal "
    "random_uniform serialize truncated_normal uniform",
    "state.initializers": "Constant Identity Initializer Ones Orthogonal VarianceScaling Zeros he_normal he_uniform "
    "lecun_normal lecun_uniform",
}

SPELLED: dict[str, str] = {
    "constant": "state.initializers.Constant",
    "glorot_normal": "state.initializers.GlorotNormal",
    "glorot_uniform": "state.initializers.GlorotUniform",
    "identity": "state.initializers.Identity",
    "ones": "state.initializers.Ones",
    "orthogonal": "state.initializers.Orthogonal",
    "zeros": "state.initializers.Zeros",
}
