"""tf.compat.v2.keras.losses: the names that mean the same in 1.x, and those that TensorFlow 2 means otherwise."""

HOMES = {
    "keras.losses": "BinaryCrossentropy CategoricalCrossentropy CategoricalHinge CosineSimilarity Hinge "
    "Huber KLD KLDivergence LogCosh Loss MAE MAPE MSE MSLE MeanAbsoluteError "
    "MeanAbsolutePercentageError MeanSquaredError MeanSquaredLogarithmicError Poisson "
    "SparseCategoricalCrossentropy SquaredHinge binary_crossentropy "
    "categorical_crossentropy categorical_hinge cosine_similarity deserialize get hinge "
    "kld kullback_leibler_divergence logcosh mae mape mean_absolute_error "
    "mean_absolute_percentage_error mean_squared_error mean_squared_logarithmic_error mse "
    "msle poisson serialize sparse_categorical_crossentropy squared_hinge",
}

SPELLED = {
    "Reduction": "keras.utils.losses_utils.ReductionV2",
}
