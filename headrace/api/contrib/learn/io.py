"""tf.contrib.learn.io: inputs from arrays, data frames, generators and files."""

_PANDAS = "HAS_PANDAS extract_pandas_data extract_pandas_labels extract_pandas_matrix"
_DASK = "extract_dask_data extract_dask_labels"
_EXAMPLES = {
    "contrib.learn.graph_io": "read_batch_examples read_keyed_batch_examples read_keyed_batch_examples_shared_queue",
    "contrib.learn.feature_queues": "queue_parsed_features read_batch_features read_batch_record_features "
    "read_keyed_batch_features read_keyed_batch_features_shared_queue",
}

HOMES = {
    "contrib.learn.pandas_data": f"{_PANDAS} {_DASK}",
    "contrib.learn.data_feeder": "HAS_DASK",
    "contrib.learn.input_fns": "generator_input_fn numpy_input_fn pandas_input_fn",
    **_EXAMPLES,
}

NESTED = {
    "dask_io": {"contrib.learn.pandas_data": _DASK, "contrib.learn.data_feeder": "HAS_DASK"},
    "data_feeder": {
        "contrib.learn.pandas_data": "HAS_PANDAS",
        "contrib.learn.data_feeder": "DataFeeder HAS_DASK StreamingDataFeeder check_array setup_predict_data_feeder "
        "setup_processor_data_feeder setup_train_data_feeder",
    },
    "generator_io": {"contrib.learn.input_fns": "generator_input_fn"},
    "graph_io": {**_EXAMPLES, "contrib.learn.graph_io": _EXAMPLES["contrib.learn.graph_io"] + " KEY_FEATURE_NAME"},
    "numpy_io": {"contrib.learn.input_fns": "numpy_input_fn"},
    "pandas_io": {"contrib.learn.pandas_data": _PANDAS, "contrib.learn.input_fns": "pandas_input_fn"},
}
