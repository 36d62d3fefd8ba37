"""tf.feature_column."""

HOMES: dict[str, str] = {
    "feature_column.categorical": "categorical_column_with_hash_bucket categorical_column_with_identity "
    "categorical_column_with_vocabulary_file categorical_column_with_vocabulary_list weighted_categorical_column",
    "feature_column.crossed": "crossed_column",
    "feature_column.embedding": "embedding_column shared_embedding_columns",
    "feature_column.indicator": "indicator_column",
    "feature_column.input_layer": "input_layer linear_model",
    "feature_column.numeric": "bucketized_column numeric_column",
    "feature_column.parsing": "make_parse_example_spec",
    "feature_column.sequences": "sequence_categorical_column_with_hash_bucket sequence_categorical_column_with_identity "
    "sequence_categorical_column_with_vocabulary_file sequence_categorical_column_with_vocabulary_list "
    "sequence_numeric_column",
}
