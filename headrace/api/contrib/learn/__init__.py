"""tf.contrib.learn: estimators, experiments, monitors and heads; reading examples in the graph, and data sets."""

HOMES = {
    "contrib.learn.graph_io": "read_batch_examples read_keyed_batch_examples read_keyed_batch_examples_shared_queue",
    "contrib.learn.feature_queues": "queue_parsed_features read_batch_features read_batch_record_features "
    "read_keyed_batch_features read_keyed_batch_features_shared_queue",
    "contrib.learn.heads": "Head no_op_train_fn poisson_regression_head regression_head",
    "contrib.learn.classification_heads": "binary_svm_head multi_class_head multi_label_head",
    "contrib.learn.head_combinations": "multi_head",
    "contrib.learn.base_estimator": "BaseEstimator",
    "contrib.learn.estimator": "Estimator",
    "contrib.learn.sk_compat": "SKCompat",
    "contrib.learn.model_estimators": "TensorFlowEstimator",
    "contrib.learn.array_models": "TensorFlowDNNClassifier TensorFlowDNNRegressor TensorFlowLinearClassifier "
    "TensorFlowLinearRegressor TensorFlowRNNClassifier TensorFlowRNNRegressor",
    "contrib.learn.trainable": "Evaluable NotFittedError Trainable",
    "contrib.learn.estimator_inputs": "infer_real_valued_columns_from_input infer_real_valued_columns_from_input_fn",
    "contrib.learn.dynamic_rnn": "DynamicRnnEstimator",
    "contrib.learn.state_saving_rnn": "StateSavingRnnEstimator",
    "contrib.learn.graph_runs": "infer run_feeds run_n",
    "contrib.learn.graph_training": "evaluate train",
    "contrib.learn.kmeans": "KMeansClustering",
    "contrib.learn.dnn": "DNNClassifier DNNEstimator DNNRegressor",
    "contrib.learn.linear": "LinearClassifier LinearEstimator LinearRegressor",
    "contrib.learn.dnn_linear_combined": "DNNLinearCombinedClassifier DNNLinearCombinedEstimator "
    "DNNLinearCombinedRegressor",
    "contrib.learn.logistic_regressor": "LogisticRegressor",
    "contrib.learn.svm": "SVM",
    "contrib.learn.experiment": "Experiment",
    "contrib.learn.export_strategy": "ExportStrategy make_export_strategy",
    "contrib.learn.serving_inputs": "InputFnOps build_parsing_serving_input_fn",
    "contrib.learn.pandas_data": "extract_dask_data extract_dask_labels extract_pandas_data extract_pandas_labels "
    "extract_pandas_matrix",
    "sessions.hooks": "NanLossDuringTrainingError",
    "contrib.learn.run_config": "RunConfig TaskType",
    "contrib.learn.metric_spec": "MetricSpec ModeKeys PredictionKey",
    "contrib.learn.model_outputs": "ModelFnOps",
    "contrib.layers.target_columns": "ProblemType",
}

SPELLED = {
    "TensorFlowClassifier": "contrib.learn.array_models.TensorFlowLinearClassifier",
    "TensorFlowRegressor": "contrib.learn.array_models.TensorFlowLinearRegressor",
}
