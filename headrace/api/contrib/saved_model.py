"""tf.contrib.saved_model, which is not here: Keras models in SavedModels."""

_ADVICE = "use tf.saved_model.simple_save and tf.saved_model.loader.load"

ABSENT = dict.fromkeys(["load_keras_model", "save_keras_model"], _ADVICE)
