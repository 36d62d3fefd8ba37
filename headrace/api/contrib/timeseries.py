"""tf.contrib.timeseries: models of series of numbers, and their estimators."""

HOMES = {
    "contrib.timeseries.ar_model": "ARModel",
    "contrib.timeseries.estimators": "ARRegressor StructuralEnsembleRegressor TimeSeriesRegressor",
    "contrib.timeseries.feature_keys": "FilteringResults TrainEvalFeatures",
    "contrib.timeseries.head": "OneShotPredictionHead",
    "contrib.timeseries.input_fns": "RandomWindowInputFn WholeDatasetInputFn predict_continuation_input_fn",
    "contrib.timeseries.readers": "CSVReader NumpyReader",
}

NESTED = {
    "saved_model_utils": {
        "contrib.timeseries.saved_model_utils": "cold_start_filter filter_continuation predict_continuation",
    },
}
