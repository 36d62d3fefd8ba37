"""Embeddings in the memory of a TPU, which are refused."""

from __future__ import annotations

from headrace.estimator.tpu.refusing import refused_class

EmbeddingConfigSpec = refused_class(
    "estimator.tpu.experimental.EmbeddingConfigSpec",
    "feature_columns=None, optimization_parameters=None, clipping_limit=None, pipeline_execution_with_tensor_core=False, "
    "experimental_gradient_multiplier_fn=None, feature_to_config_dict=None, table_to_config_dict=None, "
    "partition_strategy='div'",
    "embed the features in model_fn with tf.nn.embedding_lookup",
    constructor="__new__",
)
