"""tf.compat.v2.data.experimental: the names that mean the same in 1.x."""

HOMES = {
    "data.experimental": "AUTOTUNE CheckpointInputPipelineHook Counter CsvDataset DistributeOptions INFINITE_CARDINALITY "
    "MapVectorizationOptions OptimizationOptions Optional RandomDataset Reducer SqlDataset StatsAggregator StatsOptions "
    "TFRecordWriter ThreadingOptions UNKNOWN_CARDINALITY bucket_by_sequence_length bytes_produced_stats "
    "cardinality choose_from_datasets copy_to_device dense_to_sparse_batch enumerate_dataset from_variant "
    "get_next_as_optional get_single_element get_structure group_by_reducer group_by_window ignore_errors "
    "latency_stats make_batched_features_dataset make_csv_dataset make_saveable_from_iterator map_and_batch "
    "parallel_interleave parse_example_dataset prefetch_to_device rejection_resample sample_from_datasets "
    "scan shuffle_and_repeat take_while to_variant unbatch unique",
}
