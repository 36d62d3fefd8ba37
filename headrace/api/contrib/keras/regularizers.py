"""tf.contrib.keras.regularizers, as it was before `tf.keras`."""

HOMES = {
    "keras.regularizers": "L1L2 Regularizer deserialize get l1 l1_l2 l2 serialize",
}
