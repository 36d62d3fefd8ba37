"""tf.compat.v2.keras.models: the names that mean the same in 1.x."""

HOMES = {
    "keras.models": "Model Sequential clone_model load_model model_from_config model_from_json "
    "model_from_yaml save_model",
}
