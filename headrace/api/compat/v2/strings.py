"""tf.compat.v2.strings: the names that mean the same in 1.x, and those that take other arguments there."""

HOMES = {
    "strings": "as_string bytes_split format join lower ngrams regex_full_match regex_replace strip "
    "to_hash_bucket_fast to_hash_bucket_strong unicode_decode unicode_decode_with_offsets unicode_encode "
    "unicode_script unicode_split unicode_split_with_offsets unicode_transcode unsorted_segment_join "
    "upper",
}

SPELLED = {
    "length": "api.v2_arguments.strings__length",
    "reduce_join": "api.v2_arguments.strings__reduce_join",
    "split": "api.v2_arguments.strings__split",
    "substr": "api.v2_arguments.strings__substr",
    "to_hash_bucket": "api.v2_arguments.strings__to_hash_bucket",
    "to_number": "api.v2_arguments.strings__to_number",
}
