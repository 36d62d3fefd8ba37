"""tf.compat.v2.keras.activations: the names that mean the same in 1.x."""

HOMES = {
    "keras.activations": "deserialize elu exponential get hard_sigmoid linear relu selu serialize sigmoid "
    "softmax softplus softsign tanh",
}
