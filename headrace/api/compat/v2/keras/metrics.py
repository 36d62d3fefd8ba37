"""tf.compat.v2.keras.metrics: the names that mean the same in 1.x."""

HOMES = {
    "keras.metrics": "AUC Accuracy BinaryAccuracy BinaryCrossentropy CategoricalAccuracy "
    "CategoricalCrossentropy CategoricalHinge CosineSimilarity FalseNegatives "
    "FalsePositives Hinge KLD KLDivergence LogCoshError MAE MAPE MSE MSLE Mean "
    "MeanAbsoluteError MeanAbsolutePercentageError MeanIoU MeanRelativeError "
    "MeanSquaredError MeanSquaredLogarithmicError MeanTensor Metric Poisson Precision "
    "Recall RootMeanSquaredError SensitivityAtSpecificity SparseCategoricalAccuracy "
    "SparseCategoricalCrossentropy SparseTopKCategoricalAccuracy SpecificityAtSensitivity "
    "SquaredHinge Sum TopKCategoricalAccuracy TrueNegatives TruePositives binary_accuracy "
    "binary_crossentropy categorical_accuracy categorical_crossentropy deserialize get "
    "hinge kld kullback_leibler_divergence mae mape mean_absolute_error "
    "mean_absolute_percentage_error mean_squared_error mean_squared_logarithmic_error mse "
    "msle poisson serialize sparse_categorical_accuracy sparse_categorical_crossentropy "
    "sparse_top_k_categorical_accuracy squared_hinge top_k_categorical_accuracy",
}
