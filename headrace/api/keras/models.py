"""tf.keras.models."""

HOMES: dict[str, str] = {
    "keras.engine.sequential": "Sequential",
    "keras.engine.training": "Model",
    "keras.models": "clone_model",
    "keras.saving.model_config": "model_from_config model_from_json model_from_yaml",
    "keras.saving.save": "load_model save_model",
}

SPELLED: dict[str, str] = {}

NESTED: dict[str, dict[str, str]] = {}
