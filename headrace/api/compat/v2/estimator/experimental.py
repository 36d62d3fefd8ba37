"""tf.compat.v2.estimator.experimental."""

HOMES = {
    "estimator.experimental": "InMemoryEvaluatorHook LinearSDCA build_raw_supervised_input_receiver_fn call_logit_fn "
    "make_early_stopping_hook make_stop_at_checkpoint_step_hook stop_if_higher_hook stop_if_lower_hook "
    "stop_if_no_decrease_hook stop_if_no_increase_hook",
}

SPELLED = {
    "RNNClassifier": "estimator.canned.rnn.RNNClassifier",
    "RNNEstimator": "estimator.canned.rnn.RNNEstimator",
}
