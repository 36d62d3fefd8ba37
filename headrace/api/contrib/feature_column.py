"""tf.contrib.feature_column: sequences of features."""

HOMES: dict[str, str] = {
    "feature_column.sequence_input": "sequence_input_layer",
    "feature_column.sequences": "sequence_categorical_column_with_hash_bucket sequence_categorical_column_with_identity "
    "sequence_categorical_column_with_vocabulary_file sequence_categorical_column_with_vocabulary_list "
    "sequence_numeric_column",
}
