"""Names of TensorFlow's internal modules that are called otherwise here: (module, name) to (place, name).

The module's path is written without `tensorflow.python.` in front, or without `tensorflow.` where it lies elsewhere.
"""

from __future__ import annotations

from headrace.api.internal_estimators import ESTIMATORS

SPELLED = {
    **{
        ("distribute.all_reduce", f"_{name}"): f"distribute.{module}.{name}"
        for module, names in {
            "all_reduce": (
                "build_ring_gather build_ring_scatter build_shuffle_gather build_shuffle_scatter ring_permutations"
            ),
            "all_reduce_pieces": (
                "apply_unary_to_chunks flatten_tensors padded_split ragged_split reshape_tensors split_by_task "
                "strip_padding"
            ),
        }.items()
        for name in names.split(" ")
    },
    **{
        ("debug.cli.profile_analyzer_cli", f"_{name}"): f"debug.cli.profile_analyzer.{name}"
        for name in ("list_profile_filter", "list_profile_sort_key")
    },
    ("debug.cli.evaluator", "_parse_debug_tensor_name"): "debug.evaluator.parse_debug_tensor_name",
    ("training.tracking.graph_view", "_escape_local_name"): "checkpoints.object_graph.escaped",
    ("framework.versions", "__git_version__"): "core.version.__git_version__",
    ("framework.versions", "__version__"): "core.version.__version__",
    ("ops.parallel_for.gradients", "batch_jacobian"): "autodiff.jacobians.batch_jacobian",
    ("ops.parallel_for.gradients", "jacobian"): "autodiff.jacobians.jacobian",
    ("client.session", "_DeviceAttributes"): "runtime.session_devices.SessionDevice",
    ("module.module", "_is_variable"): "core.module.is_variable",
    ("ops.metrics_impl", "_streaming_confusion_matrix"): "metrics.classes.streaming_confusion_matrix",
    ("eager.def_function", "Function"): "state.polymorphic_function.PolymorphicFunction",
    ("distribute.collective_all_reduce_strategy", "CollectiveAllReduceStrategy"): "distribute.multi_worker_mirrored."
    "MultiWorkerMirroredStrategy",
    ("distribute.collective_all_reduce_strategy", "CollectiveAllReduceStrategyV1"): "distribute.multi_worker_mirrored."
    "MultiWorkerMirroredStrategyV1",
    ("distribute.distribute_coordinator", "_Barrier"): "distribute.coordinator_worker.Barrier",
    ("distribute.distribute_coordinator", "_TaskType"): "distribute.coordinator_worker.TaskType",
    ("distribute.distribute_coordinator", "_WorkerContext"): "distribute.coordinator_worker.CoordinatedWorker",
    ("distribute.cross_device_ops", "CollectiveAllReduce"): "distribute.collectives.CollectiveAllReduce",
    ("distribute.cross_device_ops", "CollectiveCommunication"): "distribute.collectives.CollectiveCommunication",
    (
        "distribute.central_storage_strategy",
        "CentralStorageStrategy",
    ): "distribute.parameter_server.CentralStorageStrategy",
    ("distribute.cross_device_utils", "aggregate_gradients_using_hierarchical_copy"): "distribute.cross_device_utils."
    "aggregate_gradients_using_copy",
    ("distribute.cross_device_ops", "AllReduceCrossTowerOps"): "distribute.cross_device_ops.AllReduceCrossDeviceOps",
    ("distribute.distribute_lib", "StrategyExtendedV2"): "distribute.extended.StrategyExtended",
    ("distribute.input_lib", "DistributedDatasetV1"): "distribute.distributed_datasets.DistributedDataset",
    (
        "distribute.input_lib",
        "DistributedDatasetsFromFunctionV1",
    ): "distribute.distributed_datasets.DistributedDatasetsFromFunction",
    ("distribute.input_lib", "DistributedIteratorV1"): "distribute.distributed_datasets.DistributedIterator",
    ("distribute.input_lib", "get_distributed_dataset"): "distribute.distributed_datasets.DistributedDataset",
    (
        "distribute.input_lib",
        "get_distributed_datasets_from_function",
    ): "distribute.distributed_datasets.DistributedDatasetsFromFunction",
    ("distribute.distribute_lib", "Strategy"): "distribute.strategy.Strategy",
    ("distribute.distribute_lib", "_DefaultDistributionStrategy"): "distribute.default_strategy.DefaultStrategy",
    ("distribute.distribute_lib", "_DefaultDistributionExtended"): "distribute.default_strategy.DefaultExtended",
    (
        "distribute.distribution_strategy_context",
        "_get_default_strategy",
    ): "distribute.default_strategy.default_strategy",
    (
        "distribute.distribution_strategy_context",
        "_get_default_replica_context",
    ): "distribute.default_strategy.default_replica_context",
    ("saved_model.model_utils", "EXPORT_TAG_MAP"): "estimator.mode_maps.EXPORT_TAG_MAP",
    ("saved_model.model_utils", "SIGNATURE_KEY_MAP"): "estimator.mode_maps.SIGNATURE_KEY_MAP",
    ("saved_model.model_utils.export_utils", "get_timestamped_export_dir"): "estimator.util.get_timestamped_dir",
    (
        "saved_model.model_utils.export_utils",
        "get_temp_export_dir",
    ): "contrib.learn.export_strategy.get_temp_export_dir",
    ("saved_model.model_utils.export_utils", "ModeKeys"): "keras.utils.mode_keys.ModeKeys",
    ("saved_model.model_utils.export_utils", "SINGLE_FEATURE_DEFAULT_NAME"): "estimator.export.export._SINGLE_FEATURE",
    ("saved_model.model_utils.export_utils", "SINGLE_LABEL_DEFAULT_NAME"): "estimator.export.export._SINGLE_LABEL",
    (
        "saved_model.model_utils.export_utils",
        "SINGLE_RECEIVER_DEFAULT_NAME",
    ): "estimator.export.export._SINGLE_RECEIVER",
    ("saved_model.model_utils.export_utils", "MAX_DIRECTORY_CREATION_ATTEMPTS"): "estimator.util.ATTEMPTS",
    ("distribute.distribution_strategy_context", "_get_default_replica_mode"): "state.replication.default_mode",
    ("distribute.distribution_strategy_context", "_get_per_thread_mode"): "state.replication.current_mode",
    ("distribute.mirrored_strategy", "MirroredStrategy"): "distribute.mirrored.MirroredStrategy",
    ("distribute.one_device_strategy", "OneDeviceStrategy"): "distribute.one_device.OneDeviceStrategy",
    ("distribute.parameter_server_strategy", "ParameterServerStrategy"): "distribute.parameter_server."
    "ParameterServerStrategy",
    (
        "distribute.parameter_server_strategy",
        "ParameterServerStrategyExtended",
    ): "distribute.parameter_server.ParameterServerExtended",
    ("distribute.values", "_MirroredSaveable"): "distribute.mirrored_variables.MirroredSaveable",
    ("distribute.values", "_SyncOnReadSaveable"): "distribute.sync_on_read.SyncOnReadSaveable",
    ("eager.context", "_EagerTensorCache"): "config.eager_tensor_cache.EagerTensorCache",
    ("training.tracking.data_structures", "_DictWrapper"): "checkpoints.containers.DictWrapper",
    ("training.tracking.data_structures", "_UntrackableError"): "checkpoints.containers.UntrackableError",
    ("saved_model.load_v1_in_v2", "load"): "saved_model.objects_loading.load",
    ("eager.core", "_FallbackException"): "config.eager_operations.FallbackException",
    ("eager.core", "_NotOkStatusException"): "config.eager_operations.NotOkStatusException",
    ("eager.core", "_SymbolicException"): "config.eager_operations.SymbolicException",
    ("eager.core", "_status_to_exception"): "config.eager_operations.status_to_exception",
    ("saved_model.builder", "_SavedModelBuilder"): "saved_model.signature_writing.SignatureBuilder",
    ("saved_model.builder_impl", "_SavedModelBuilder"): "saved_model.signature_writing.SignatureBuilder",
    **{
        ("contrib.estimator.python.estimator.replicate_model_fn", f"_{name}"): f"contrib.estimator.{place}"
        for name, place in {
            "compute_sum_on_device": "tower_optimizer.sum_on_device",
            "get_local_devices": "replicate_model_fn.local_devices",
            **{
                name: f"replicate_model_fn.{name}"
                for name in (
                    "VariableDistributionMode",
                    "concat_tensor_dicts",
                    "eval_spec",
                    "get_loss_towers",
                    "local_device_setter",
                    "predict_spec",
                    "reduce_metric_variables",
                    "replicate_model_fn_with_mode",
                    "split_batch",
                    "train_spec",
                )
            },
        }.items()
    },
    ("contrib.feature_column.python.feature_column.sequence_feature_column", "concatenate_context_input"): (
        "feature_column.sequence_input.concatenate_context_input"
    ),
    ("contrib.image.python.ops.interpolate_spline", "_cross_squared_distance_matrix"): (
        "contrib.image.warping.squared_distances"
    ),
    ("contrib.image.python.ops.interpolate_spline", "_phi"): "contrib.image.warping.radial_basis",
    ("contrib.image.python.ops.sparse_image_warp", "_add_zero_flow_controls_at_boundary"): (
        "contrib.image.warping.with_still_boundary"
    ),
    ("contrib.image.python.ops.sparse_image_warp", "_get_boundary_locations"): (
        "contrib.image.warping.boundary_locations"
    ),
    ("contrib.image.python.ops.sparse_image_warp", "_get_grid_locations"): "contrib.image.warping.grid_locations",
    **{
        ("keras.layers.convolutional", old): f"layers.transposed.{new}"
        for old, new in (
            ("Deconv2D", "Conv2DTranspose"),
            ("Deconvolution2D", "Conv2DTranspose"),
            ("Deconv3D", "Conv3DTranspose"),
            ("Deconvolution3D", "Conv3DTranspose"),
        )
    },
    ("keras.layers.merge", "_Merge"): "keras.layers.merge.Merge",
    ("keras.layers.normalization", "BatchNormalizationBase"): "layers.normalization.BatchNormalization",
    ("keras.optimizer_v2.rmsprop", "RMSProp"): "keras.optimizers.rmsprop.RMSprop",
    ("keras.engine.base_layer_utils", "CallContext"): "layers.context.CallContext",
    ("keras.engine.training_utils", "check_generator_arguments"): "keras.engine.training_splitting.check_no_targets",
    ("keras.mixed_precision.experimental.autocast_variable", "AutoCastDistributedVariable"): (
        "keras.mixed_precision.autocast_variable.create_autocast_distributed_variable"
    ),
    ("keras.backend", "_SESSION"): "keras.backend.sessions.kept_session",
    ("keras.backend", "_current_graph"): "keras.backend.sessions.graph_of",
    ("keras.backend", "_get_session"): "keras.backend.sessions.uninitialized_session",
    ("keras.backend", "_has_nchw_support"): "keras.backend.devices.has_nchw_support",
    ("keras.backend", "_initialize_variables"): "keras.backend.sessions.initialize_variables",
    ("keras.backend", "_is_symbolic_tensor"): "keras.utils.tf_utils.is_symbolic_tensor",
    ("keras.backend", "_to_tensor"): "core.convert.convert_to_tensor",
    ("keras.backend", "backend_config"): "keras.backend_config",
    ("layers.base", "keras_style_scope"): "layers.base.keras_style_scope",
    ("layers.base", "set_keras_style"): "layers.base.set_keras_style",
    ("keras.optimizers", "adadelta_v2"): "keras.optimizers.adadelta",
    ("keras.optimizers", "adagrad_v2"): "keras.optimizers.adagrad",
    ("keras.optimizers", "adam_v2"): "keras.optimizers.adam",
    ("keras.optimizers", "adamax_v2"): "keras.optimizers.adamax",
    ("keras.optimizers", "gradient_descent_v2"): "keras.optimizers.gradient_descent",
    ("keras.optimizers", "nadam_v2"): "keras.optimizers.nadam",
    ("keras.optimizers", "rmsprop_v2"): "keras.optimizers.rmsprop",
    ("ops.ctc_ops", "_forward_backward_log"): "functions.nn.ctc_states.forward_backward_log",
    ("ops.ctc_ops", "_get_dim"): "functions.nn.ctc_functions.size_of",
    ("ops.ctc_ops", "_scan"): "functions.nn.ctc_states.scan",
    ("ops.ctc_ops", "_state_to_olabel"): "functions.nn.ctc_states.labels_of_states",
    ("ops.ctc_ops", "ctc_state_log_probs"): "functions.nn.ctc_states.ctc_state_log_probs",
    ("framework.config", "get_optimizer_experimental_options"): "config.optimizer_options.get_experimental_options",
    ("framework.config", "set_optimizer_experimental_options"): "config.optimizer_options.set_experimental_options",
    **{
        ("lib.io.file_io", f"{old}_v2"): f"compat.v2.io.gfile.{new}"
        for old, new in (
            ("copy", "copy"),
            ("create_dir", "mkdir"),
            ("delete_file", "remove"),
            ("delete_recursively", "rmtree"),
            ("file_exists", "exists"),
            ("get_matching_files", "glob"),
            ("is_directory", "isdir"),
            ("list_directory", "listdir"),
            ("recursive_create_dir", "makedirs"),
            ("rename", "rename"),
            ("stat", "stat"),
            ("walk", "walk"),
        )
    },
    **{
        ("data.util.structure", f"_{kind}Structure"): f"data.structure_util.{kind}Structure"
        for kind in ("RaggedTensor", "SparseTensor", "Tensor", "TensorArray")
    },
    **{
        (f"data.{module}", f"_{name}"): f"data.dataset_classes.{name}"
        for module, names in {
            "ops.dataset_ops": "GeneratorDataset OptionsDataset UnbatchDataset VariantDataset",
            "experimental.ops.distribute": "AutoShardDataset RebatchDataset",
            "experimental.ops.interleave_ops": "DirectedInterleaveDataset",
        }.items()
        for name in names.split(" ")
    },
    ("contrib.rnn.python.ops.lstm_ops", "_block_lstm"): "contrib.rnn.block_ops.block_lstm",
    ("contrib.rnn.python.ops.lstm_ops", "_lstm_block_cell"): "contrib.rnn.block_ops.lstm_block_cell",
    ("contrib.text.python.ops.skip_gram_ops", "_filter_input"): "contrib.text.filtered",
    ("ops.control_flow_ops", "_Enter"): "ops.flow.frames.enter",
    ("ops.control_flow_ops", "_Identity"): "ops.flow.grouping.identity_of_reference",
    ("ops.control_flow_ops", "_NextIteration"): "ops.flow.frames.next_iteration",
    ("ops.control_flow_ops", "_SwitchRefOrTensor"): "ops.flow.switching.switch_ref_or_tensor",
    ("ops.gradient_checker_v2", "_to_numpy"): "autodiff.function_checker.to_numpy",
    ("data.ops.optional_ops", "_OptionalImpl"): "data.optional.Optional",
    ("ops.script_ops", "eager_py_func"): "py_function",
    ("ops.image_ops", "ResizeMethod"): "compat.v2.image.ResizeMethod",
    ("ops.image_ops", "ResizeMethodV1"): "image.ResizeMethod",
    **ESTIMATORS,
    ("tpu.tpu_strategy_util", "initialize_tpu_system"): "distribute.tpu.initialize_tpu_system",
    ("training.optimizer", "get_filtered_grad_fn"): "optimizers.processors.get_filtered_grad_fn",
    ("ops.summary_ops_v2", "_INVALID_SCOPE_CHARACTERS"): "summary.summary_v2._NOT_IN_SCOPES",
    ("autograph.core.converter", "Base"): "autograph.transformers.Base",
    ("autograph.pyct.transformer", "Base"): "autograph.transformers.Base",
    ("ops.distributions.kullback_leibler", "_registered_kl"): "distributions.divergence._rule_for",
    ("ops.image_ops_impl", "ResizeMethod"): "compat.v2.image.ResizeMethod",
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
            ("constant", "Constant"),
            ("identity", "Identity"),
            ("identity_initializer", "Identity"),
            ("normal", "RandomNormal"),
            ("ones", "Ones"),
            ("random_normal", "RandomNormal"),
            ("random_uniform", "RandomUniform"),
            ("truncated_normal", "TruncatedNormal"),
            ("zeros", "Zeros"),
            ("one", "Ones"),
            ("orthogonal", "Orthogonal"),
            ("uniform", "RandomUniform"),
            ("zero", "Zeros"),
        )
    },
    ("ops.init_ops_v2", "_compute_fans"): "state.initializers.compute_fans",
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
    ("estimator.util", "MAX_DIRECTORY_CREATION_ATTEMPTS"): "estimator.util.ATTEMPTS",
    ("keras.mixed_precision.experimental.policy", "USE_DEFAULT"): "keras.mixed_precision.policy._USE_DEFAULT",
    ("feature_column.utils", "assert_key_is_string"): "feature_column.base.check_key",
    ("feature_column.utils", "assert_string_or_int"): "feature_column.base.check_string_or_integer",
    ("feature_column.utils", "check_default_value"): "feature_column.numeric.checked_default",
    ("feature_column.utils", "sequence_length_from_sparse_tensor"): "feature_column.sequences.sequence_lengths",
    ("ops.lookup_ops", "StaticHashTableV1"): "lookup.StaticHashTable",
    ("ops.lookup_ops", "StaticVocabularyTableV1"): "lookup.StaticVocabularyTable",
    ("ops.sparse_ops", "sparse_dense_cwise_add"): "functions.sparse.elementwise.sparse_dense_cwise_add",
    ("ops.distributions.kullback_leibler", "_DIVERGENCES"): "distributions.divergence._rules",
    ("ops.sparse_ops", "_add_many_sparse_to_tensors_map"): "ops.sparse.maps.add_many_sparse_to_tensors_map",
    ("ops.sparse_ops", "_add_sparse_to_tensors_map"): "ops.sparse.maps.add_sparse_to_tensors_map",
    ("ops.sparse_ops", "_sparse_cross"): "ops.sparse.cross.sparse_cross",
    ("ops.sparse_ops", "_sparse_cross_hashed"): "ops.sparse.cross.sparse_cross_hashed",
    ("ops.sparse_ops", "_take_many_sparse_from_tensors_map"): "ops.sparse.maps.take_many_sparse_from_tensors_map",
    ("ops.array_ops", "get_positive_axis"): "functions.ragged.tensor.positive_axis",
    ("ops.ragged.ragged_util", "get_positive_axis"): "functions.ragged.tensor.positive_axis",
    ("ops.ragged.ragged_array_ops", "ragged_one_hot"): "functions.ragged.layout.one_hot",
    ("ops.ragged.ragged_getitem", "ragged_tensor_getitem"): "functions.ragged.indexing.getitem",
    ("ops.ragged.ragged_string_ops", "string_bytes_split"): "strings.bytes_split",
    ("ops.ragged.ragged_string_ops", "string_split_v2"): "compat.v2.strings.split",
    ("ops.ragged.ragged_string_ops", "strings_split_v1"): "strings.split",
    ("ops.string_ops", "substr_deprecated"): "substr",
    ("ops.summary_ops_v2", "summary_scope"): "summary.summary_v2.summary_scope",
    ("ops.variables", "Variable"): "state.variable_v2.InternalVariable",
    ("contrib.learn.python.learn.estimators.dnn", "_dnn_model_fn"): "contrib.learn.columns_models.dnn_model_fn",
    ("contrib.learn.python.learn.estimators.dnn_linear_combined", "_dnn_linear_combined_model_fn"): (
        "contrib.learn.columns_models.combined_model_fn"
    ),
    (
        "contrib.learn.python.learn.estimators.linear",
        "_linear_model_fn",
    ): "contrib.learn.columns_models.linear_model_fn",
    (
        "contrib.distributions.python.ops.shape",
        "_DistributionShape",
    ): "distributions.event_matrices.EventMatrices",
    **{
        (f"contrib.{module}", "_" + name): f"contrib.{place}.{name}"
        for module, place, names in (
            (
                "factorization.python.ops.kmeans",
                "factorization.kmeans_estimator",
                "LossRelativeChangeHook",
            ),
            ("factorization.python.ops.kmeans", "factorization.cluster_initializing", "InitializeClustersHook"),
            ("factorization.python.ops.gmm", "factorization.cluster_initializing", "InitializeClustersHook"),
            ("learn.python.learn.estimators.dnn", "learn.linear_optimizers", "get_optimizer"),
            ("learn.python.learn.estimators.linear", "learn.linear_optimizers", "get_optimizer"),
            ("learn.python.learn.estimators.linear", "learn.sdca_models", "SdcaUpdateWeightsHook"),
            ("linear_optimizer.python.sdca_estimator", "learn.sdca_models", "SdcaUpdateWeightsHook"),
            (
                "model_pruning.python.pruning",
                "model_pruning.masks",
                "MASK_COLLECTION THRESHOLD_COLLECTION MASKED_WEIGHT_COLLECTION WEIGHT_COLLECTION MASKED_WEIGHT_NAME",
            ),
            ("model_pruning.python.strip_pruning_vars_lib", "model_pruning.masks", "get_masked_weights"),
            ("seq2seq.python.ops.beam_search_decoder", "seq2seq.beams", "length_penalty"),
            ("slim.python.slim.learning", "training.train_ops", "USE_GLOBAL_STEP"),
            ("training.python.training.training", "training.train_ops", "USE_GLOBAL_STEP"),
        )
        for name in names.split(" ")
    },
    ("contrib.training.python.training.sampling_ops", "_verify_input"): "contrib.training.sampling.checked_input",
    ("training.device_setter", "_RoundRobinStrategy"): "sessions.cluster.RoundRobinStrategy",
    ("saved_model.loader_impl", "_parse_saved_model"): "saved_model.loading.parse_saved_model",
}
