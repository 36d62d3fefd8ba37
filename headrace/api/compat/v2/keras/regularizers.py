"""tf.compat.v2.keras.regularizers: the names that mean the same in 1.x."""

HOMES = {
    "keras.regularizers": "L1L2 Regularizer deserialize get l1 l1_l2 l2 serialize",
}
