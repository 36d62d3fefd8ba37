"""tf.contrib.layers."""

HOMES = {
    "contrib.layers.initializers": "variance_scaling_initializer xavier_initializer xavier_initializer_conv2d",
}
