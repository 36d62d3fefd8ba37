"""tf.keras.metrics."""

HOMES = {
    "keras.loss_functions": "KLD MAE MAPE MSE MSLE binary_crossentropy categorical_crossentropy cosine_proximity hinge kld "
    "kullback_leibler_divergence mae mape mean_absolute_error mean_absolute_percentage_error mean_squared_error "
    "mean_squared_logarithmic_error mse msle poisson sparse_categorical_crossentropy squared_hinge",
    "keras.metrics.accuracies": "Accuracy BinaryAccuracy CategoricalAccuracy SparseCategoricalAccuracy "
    "SparseTopKCategoricalAccuracy TopKCategoricalAccuracy binary_accuracy categorical_accuracy "
    "sparse_categorical_accuracy sparse_top_k_categorical_accuracy top_k_categorical_accuracy",
    "keras.metrics.base": "Metric",
    "keras.metrics.confusion": "FalseNegatives FalsePositives MeanIoU Precision Recall TrueNegatives TruePositives",
    "keras.metrics.curves": "AUC SensitivityAtSpecificity SpecificityAtSensitivity",
    "keras.metrics.loss_means": "BinaryCrossentropy CategoricalCrossentropy CategoricalHinge CosineSimilarity Hinge "
    "KLDivergence LogCoshError MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError "
    "MeanSquaredLogarithmicError Poisson SparseCategoricalCrossentropy SquaredHinge",
    "keras.metrics.means": "Mean MeanRelativeError MeanTensor RootMeanSquaredError Sum",
    "keras.metrics.serialization": "deserialize get serialize",
}

SPELLED = {
    "cosine": "keras.loss_functions.cosine_proximity",
}
