"""tf.strings: strings."""

HOMES: dict[str, str] = {
    "ops.string.conversion": "as_string",
    "ops.string.joining": "reduce_join",
    "ops.string.regex": "regex_full_match regex_replace",
    "ops.string.segments": "unsorted_segment_join",
    "functions.string.splitting": "split",
    "ops.string.text": "substr",
    "ops.string.unicode": "unicode_script unicode_transcode",
    "functions.ragged.strings": "bytes_split ngrams unicode_decode unicode_decode_with_offsets unicode_encode unicode_split "
    "unicode_split_with_offsets",
}

SPELLED: dict[str, str] = {
    "format": "ops.flow.printing.string_format",
    "join": "ops.string.joining.string_join",
    "length": "ops.string.text.string_length",
    "lower": "ops.string.text.string_lower",
    "strip": "ops.string.text.string_strip",
    "to_hash_bucket": "ops.string.hashing.string_to_hash_bucket",
    "to_hash_bucket_fast": "ops.string.hashing.string_to_hash_bucket_fast",
    "to_hash_bucket_strong": "ops.string.hashing.string_to_hash_bucket_strong",
    "to_number": "ops.string.conversion.string_to_number",
    "upper": "ops.string.text.string_upper",
}
