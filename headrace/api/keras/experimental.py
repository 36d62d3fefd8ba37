"""tf.keras.experimental."""

HOMES: dict[str, str] = {
    "keras.utils.worker_pool": "terminate_keras_multiprocessing_pools",
    "feature_column.features_layer": "SequenceFeatures",
    "keras.saving.saved_model_experimental": "export_saved_model load_from_saved_model",
    "keras.optimizers.learning_rate_schedule": "CosineDecay CosineDecayRestarts LinearCosineDecay NoisyLinearCosineDecay",
    "keras.layers.recurrent_lstm": "PeepholeLSTMCell",
    "keras.premade.linear": "LinearModel",
    "keras.premade.wide_deep": "WideDeepModel",
}

SPELLED: dict[str, str] = {}

NESTED: dict[str, dict[str, str]] = {}
