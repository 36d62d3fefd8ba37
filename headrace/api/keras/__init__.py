"""tf.keras: the names directly under it."""

HOMES: dict[str, str] = {
    "keras.engine.input_layer": "Input",
    "keras.engine.sequential": "Sequential",
    "keras.engine.training": "Model",
}

SPELLED: dict[str, str] = {}
