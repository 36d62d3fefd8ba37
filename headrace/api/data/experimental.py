"""`tf.data.experimental`: transformations for `Dataset.apply`, and other sources."""

HOMES = {
    "data.dataset": "get_structure",
    "data.experimental": "AUTOTUNE Counter INFINITE_CARDINALITY RandomDataset SqlDataset TFRecordWriter "
    "UNKNOWN_CARDINALITY cardinality choose_from_datasets copy_to_device dense_to_sparse_batch "
    "enumerate_dataset from_variant get_single_element ignore_errors map_and_batch map_and_batch_with_legacy_function "
    "parallel_interleave parse_example_dataset prefetch_to_device sample_from_datasets shuffle_and_repeat take_while "
    "to_variant unbatch unique",
    "data.file_sources": "CsvDataset make_batched_features_dataset make_csv_dataset",
    "data.grouping": "Reducer bucket_by_sequence_length group_by_reducer group_by_window",
    "data.optional": "Optional get_next_as_optional",
    "data.options": "DistributeOptions MapVectorizationOptions OptimizationOptions StatsOptions ThreadingOptions",
    "data.resampling": "rejection_resample",
    "data.saving": "CheckpointInputPipelineHook make_saveable_from_iterator",
    "data.stateful": "scan",
    "data.tensor_lists": "RaggedTensorStructure SparseTensorStructure TensorArrayStructure TensorStructure",
    "data.statistics": "StatsAggregator bytes_produced_stats latency_stats",
}

SPELLED = {
    "DatasetStructure": "data.structure.DatasetSpec",
    "OptionalStructure": "data.structure.OptionalSpec",
    "Structure": "core.type_specs.TypeSpec",
}
