"""tf.contrib.predictor: models as functions."""

HOMES = {"contrib.predictor.predictors": "from_saved_model"}

ABSENT = {
    "from_estimator": "export the Estimator with export_savedmodel and use from_saved_model",
    "from_contrib_estimator": "export the Estimator with export_savedmodel and use from_saved_model",
}
