"""tf.contrib.predictor: models as functions."""

HOMES = {
    "contrib.predictor.estimators": "from_estimator",
    "contrib.predictor.predictors": "from_saved_model",
}

ABSENT = {
    "from_contrib_estimator": "export the Estimator with export_savedmodel and use from_saved_model",
}
