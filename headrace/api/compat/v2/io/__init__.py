"""tf.compat.v2.io: the names that mean the same in 1.x, and those that take other arguments there."""

HOMES = {
    "io": "FixedLenFeature FixedLenSequenceFeature SparseFeature TFRecordOptions TFRecordWriter VarLenFeature "
    "decode_and_crop_jpeg decode_base64 decode_bmp decode_compressed decode_gif decode_image decode_jpeg "
    "decode_json_example decode_png decode_proto deserialize_many_sparse encode_base64 encode_jpeg encode_proto "
    "extract_jpeg_shape is_jpeg match_filenames_once matching_files parse_sequence_example "
    "parse_single_sequence_example parse_tensor read_file serialize_tensor write_file write_graph",
}

SPELLED = {
    "decode_csv": "api.v2_arguments.io__decode_csv",
    "decode_raw": "api.v2_arguments.io__decode_raw",
    "parse_example": "api.v2_arguments.io__parse_example",
    "parse_single_example": "api.v2_arguments.io__parse_single_example",
    "serialize_many_sparse": "api.v2_arguments.io__serialize_many_sparse",
    "serialize_sparse": "api.v2_arguments.io__serialize_sparse",
}
