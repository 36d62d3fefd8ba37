"""`tf.data.experimental`: transformations for `Dataset.apply`, and other sources."""

HOMES = {
    "data.structure": "get_structure",
    "data.experimental": "AUTOTUNE INFINITE_CARDINALITY TFRecordWriter "
    "UNKNOWN_CARDINALITY cardinality copy_to_device dense_to_sparse_batch "
    "enumerate_dataset from_variant get_single_element ignore_errors map_and_batch map_and_batch_with_legacy_function "
    "parallel_interleave parse_example_dataset prefetch_to_device shuffle_and_repeat take_while "
    "to_variant unbatch unique",
    "data.file_sources": "CsvDataset make_batched_features_dataset make_csv_dataset",
    "data.grouping": "Reducer bucket_by_sequence_length group_by_reducer group_by_window",
    "data.optional": "Optional get_next_as_optional",
    "data.options": "DistributeOptions MapVectorizationOptions OptimizationOptions StatsOptions ThreadingOptions",
    "data.resampling": "rejection_resample",
    "data.saving": "CheckpointInputPipelineHook make_saveable_from_iterator",
    "data.scanning": "scan",
    "data.mixing": "choose_from_datasets sample_from_datasets",
    "data.sources": "Counter RandomDataset SqlDataset",
    "data.structure_util": "RaggedTensorStructure SparseTensorStructure TensorArrayStructure TensorStructure",
    "data.statistics": "bytes_produced_stats latency_stats",
    "data.stats_aggregator": "StatsAggregator",
}

SPELLED = {
    "DatasetStructure": "data.dataset.DatasetSpec",
    "OptionalStructure": "data.optional.OptionalSpec",
    "Structure": "core.type_specs.TypeSpec",
}
