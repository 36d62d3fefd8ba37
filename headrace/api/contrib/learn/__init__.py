"""tf.contrib.learn: reading examples in the graph, metrics of models, and data sets."""

HOMES = {
    "contrib.learn.graph_io": "read_batch_examples read_keyed_batch_examples read_keyed_batch_examples_shared_queue",
    "contrib.learn.feature_queues": "queue_parsed_features read_batch_features read_batch_record_features "
    "read_keyed_batch_features read_keyed_batch_features_shared_queue",
    "contrib.learn.heads": "Head no_op_train_fn poisson_regression_head regression_head",
    "contrib.learn.metric_spec": "MetricSpec ModeKeys PredictionKey",
    "contrib.learn.model_outputs": "ModelFnOps",
    "contrib.layers.target_columns": "ProblemType",
}

NESTED = {
    "io": {
        "contrib.learn.graph_io": "read_batch_examples read_keyed_batch_examples "
        "read_keyed_batch_examples_shared_queue",
        "contrib.learn.feature_queues": "queue_parsed_features read_batch_features read_batch_record_features "
        "read_keyed_batch_features read_keyed_batch_features_shared_queue",
    }
}
