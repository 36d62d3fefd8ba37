"""tf.keras.activations."""

HOMES: dict[str, str] = {
    "keras.activations": "deserialize elu exponential get hard_sigmoid linear relu selu serialize sigmoid softmax "
    "softplus softsign tanh",
}
