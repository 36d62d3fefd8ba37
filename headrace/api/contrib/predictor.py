"""tf.contrib.predictor: models as functions."""

HOMES = {
    "contrib.predictor.contrib_estimators": "from_contrib_estimator",
    "contrib.predictor.estimators": "from_estimator",
    "contrib.predictor.predictors": "from_saved_model",
}
