"""tf.contrib.slim: `tf.contrib.layers` and the variables and scopes of `tf.contrib.framework`, and what is its own."""

HOMES = {
    "contrib.framework.arg_scope": "arg_scope_func_key",
    "contrib.layers.target_columns": "ProblemType binary_svm_target get_default_binary_metrics_for_eval",
}

SPELLED = {
    "losses": "contrib.losses",
    "metrics": "contrib.metrics",
    # 1.x's slim showed the modules it was put together from; programs reach through it for their functions.
    **{
        name: f"contrib.layers.python.layers.{name}"
        for name in (
            "embedding_ops", "encoders", "feature_column_ops", "initializers", "layers", "normalization", "optimizers",
            "regularizers", "rev_block_lib", "target_column", "utils",
        )
    },
    "loss_ops": "contrib.losses.python.losses.loss_ops",
    "metric_ops": "contrib.metrics.python.ops.metric_ops",
    **{
        name: f"python.ops.{name}"
        for name in (
            "array_ops", "clip_ops", "control_flow_ops", "init_ops", "math_ops", "nn", "nn_ops", "parsing_ops",
            "random_ops", "sparse_ops", "string_ops", "variable_scope", "variables",
        )
    },
    "ops": "python.framework.ops",
    "dtypes": "python.framework.dtypes",
    "tensor_shape": "python.framework.tensor_shape",
    "moving_averages": "python.training.moving_averages",
    "summary": "python.summary.summary",
    "train": "python.training.training",
}  # fmt: skip

EVERY = "contrib.layers contrib.framework"

NESTED = {
    "evaluation": {
        "contrib.slim.evaluation": "checkpoints_iterator evaluate_once evaluation_loop wait_for_new_checkpoint",
    },
    "learning": {
        "contrib.slim.learning": "add_gradients_summaries clip_gradient_norms create_train_op multiply_gradients train "
        "train_step",
    },
    "data_decoder": {"contrib.slim.data.data_decoder": "DataDecoder"},
    "data_provider": {"contrib.slim.data.data_provider": "DataProvider"},
    "dataset": {"contrib.slim.data.dataset": "Dataset"},
    "dataset_data_provider": {"contrib.slim.data.dataset_data_provider": "DatasetDataProvider"},
    "parallel_reader": {
        "contrib.slim.data.parallel_reader": "ParallelReader get_data_files parallel_read single_pass_read",
    },
    "prefetch_queue": {"contrib.slim.data.prefetch_queue": "prefetch_queue"},
    "tfexample_decoder": {
        "contrib.slim.data.tfexample_decoder": "BackupHandler BoundingBox Image ItemHandler ItemHandlerCallback "
        "LookupTensor SparseTensor TFExampleDecoder Tensor",
    },
    "model_analyzer": {"contrib.slim.model_analyzer": "analyze_ops analyze_vars tensor_description"},
    "queues": {"contrib.slim.queues": "NestedQueueRunnerError QueueRunners"},
    "summaries": {
        "contrib.slim.summaries": "add_histogram_summaries add_histogram_summary add_image_summaries add_image_summary "
        "add_scalar_summaries add_scalar_summary add_zero_fraction_summaries add_zero_fraction_summary",
    },
}
