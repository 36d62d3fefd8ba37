"""tf.keras.regularizers."""

HOMES: dict[str, str] = {
    "keras.regularizers": "L1L2 Regularizer deserialize get l1 l1_l2 l2 serialize",
}
