"""tf.contrib.timeseries, which is not here: models of series of numbers."""

_READING = "make windows of the series with tf.data.Dataset.window and feed them to an Estimator"
_MODEL = "write the model as the model_fn of a tf.estimator.Estimator"

ABSENT = {
    **dict.fromkeys(
        ("CSVReader", "NumpyReader", "RandomWindowInputFn", "WholeDatasetInputFn", "predict_continuation_input_fn"),
        _READING,
    ),
    **dict.fromkeys(
        (
            "ARModel",
            "ARRegressor",
            "FilteringResults",
            "OneShotPredictionHead",
            "StructuralEnsembleRegressor",
            "TimeSeriesRegressor",
            "TrainEvalFeatures",
        ),
        _MODEL,
    ),
}
