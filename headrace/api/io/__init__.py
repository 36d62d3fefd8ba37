"""tf.io: files, records and the formats of examples and images."""

HOMES: dict[str, str] = {
    "messages.graph_files": "write_graph",
    "files.records": "TFRecordCompressionType TFRecordOptions TFRecordWriter tf_record_iterator",
    "ops.image.decode": "decode_and_crop_jpeg decode_bmp decode_gif decode_jpeg decode_png extract_jpeg_shape",
    "functions.image.decode": "decode_image is_jpeg",
    "ops.image.encode": "encode_jpeg",
    "ops.parsing.csv": "decode_csv",
    "functions.parsing.example": "parse_example parse_single_example",
    "functions.parsing.features": "FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature",
    "ops.parsing.protos": "decode_proto encode_proto",
    "functions.parsing.sequence_example": "parse_sequence_example parse_single_sequence_example",
    "ops.parsing.tensors": "decode_compressed decode_json_example parse_tensor serialize_tensor",
    "functions.queues.queues": "PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
    "ops.readers.files": "matching_files read_file write_file",
    "input_queues.producers": "match_filenames_once",
    "functions.sparse.serialized": "deserialize_many_sparse serialize_many_sparse serialize_sparse",
    "ops.string.conversion": "decode_base64 decode_raw encode_base64",
}

NESTED: dict[str, dict[str, str]] = {
    "gfile": {
        "files.gfile": "GFile",
        "files.io_gfile": "copy exists glob isdir listdir makedirs mkdir remove rename rmtree stat walk",
    },
}
