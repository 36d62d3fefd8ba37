"""tf.contrib.layers."""

HOMES = {
    "contrib.layers.batch_norm": "batch_norm",
    "contrib.layers.bias": "bias_add",
    "contrib.layers.combining": "repeat stack",
    "contrib.layers.convolution": "convolution convolution1d convolution2d convolution2d_in_plane "
    "convolution2d_transpose convolution3d convolution3d_transpose",
    "contrib.layers.dense": "elu fully_connected legacy_fully_connected legacy_linear legacy_relu linear relu relu6",
    "contrib.layers.embedding_ops": "embedding_lookup_sparse_with_distributed_aggregation "
    "embedding_lookup_unique safe_embedding_lookup_sparse scattered_embedding_lookup "
    "scattered_embedding_lookup_sparse",
    "contrib.layers.encoders": "bow_encoder embed_sequence",
    "contrib.layers.feature_cross": "SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY bucketize sparse_feature_cross",
    "contrib.layers.feature_column_inputs": "check_feature_columns create_feature_spec_for_parsing "
    "infer_real_valued_columns input_from_feature_columns joint_weighted_sum_from_feature_columns "
    "make_place_holder_tensors_for_base_features parse_feature_columns_from_examples transform_features "
    "weighted_sum_from_feature_columns",
    "contrib.layers.feature_column_makers": "bucketized_column crossed_column embedding_column one_hot_column "
    "real_valued_column scattered_embedding_column shared_embedding_columns sparse_column_with_hash_bucket "
    "sparse_column_with_integerized_feature sparse_column_with_keys sparse_column_with_vocabulary_file "
    "weighted_sparse_column",
    "contrib.layers.gdn": "GDN gdn",
    "contrib.layers.gradients": "scale_gradient",
    "contrib.layers.initializers": "variance_scaling_initializer xavier_initializer xavier_initializer_conv2d",
    "contrib.layers.normalization": "group_norm instance_norm layer_norm poincare_normalize unit_norm",
    "contrib.layers.optimizers": "OPTIMIZER_CLS_NAMES OPTIMIZER_SUMMARIES adaptive_clipping_fn optimize_loss",
    "contrib.layers.pooling": "avg_pool2d avg_pool3d max_pool2d max_pool3d pool",
    "contrib.layers.regularizers": "apply_regularization l1_l2_regularizer l1_regularizer l2_regularizer "
    "sum_regularizer",
    "contrib.layers.reversible": "RevBlock recompute_grad rev_block",
    "contrib.layers.separable": "separable_convolution2d",
    "contrib.layers.sequence_columns": "parse_feature_columns_from_sequence_examples sequence_input_from_feature_columns",
    "contrib.layers.shaping": "dense_to_sparse dropout flatten images_to_sequence maxout one_hot_encoding "
    "sequence_to_images softmax spatial_softmax",
    "contrib.layers.sparse_ops": "dense_to_sparse_tensor indicators_to_sparse_ids sparse_row_envelope",
    "contrib.layers.summaries": "summarize_activation summarize_activations summarize_biases summarize_collection "
    "summarize_tensor summarize_tensors summarize_variables summarize_weights",
    "contrib.layers.target_columns": "multi_class_target regression_target",
}

SPELLED = {
    "conv1d": "contrib.layers.convolution.convolution1d",
    "conv2d": "contrib.layers.convolution.convolution2d",
    "conv2d_in_plane": "contrib.layers.convolution.convolution2d_in_plane",
    "conv2d_transpose": "contrib.layers.convolution.convolution2d_transpose",
    "conv3d": "contrib.layers.convolution.convolution3d",
    "conv3d_transpose": "contrib.layers.convolution.convolution3d_transpose",
    "separable_conv2d": "contrib.layers.separable.separable_convolution2d",
}

NESTED = {
    "feature_column": {
        "contrib.layers.feature_column_makers": "bucketized_column crossed_column embedding_column one_hot_column "
        "real_valued_column scattered_embedding_column shared_embedding_columns sparse_column_with_hash_bucket "
        "sparse_column_with_integerized_feature sparse_column_with_keys sparse_column_with_vocabulary_file "
        "weighted_sparse_column _real_valued_var_len_column",
        "contrib.layers.feature_column_inputs": "create_feature_spec_for_parsing "
        "make_place_holder_tensors_for_base_features",
        "contrib.layers.column_embeddings": "_embeddings_from_arguments",
        "contrib.layers.sequence_columns": "_create_sequence_feature_spec_for_parsing",
        "contrib.layers.column_base": "_DeepEmbeddingLookupArguments _FeatureColumn _LinearEmbeddingLookupArguments",
        "contrib.layers.feature_columns": "_BucketizedColumn _CrossedColumn _EmbeddingColumn _OneHotColumn "
        "_RealValuedColumn _RealValuedVarLenColumn _ScatteredEmbeddingColumn",
        "contrib.layers.sparse_columns": "_SparseColumn _SparseColumnHashed _SparseColumnIntegerized _SparseColumnKeys "
        "_SparseColumnVocabulary _SparseIdLookupConfig _WeightedSparseColumn",
    },
    "summaries": {
        "contrib.layers.summaries": "summarize_activation summarize_activations summarize_biases summarize_collection "
        "summarize_tensor summarize_tensors summarize_variables summarize_weights",
    },
}
