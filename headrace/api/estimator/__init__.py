"""tf.estimator."""

HOMES: dict[str, str] = {
    "estimator.canned.baseline": "BaselineClassifier BaselineEstimator BaselineRegressor",
    "estimator.canned.boosted_trees": "BoostedTreesClassifier BoostedTreesEstimator BoostedTreesRegressor",
    "estimator.canned.dnn": "DNNClassifier DNNEstimator DNNRegressor",
    "estimator.canned.dnn_linear_combined": "DNNLinearCombinedClassifier DNNLinearCombinedEstimator "
    "DNNLinearCombinedRegressor",
    "estimator.canned.linear": "LinearClassifier LinearEstimator LinearRegressor",
    "estimator.canned.parsing": "classifier_parse_example_spec regressor_parse_example_spec",
    "estimator.estimator": "Estimator",
    "estimator.extenders": "add_metrics",
    "estimator.exporter": "BestExporter Exporter FinalExporter LatestExporter",
    "estimator.heads.base_head": "Head",
    "estimator.heads.binary_class_head": "BinaryClassHead",
    "estimator.heads.multi_class_head": "MultiClassHead",
    "estimator.heads.multi_head": "MultiHead",
    "estimator.heads.multi_label_head": "MultiLabelHead",
    "estimator.heads.regression_head": "LogisticRegressionHead PoissonRegressionHead RegressionHead",
    "estimator.mode_keys": "ModeKeys",
    "estimator.model_fn": "EstimatorSpec",
    "estimator.run_config": "RunConfig",
    "estimator.training": "EvalSpec TrainSpec train_and_evaluate",
    "estimator.warm_start": "WarmStartSettings",
    "checkpoints.warm_starting": "VocabInfo",
    "sessions.hook_timers": "SecondOrStepTimer",
    "sessions.hooks": "FeedFnHook FinalOpsHook GlobalStepWaiterHook LoggingTensorHook NanLossDuringTrainingError "
    "NanTensorHook StepCounterHook StopAtStepHook",
    "sessions.saving_hooks": "CheckpointSaverHook CheckpointSaverListener ProfilerHook SummarySaverHook",
    "sessions.session_run_hook": "SessionRunArgs SessionRunContext SessionRunHook SessionRunValues",
}

NESTED: dict[str, dict[str, str]] = {
    "export": {
        "estimator.export.export": "ServingInputReceiver TensorServingInputReceiver "
        "build_parsing_serving_input_receiver_fn build_raw_serving_input_receiver_fn",
        "saved_model.export_output": "ClassificationOutput ExportOutput PredictOutput RegressionOutput",
    },
    "inputs": {
        "estimator.inputs.numpy_io": "numpy_input_fn",
        "estimator.inputs.pandas_io": "pandas_input_fn",
    },
    "experimental": {
        "contrib.factorization.kmeans_core": "KMeans",
        "estimator.canned.dnn": "dnn_logit_fn_builder",
        "estimator.canned.linear": "linear_logit_fn_builder",
        "estimator.canned.sdca": "LinearSDCA",
        "estimator.export.export": "build_raw_supervised_input_receiver_fn",
        "estimator.early_stopping": "make_early_stopping_hook stop_if_higher_hook stop_if_lower_hook "
        "stop_if_no_decrease_hook stop_if_no_increase_hook",
        "estimator.logit_fns": "call_logit_fn",
        "estimator.hooks.checkpoint_step": "make_stop_at_checkpoint_step_hook",
        "estimator.hooks.in_memory_evaluator": "InMemoryEvaluatorHook",
    },
}
