# Made by tools/make_stubs.py.

__all__ = ['_BucketizedColumn', '_CrossedColumn', '_DeepEmbeddingLookupArguments', '_EmbeddingColumn', '_FeatureColumn', '_LinearEmbeddingLookupArguments', '_OneHotColumn', '_RealValuedColumn', '_RealValuedVarLenColumn', '_ScatteredEmbeddingColumn', '_SparseColumn', '_SparseColumnHashed', '_SparseColumnIntegerized', '_SparseColumnKeys', '_SparseColumnVocabulary', '_SparseIdLookupConfig', '_WeightedSparseColumn', '_create_sequence_feature_spec_for_parsing', '_embeddings_from_arguments', '_real_valued_var_len_column', 'bucketized_column', 'create_feature_spec_for_parsing', 'crossed_column', 'embedding_column', 'make_place_holder_tensors_for_base_features', 'one_hot_column', 'real_valued_column', 'scattered_embedding_column', 'shared_embedding_columns', 'sparse_column_with_hash_bucket', 'sparse_column_with_integerized_feature', 'sparse_column_with_keys', 'sparse_column_with_vocabulary_file', 'weighted_sparse_column']
from headrace.contrib.layers.feature_columns import _BucketizedColumn as _BucketizedColumn
from headrace.contrib.layers.feature_columns import _CrossedColumn as _CrossedColumn
from headrace.contrib.layers.column_base import _DeepEmbeddingLookupArguments as _DeepEmbeddingLookupArguments
from headrace.contrib.layers.feature_columns import _EmbeddingColumn as _EmbeddingColumn
from headrace.contrib.layers.column_base import _FeatureColumn as _FeatureColumn
from headrace.contrib.layers.column_base import _LinearEmbeddingLookupArguments as _LinearEmbeddingLookupArguments
from headrace.contrib.layers.feature_columns import _OneHotColumn as _OneHotColumn
from headrace.contrib.layers.feature_columns import _RealValuedColumn as _RealValuedColumn
from headrace.contrib.layers.feature_columns import _RealValuedVarLenColumn as _RealValuedVarLenColumn
from headrace.contrib.layers.feature_columns import _ScatteredEmbeddingColumn as _ScatteredEmbeddingColumn
from headrace.contrib.layers.sparse_columns import _SparseColumn as _SparseColumn
from headrace.contrib.layers.sparse_columns import _SparseColumnHashed as _SparseColumnHashed
from headrace.contrib.layers.sparse_columns import _SparseColumnIntegerized as _SparseColumnIntegerized
from headrace.contrib.layers.sparse_columns import _SparseColumnKeys as _SparseColumnKeys
from headrace.contrib.layers.sparse_columns import _SparseColumnVocabulary as _SparseColumnVocabulary
from headrace.contrib.layers.sparse_columns import _SparseIdLookupConfig as _SparseIdLookupConfig
from headrace.contrib.layers.sparse_columns import _WeightedSparseColumn as _WeightedSparseColumn
from headrace.contrib.layers.sequence_columns import _create_sequence_feature_spec_for_parsing as _create_sequence_feature_spec_for_parsing
from headrace.contrib.layers.column_embeddings import _embeddings_from_arguments as _embeddings_from_arguments
from headrace.contrib.layers.feature_column_makers import _real_valued_var_len_column as _real_valued_var_len_column
from headrace.contrib.layers.feature_column_makers import bucketized_column as bucketized_column
from headrace.contrib.layers.feature_column_inputs import create_feature_spec_for_parsing as create_feature_spec_for_parsing
from headrace.contrib.layers.feature_column_makers import crossed_column as crossed_column
from headrace.contrib.layers.feature_column_makers import embedding_column as embedding_column
from headrace.contrib.layers.feature_column_inputs import make_place_holder_tensors_for_base_features as make_place_holder_tensors_for_base_features
from headrace.contrib.layers.feature_column_makers import one_hot_column as one_hot_column
from headrace.contrib.layers.feature_column_makers import real_valued_column as real_valued_column
from headrace.contrib.layers.feature_column_makers import scattered_embedding_column as scattered_embedding_column
from headrace.contrib.layers.feature_column_makers import shared_embedding_columns as shared_embedding_columns
from headrace.contrib.layers.feature_column_makers import sparse_column_with_hash_bucket as sparse_column_with_hash_bucket
from headrace.contrib.layers.feature_column_makers import sparse_column_with_integerized_feature as sparse_column_with_integerized_feature
from headrace.contrib.layers.feature_column_makers import sparse_column_with_keys as sparse_column_with_keys
from headrace.contrib.layers.feature_column_makers import sparse_column_with_vocabulary_file as sparse_column_with_vocabulary_file
from headrace.contrib.layers.feature_column_makers import weighted_sparse_column as weighted_sparse_column
