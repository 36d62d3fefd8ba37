"""tf.contrib.learn.models: linear models and networks of tensors."""

HOMES = {
    "contrib.learn.plain_models": "bidirectional_rnn get_dnn_model get_rnn_model linear_regression "
    "linear_regression_zero_init logistic_regression logistic_regression_zero_init",
}
