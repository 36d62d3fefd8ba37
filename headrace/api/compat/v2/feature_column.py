"""tf.compat.v2.feature_column: the names of 1.x that go with layers, and those that take other arguments there."""

HOMES = {
    "feature_column": "bucketized_column categorical_column_with_hash_bucket categorical_column_with_identity "
    "categorical_column_with_vocabulary_list crossed_column embedding_column indicator_column make_parse_example_spec "
    "numeric_column sequence_categorical_column_with_hash_bucket sequence_categorical_column_with_identity "
    "sequence_categorical_column_with_vocabulary_file sequence_categorical_column_with_vocabulary_list "
    "sequence_numeric_column weighted_categorical_column",
}

SPELLED = {
    "categorical_column_with_vocabulary_file": "feature_column.categorical.categorical_column_with_vocabulary_file_v2",
    "shared_embeddings": "feature_column.shared_embedding.shared_embedding_columns_v2",
}
