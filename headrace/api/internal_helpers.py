"""Names of helpers inside 1.15's own modules that programs and tests called: see `internal_names`."""

from __future__ import annotations

HELPERS = {
    ("tpu.tpu_strategy_util", "initialize_tpu_system"): "distribute.tpu.initialize_tpu_system",
    ("training.optimizer", "get_filtered_grad_fn"): "optimizers.processors.get_filtered_grad_fn",
    ("ops.summary_ops_v2", "_INVALID_SCOPE_CHARACTERS"): "summary.summary_v2._NOT_IN_SCOPES",
    ("autograph.core.converter", "Base"): "autograph.transformers.Base",
    ("autograph.pyct.transformer", "Base"): "autograph.transformers.Base",
    ("ops.distributions.kullback_leibler", "_registered_kl"): "distributions.divergence._rule_for",
    ("ops.image_ops_impl", "ResizeMethodV1"): "image.ResizeMethod",
    ("ops.image_ops_impl", "_Assert3DImage"): "functions.image.checking.checked_single_image",
    ("ops.image_ops_impl", "_AssertAtLeast3DImage"): "functions.image.checking.checked_image",
    ("ops.image_ops_impl", "_AssertGrayscaleImage"): "functions.image.checking.checked_grayscale",
    ("ops.image_ops_impl", "_ImageDimensions"): "functions.image.checking.sizes_of",
    ("ops.image_ops_impl", "_assert"): "functions.image.checking.require",
    ("ops.image_ops_impl", "_is_tensor"): "functions.image.checking.is_tensor",
    ("ops.image_ops_impl", "_verify_compatible_image_shapes"): "functions.image.quality.checks_of_pair",
    ("ops.ragged.ragged_factory_ops", "_default_inner_shape_for_pylist"): (
        "functions.ragged.factory.default_inner_shape"
    ),
    ("ops.ragged.ragged_factory_ops", "_find_scalar_and_max_depth"): "functions.ragged.factory.depths_of",
    ("distribute.distribution_strategy_context", "get_distribution_strategy"): "distribute.get_strategy",
    ("distribute.distribution_strategy_context", "has_distribution_strategy"): "distribute.has_strategy",
    ("eager.remote", "connect_to_cluster"): "config.experimental_connect_to_cluster",
    ("feature_column.feature_column_v2", "categorical_column_with_vocabulary_file_v2"): (
        "feature_column.categorical.categorical_column_with_vocabulary_file_v2"
    ),
    ("framework.config", "get_optimizer_jit"): "config.optimizer.get_jit",
    ("framework.config", "set_optimizer_jit"): "config.optimizer.set_jit",
    ("keras.utils.data_utils", "terminate_keras_multiprocessing_pools"): (
        "keras.experimental.terminate_keras_multiprocessing_pools"
    ),
    ("layers.convolutional", "deconvolution2d"): "layers.conv2d_transpose",
    ("layers.convolutional", "deconvolution3d"): "layers.conv3d_transpose",
    ("ops.array_ops", "extract_image_patches_v2"): "image.extract_patches",
    ("ops.batch_ops", "batch_function"): "nondifferentiable_batch_function",
    ("ops.control_flow_ops", "cond_for_tf_v2"): "compat.v2.cond",
    ("ops.control_flow_ops", "from_control_flow_context_def"): "interop.control_flow.from_control_flow_context_def",
    ("ops.gradients_impl", "HessiansV2"): "compat.v2.hessians",
    **{
        ("ops.init_ops_v2", old): f"state.initializers_v2.{new}"
        for old, new in (
            ("identity_initializer", "Identity"),
            ("normal", "RandomNormal"),
            ("one", "Ones"),
            ("orthogonal", "Orthogonal"),
            ("uniform", "RandomUniform"),
            ("zero", "Zeros"),
        )
    },
    ("ops.numerics", "verify_tensor_all_finite_v2"): "compat.v2.debugging.assert_all_finite",
    ("ops.parsing_ops", "parse_single_example_v2_unoptimized"): "compat.v2.io.parse_single_example",
    ("ops.sparse_ops", "serialize_many_sparse_v2"): "compat.v2.io.serialize_many_sparse",
    ("ops.sparse_ops", "serialize_sparse_v2"): "compat.v2.io.serialize_sparse",
    **{
        ("ops.clustering_ops", name): f"contrib.factorization.kmeans.{name}"
        for name in (
            "CLUSTERS_VAR_NAME",
            "COSINE_DISTANCE",
            "KMC2_INIT",
            "KMEANS_PLUS_PLUS_INIT",
            "KMeans",
            "RANDOM_INIT",
            "SQUARED_EUCLIDEAN_DISTANCE",
        )
    },
    **{
        ("ops.rnn_cell_wrapper_impl", f"{kind}WrapperBase"): f"recurrent.wrappers.{kind}WrapperBase"
        for kind in ("Device", "Dropout", "Residual")
    },
    ("ops.variable_scope", "default_variable_creator_v2"): "state.variable_class.default_variable_creator_v2",
    ("estimator.export.export", "SINGLE_FEATURE_DEFAULT_NAME"): "estimator.export.export._SINGLE_FEATURE",
    ("estimator.export.export", "SINGLE_LABEL_DEFAULT_NAME"): "estimator.export.export._SINGLE_LABEL",
    ("estimator.export.export", "SINGLE_RECEIVER_DEFAULT_NAME"): "estimator.export.export._SINGLE_RECEIVER",
    ("estimator.inputs.pandas_io", "HAS_PANDAS"): "contrib.learn.pandas_data.HAS_PANDAS",
    ("estimator.inputs.queues.feeding_functions", "HAS_PANDAS"): "contrib.learn.pandas_data.HAS_PANDAS",
    ("estimator.util", "MAX_DIRECTORY_CREATION_ATTEMPTS"): "estimator.util._ATTEMPTS",
    ("keras.mixed_precision.experimental.policy", "USE_DEFAULT"): "keras.mixed_precision.policy._USE_DEFAULT",
    ("feature_column.utils", "assert_key_is_string"): "feature_column.base.check_key",
    ("feature_column.utils", "assert_string_or_int"): "feature_column.base.check_string_or_integer",
    ("feature_column.utils", "check_default_value"): "feature_column.numeric.checked_default",
    ("feature_column.utils", "sequence_length_from_sparse_tensor"): "feature_column.sequences.sequence_lengths",
}
