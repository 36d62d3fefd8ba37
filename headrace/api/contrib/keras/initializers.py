"""tf.contrib.keras.initializers, as it was before `tf.keras`."""

HOMES = {
    "keras.initializers": "Constant Identity Initializer Ones Orthogonal RandomNormal RandomUniform "
    "TruncatedNormal VarianceScaling Zeros deserialize get glorot_normal glorot_uniform "
    "he_normal he_uniform lecun_normal lecun_uniform serialize",
}
