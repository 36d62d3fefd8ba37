"""tf.layers."""

HOMES = {
    "layers.base": "InputSpec Layer",
}

NESTED = {
    "experimental": {"layers.base": "keras_style_scope set_keras_style"},
}
