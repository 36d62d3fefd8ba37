"""tf.compat.v2.keras.experimental: the names that mean the same in 1.x."""

HOMES = {
    "keras.experimental": "CosineDecay CosineDecayRestarts LinearCosineDecay LinearModel NoisyLinearCosineDecay "
    "PeepholeLSTMCell SequenceFeatures WideDeepModel export_saved_model "
    "load_from_saved_model terminate_keras_multiprocessing_pools",
}
