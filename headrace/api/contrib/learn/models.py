"""tf.contrib.learn.models: linear models of tensors."""

HOMES = {
    "contrib.learn.plain_models": "bidirectional_rnn linear_regression linear_regression_zero_init logistic_regression "
    "logistic_regression_zero_init",
}

ABSENT = {"get_rnn_model": "use tf.contrib.learn.DynamicRnnEstimator, or tf.nn.dynamic_rnn in a model function"}
