"""tf.contrib.estimator."""

HOMES = {
    "contrib.estimator.annotated": "DNNClassifierWithLayerAnnotations DNNRegressorWithLayerAnnotations",
    "contrib.estimator.boosted_trees": "boosted_trees_classifier_train_in_memory boosted_trees_regressor_train_in_memory",
    "contrib.estimator.export": "build_supervised_input_receiver_fn_from_input_fn export_all_saved_models "
    "export_saved_model_for_mode",
    "contrib.estimator.extenders": "clip_gradients_by_norm forward_features",
    "contrib.estimator.heads": "binary_classification_head logistic_regression_head multi_class_head "
    "multi_label_head poisson_regression_head regression_head",
    "contrib.estimator.multi_head": "multi_head",
    "contrib.estimator.replicate_model_fn": "replicate_model_fn",
    "contrib.estimator.rnn": "RNNClassifier RNNEstimator",
    "contrib.estimator.saved_model_estimator": "SavedModelEstimator",
    "contrib.estimator.tower_optimizer": "TowerOptimizer",
    "estimator.canned.dnn": "dnn_logit_fn_builder",
    "estimator.canned.linear": "linear_logit_fn_builder",
    "estimator.early_stopping": "make_early_stopping_hook read_eval_metrics stop_if_higher_hook "
    "stop_if_lower_hook stop_if_no_decrease_hook stop_if_no_increase_hook",
    "estimator.export.export": "build_raw_supervised_input_receiver_fn",
    "estimator.extenders": "add_metrics",
    "estimator.hooks.checkpoint_step": "make_stop_at_checkpoint_step_hook",
    "estimator.hooks.in_memory_evaluator": "InMemoryEvaluatorHook",
    "estimator.logit_fns": "call_logit_fn",
}

SPELLED = {
    # Before 1.13.
    "DNNEstimator": "estimator.canned.dnn.DNNEstimator",
    "DNNLinearCombinedEstimator": "estimator.canned.dnn_linear_combined.DNNLinearCombinedEstimator",
    "LinearEstimator": "estimator.canned.linear.LinearEstimator",
}
