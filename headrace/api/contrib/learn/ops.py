"""tf.contrib.learn.ops: what model functions are made of, with the layers of releases before 0.10."""

HOMES = {
    "contrib.learn.classifier_ops": "categorical_variable embedding_lookup mean_squared_error_regressor softmax_classifier "
    "one_hot_matrix",
    "contrib.learn.network_ops": "batch_normalize conv2d dnn dropout expand_concat split_squeeze",
    "contrib.learn.seq2seq_ops": "rnn_decoder rnn_seq2seq seq2seq_inputs sequence_classifier",
}
