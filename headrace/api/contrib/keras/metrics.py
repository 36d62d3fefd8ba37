"""tf.contrib.keras.metrics, as it was before `tf.keras`."""

HOMES = {
    "keras.metrics": "binary_accuracy binary_crossentropy categorical_accuracy categorical_crossentropy "
    "deserialize get hinge kullback_leibler_divergence mean_absolute_error "
    "mean_absolute_percentage_error mean_squared_error mean_squared_logarithmic_error "
    "poisson serialize sparse_categorical_crossentropy sparse_top_k_categorical_accuracy "
    "squared_hinge top_k_categorical_accuracy",
}

SPELLED = {
    "cosine_similarity": "keras.loss_functions.cosine_proximity",
}
