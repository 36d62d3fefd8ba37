"""tf.contrib.keras.models, as it was before `tf.keras`."""

HOMES = {
    "keras.models": "Model Sequential load_model model_from_config model_from_json model_from_yaml save_model",
}
