"""tf.compat.v2.estimator: the names that mean the same in 1.x, and the models that train by optimizers of Keras."""

HOMES = {
    "estimator": "BestExporter BinaryClassHead BoostedTreesClassifier BoostedTreesEstimator BoostedTreesRegressor "
    "CheckpointSaverHook CheckpointSaverListener EstimatorSpec EvalSpec Exporter FeedFnHook FinalExporter FinalOpsHook "
    "GlobalStepWaiterHook Head LatestExporter LoggingTensorHook LogisticRegressionHead ModeKeys MultiClassHead MultiHead "
    "MultiLabelHead NanLossDuringTrainingError NanTensorHook PoissonRegressionHead ProfilerHook RegressionHead RunConfig "
    "SecondOrStepTimer SessionRunArgs SessionRunContext SessionRunHook SessionRunValues StepCounterHook StopAtStepHook "
    "SummarySaverHook TrainSpec VocabInfo WarmStartSettings add_metrics classifier_parse_example_spec "
    "regressor_parse_example_spec train_and_evaluate",
}

SPELLED = {
    "BaselineClassifier": "estimator.canned.baseline_v2.BaselineClassifierV2",
    "BaselineEstimator": "estimator.canned.baseline_v2.BaselineEstimatorV2",
    "BaselineRegressor": "estimator.canned.baseline_v2.BaselineRegressorV2",
    "DNNClassifier": "estimator.canned.dnn_v2.DNNClassifierV2",
    "DNNEstimator": "estimator.canned.dnn_v2.DNNEstimatorV2",
    "DNNLinearCombinedClassifier": "estimator.canned.dnn_linear_combined_v2.DNNLinearCombinedClassifierV2",
    "DNNLinearCombinedEstimator": "estimator.canned.dnn_linear_combined_v2.DNNLinearCombinedEstimatorV2",
    "DNNLinearCombinedRegressor": "estimator.canned.dnn_linear_combined_v2.DNNLinearCombinedRegressorV2",
    "DNNRegressor": "estimator.canned.dnn_v2.DNNRegressorV2",
    "Estimator": "estimator.estimator.EstimatorV2",
    "LinearClassifier": "estimator.canned.linear_v2.LinearClassifierV2",
    "LinearEstimator": "estimator.canned.linear_v2.LinearEstimatorV2",
    "LinearRegressor": "estimator.canned.linear_v2.LinearRegressorV2",
}
