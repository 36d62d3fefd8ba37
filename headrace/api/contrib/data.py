"""`tf.contrib.data`: the older home of `tf.data.experimental`."""

HOMES = {
    "data.experimental": "AUTOTUNE TFRecordWriter assert_element_shape "
    "batch_and_drop_remainder "
    "copy_to_device dense_to_sparse_batch enumerate_dataset get_single_element ignore_errors "
    "map_and_batch padded_batch_and_drop_remainder parallel_interleave parse_example_dataset prefetch_to_device "
    "reduce_dataset shuffle_and_repeat sliding_window_batch sloppy_interleave unbatch unique",
    "data.file_sources": "CsvDataset make_batched_features_dataset make_csv_dataset read_batch_features",
    "data.grouping": "Reducer bucket_by_sequence_length group_by_reducer group_by_window",
    "data.optional": "Optional get_next_as_optional",
    "data.resampling": "rejection_resample",
    "data.saving": "CheckpointInputPipelineHook make_saveable_from_iterator",
    "data.mixing": "choose_from_datasets sample_from_datasets",
    "data.scanning": "scan",
    "data.sources": "Counter LMDBDataset RandomDataset SqlDataset",
    "data.statistics": "bytes_produced_stats latency_stats set_stats_aggregator",
    "data.stats_aggregator": "StatsAggregator",
    # What was here before 1.4 made it public.
    "data.dataset": "Dataset",
    "data.iterator": "Iterator",
    "data.earlier_readers": "FixedLengthRecordDataset TFRecordDataset TextLineDataset",
}
