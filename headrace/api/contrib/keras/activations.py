"""tf.contrib.keras.activations, as it was before `tf.keras`."""

HOMES = {
    "keras.activations": "deserialize elu get hard_sigmoid linear relu selu serialize sigmoid softmax softplus "
    "softsign tanh",
}
