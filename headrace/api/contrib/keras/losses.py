"""tf.contrib.keras.losses, as it was before `tf.keras`."""

HOMES = {
    "keras.losses": "binary_crossentropy categorical_crossentropy categorical_hinge cosine_similarity "
    "deserialize get hinge kullback_leibler_divergence logcosh mean_absolute_error "
    "mean_absolute_percentage_error mean_squared_error mean_squared_logarithmic_error "
    "poisson serialize sparse_categorical_crossentropy squared_hinge",
}
