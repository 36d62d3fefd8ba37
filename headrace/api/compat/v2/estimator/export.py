"""tf.compat.v2.estimator.export."""

HOMES = {
    "estimator.export": "ClassificationOutput ExportOutput PredictOutput RegressionOutput ServingInputReceiver "
    "TensorServingInputReceiver build_parsing_serving_input_receiver_fn build_raw_serving_input_receiver_fn",
}
