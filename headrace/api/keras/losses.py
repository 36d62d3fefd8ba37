"""tf.keras.losses."""

HOMES = {
    "keras.loss_functions": "KLD MAE MAPE MSE MSLE binary_crossentropy categorical_crossentropy categorical_hinge "
    "cosine_proximity cosine_similarity hinge kld kullback_leibler_divergence logcosh mae mape mean_absolute_error "
    "mean_absolute_percentage_error mean_squared_error mean_squared_logarithmic_error mse msle poisson "
    "sparse_categorical_crossentropy squared_hinge",
    "keras.losses": "BinaryCrossentropy CategoricalCrossentropy CategoricalHinge CosineSimilarity Hinge Huber KLDivergence "
    "LogCosh Loss MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError MeanSquaredLogarithmicError Poisson "
    "SparseCategoricalCrossentropy SquaredHinge deserialize get serialize",
}

SPELLED = {
    "cosine": "keras.loss_functions.cosine_proximity",
}
