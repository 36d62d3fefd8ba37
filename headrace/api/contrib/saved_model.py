"""tf.contrib.saved_model."""

SPELLED = {
    "load_keras_model": "keras.saving.saved_model_experimental.load_from_saved_model",
    "save_keras_model": "keras.saving.saved_model_experimental.export_saved_model",
}
