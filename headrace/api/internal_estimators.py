"""Names of 1.15's own modules of feature columns, estimators and strategies that are called otherwise here.

A row goes from a module, without `tensorflow.python.` or `tensorflow.` in front, to places and the names that each of them has:
"old=new", or "_old" for what is public among the smaller modules here, `old`.
"""

from __future__ import annotations

# Of both generations of columns.
_COLUMNS: dict[str, str] = {
    "feature_column.numeric": "_BucketizedColumn _NumericColumn _bucketized_column _numeric_column",
    "feature_column.legacy": (
        "_CategoricalColumn=LegacyCategoricalColumn _DenseColumn=LegacyDenseColumn "
        "_FeatureColumn=LegacyFeatureColumn _SequenceDenseColumn=LegacySequenceDenseColumn"
    ),
    "feature_column.crossed": "_CrossedColumn _crossed_column",
    "feature_column.embedding": "_EmbeddingColumn _embedding_column",
    "feature_column.categorical": (
        "_HashedCategoricalColumn _IdentityCategoricalColumn _VocabularyFileCategoricalColumn "
        "_VocabularyListCategoricalColumn _WeightedCategoricalColumn _categorical_column_with_hash_bucket "
        "_categorical_column_with_identity _categorical_column_with_vocabulary_file "
        "_categorical_column_with_vocabulary_list _weighted_categorical_column"
    ),
    "feature_column.indicator": "_IndicatorColumn _indicator_column",
    "feature_column.base": (
        "_LazyBuilder=TransformationCache _to_sparse_input_and_drop_ignore_values=to_sparse_and_drop"
    ),
    "feature_column.sequences": "_SequenceCategoricalColumn",
    "feature_column.input_layer": (
        "_normalize_feature_columns=normalized _verify_static_batch_size_equality=check_batch_sizes"
    ),
}

_ROWS: dict[str, dict[str, str]] = {
    "estimator.canned.boosted_trees": {
        "estimator.canned.boosted_trees_model": (
            "_StopAtAttemptsHook _bt_model_fn=boosted_trees_model_fn _bt_explanations_fn=explanations_model_fn"
        ),
        "estimator.canned.boosted_trees_growing": (
            "_TreeHParams _EnsembleGrower _InMemoryEnsembleGrower=EnsembleGrower _AccumulatorEnsembleGrower"
        ),
        "estimator.canned.boosted_trees_features": (
            "_calculate_num_features _generate_feature_col_name_mapping=feature_names "
            "_group_features_by_num_buckets _is_float_column _get_float_feature_columns=float_columns"
        ),
        "estimator.canned.boosted_trees_explanations": (
            "_compute_feature_importances _compute_feature_importances_per_tree=feature_importances_of_tree"
        ),
        "estimator.canned.boosted_trees": (
            "_create_regression_head _create_classification_head _create_classification_head_and_closed_form"
        ),
    },
    "estimator.canned.boosted_trees_utils": {
        "estimator.canned.boosted_trees_explanations": (
            "_DEBUG_PROTO_KEY _compute_directional_feature_contributions=directional_feature_contributions "
            "_identity _parse_debug_proto_string _parse_explanations_from_prediction _sigmoid "
            "_sum_by_feature_col_name_and_sort"
        ),
    },
    "feature_column.feature_column": {
        **_COLUMNS,
        "feature_column.reusing": "InputLayer=InputLayer _LinearModel=_LinearModel _transform_features",
        "feature_column.input_layer": "_internal_input_layer=make_input_layer _get_expanded_variable_list=_parts",
    },
    "feature_column.feature_column_v2": {
        **_COLUMNS,
        "feature_column.features_layer": (
            "_StateManagerImpl=LayerState _BaseFeaturesLayer=_FeaturesLayer _StateManagerImplV2=KerasLayerState"
        ),
        "feature_column.linear_layer": "_LinearModelLayer=LinearModel",
        "feature_column.parsing": "make_parse_example_spec_v2=make_parse_example_spec",
        "feature_column.reusing": "_transform_features_v2=transform_features",
        "feature_column.serialization": "_check_config_keys _standardize_and_copy_config",
    },
    "estimator.keras": {
        "estimator.keras": "_create_keras_model_fn _any_weight_initialized=_has_values",
    },
    "estimator.inputs.queues.feeding_functions": {
        "estimator.inputs.feeding": (
            "_enqueue_data _ArrayFeedFn _OrderedDictNumpyFeedFn=DictFeedFn _PandasFeedFn _GeneratorFeedFn "
            "_fill_array _pad_if_needed _get_integer_indices_for_next_batch=next_rows"
        ),
    },
    "estimator.inputs.queues.feeding_queue_runner": {
        "input_queues.feeding": "_FeedingQueueRunner",
    },
    "estimator.training": {
        "estimator.training": (
            "_TrainingExecutor _assert_eval_spec=_check_eval_spec _validate_input_fn=_check_input_fn "
            "_validate_hooks=_checked _validate_exporters=_exporters"
        ),
        "estimator.checkpoint_evaluation": (
            "_EvalStatus _EvalResult=EvaluationResult _NewCheckpointListenerForEvaluate=EvaluatingListener "
            "_ContinuousEvalListener=ContinuousEvaluationListener _StopAtSecsHook"
        ),
    },
    "estimator.canned.baseline": {
        "estimator.canned.baseline": (
            "_baseline_model_fn _baseline_logit_fn_builder _get_weight_column_key=key_of_weights "
            "_get_batch_size_and_size_checks=batch_size_and_checks"
        ),
        "estimator.canned.baseline_v2": "_baseline_model_fn_v2",
    },
    "estimator.canned.dnn": {
        "estimator.canned.dnn": "_dnn_model_fn",
        "estimator.canned.layer_summaries": "_add_hidden_layer_summary=summarize_layer",
        "estimator.canned.dnn_v2": "_DNNModelV2=DNNModel",
        "estimator.canned.partitioning": "_validate_features=check_features",
        "state.scoping": "_name_from_scope_name",
    },
    "estimator.canned.head": {
        "estimator.heads.canned_heads": (
            "_Head=CannedHead _binary_logistic_head_with_sigmoid_cross_entropy_loss=binary_logistic_head "
            "_binary_logistic_or_multi_class_head=binary_or_multi_class_head "
            "_multi_class_head_with_softmax_cross_entropy_loss=multi_class_head _regression_head "
            "_MultiClassHeadWithSoftmaxCrossEntropyLoss=MultiClassSoftmaxHead "
            "_BinaryLogisticHeadWithSigmoidCrossEntropyLoss=BinaryLogisticHead "
            "_RegressionHeadWithMeanSquaredErrorLoss=MeanSquaredErrorHead"
        ),
        "estimator.heads.keys": "_summary_key _DEFAULT_SERVING_KEY",
        "estimator.heads.parts": "_create_eval_metrics_tuple",
        "estimator.heads.checking": (
            "_check_dense_labels_match_logits_and_reshape=check_labels "
            "_get_weights_and_check_match_logits=weights_of _check_logits_final_dim "
            "_validate_loss_fn_args=check_loss_fn _validate_n_classes=checked_n_classes _call_loss_fn"
        ),
        "estimator.heads.classes": "_all_class_ids _all_classes _classification_output",
        "estimator.heads.streaming_metrics": (
            "_accuracy_baseline _accuracy_at_threshold=accuracy_at _precision_at_threshold=precision_at "
            "_recall_at_threshold=recall_at"
        ),
    },
    "estimator.canned.linear": {
        "estimator.canned.layer_summaries": "_compute_fraction_of_zero=fraction_of_zero",
        "estimator.canned.linear": "_linear_model_fn",
        "estimator.canned.sdca": (
            "_sdca_model_fn _SDCAUpdateWeightsHook=UpdateWeightsHook "
            "_validate_linear_sdca_optimizer_for_linear_classifier=check_sdca_classifier "
            "_validate_linear_sdca_optimizer_for_linear_regressor=check_sdca_regressor"
        ),
        "estimator.canned.linear_v2": "_linear_model_fn_v2",
    },
    "estimator.canned.linear_optimizer.python.utils.sharded_mutable_dense_hashtable": {
        "estimator.linear_optimizer.sharded_table": "_ShardedMutableDenseHashTable",
    },
    "estimator.canned.linear_optimizer.python.utils.sdca_ops": {
        "estimator.linear_optimizer.sdca_model": "_SDCAModel=SdcaModel",
        "estimator.linear_optimizer.sparse_features": "_SparseFeatureColumn",
    },
    "estimator.export.export": {
        "contrib.estimator.export": (
            "build_supervised_input_receiver_fn_from_input_fn=build_supervised_input_receiver_fn_from_input_fn"
        ),
    },
    "estimator.export.export_lib": {
        "contrib.estimator.export": (
            "build_supervised_input_receiver_fn_from_input_fn=build_supervised_input_receiver_fn_from_input_fn"
        ),
        "estimator.exporting": "EXPORT_TAG_MAP=EXPORT_TAG_MAP",
    },
    "estimator.head.head_utils": {
        "estimator.heads.keys": "_DEFAULT_SERVING_KEY",
        "testing.head_checks": "_assert_no_hooks _assert_simple_summaries _initialize_variables",
    },
    "estimator.run_config": {
        "estimator.run_config": "get_default_session_config=default_session_config",
    },
    "estimator.gc": {
        "estimator.gc": (
            "_get_paths _largest_export_versions _mod_export_version _negation _one_of_every_n_export_versions _union"
        ),
    },
    "estimator.estimator": {
        "estimator.estimator": "EstimatorV1=Estimator _load_global_step_from_checkpoint_dir=_step_of_checkpoint",
        "estimator.arguments": (
            "_check_hooks_type=checked_hooks _get_replica_device_setter=device_setter_of "
            "_verify_model_fn_args=check_model_fn "
            "maybe_overwrite_model_dir_and_session_config=with_model_dir_and_session_config "
            "_check_listeners_type=checked_listeners"
        ),
        "estimator.evaluating": (
            "_write_dict_to_summary=write_results _write_checkpoint_path_to_summary=write_checkpoint_path"
        ),
        "estimator.warm_start": "_get_default_warm_start_settings=as_warm_start_settings",
    },
    "estimator.head.sequential_head": {
        "estimator.heads.sequential_head": "_flatten_tensor _SequentialHead",
    },
    "estimator.model_fn": {
        "estimator.tpu.spec": "_TPUEstimatorSpec",
        "estimator.model_fn": (
            "_validate_estimator_spec_train_op=_checked_train_op _validate_estimator_spec_loss=_checked_loss "
            "_validate_estimator_spec_predictions=_checked_predictions _validate_eval_metric_ops=_checked_metrics"
        ),
        "estimator.arguments": "verify_model_fn_args=check_model_fn",
    },
    "feature_column.serialization": {
        "feature_column.serialization": "_column_name_with_class_name",
    },
    "estimator.util": {
        "estimator.util": "_DatasetInitializerHook",
    },
    "estimator.exporter": {
        "estimator.exporter": "_verify_compare_fn_args=_check_comparison",
    },
    "estimator.early_stopping": {
        "estimator.early_stopping": (
            "_summaries=_events _get_or_create_stop_var=_stop_variable "
            "_stop_if_threshold_crossed_hook=_stop_at_threshold "
            "_stop_if_no_metric_improvement_hook=_stop_without_change"
        ),
    },
    "estimator.hooks.hooks": {
        "estimator.hooks.checkpoint_step": "_StopAtCheckpointStepHook",
    },
    "estimator.head.base_head": {
        "estimator.heads.checking": (
            "check_dense_labels_match_logits_and_reshape=check_labels get_weights_and_check_match_logits=weights_of "
            "validate_loss_fn_args=check_loss_fn validate_loss_reduction=check_loss_reduction "
            "validate_n_classes=checked_n_classes check_prediction_keys=check_keys"
        ),
        "estimator.heads.classes": (
            "all_class_ids=all_class_ids all_classes=all_classes classification_output=classification_output"
        ),
        "estimator.heads.base_head": (
            "update_metric_with_broadcast_weights=update_broadcast validate_v2_optimizer=check_optimizer "
            "validate_trainable_variables=check_trainable_variables"
        ),
        "estimator.heads.parts": (
            "create_eval_metrics_tuple=create_eval_metrics_tuple "
            "create_estimator_spec_train_op=create_estimator_spec_train_op "
            "create_estimator_spec_summary=create_estimator_spec_summary validate_update_ops=check_update_ops"
        ),
    },
    "estimator.canned.dnn_linear_combined": {
        "estimator.canned.dnn_linear_combined": (
            "_dnn_linear_combined_model_fn=combined_model_fn _check_no_sync_replicas_optimizer=check_not_synchronized"
        ),
        "estimator.canned.dnn_linear_combined_v2": "_dnn_linear_combined_model_fn_v2=combined_model_fn_v2",
        "estimator.canned.layer_summaries": "_add_layer_summary=summarize_layer",
    },
    "estimator.canned.parsing_utils": {
        "estimator.canned.parsing": (
            "classifier_parse_example_spec_v2=classifier_parse_example_spec "
            "regressor_parse_example_spec_v2=regressor_parse_example_spec "
            "_add_label_and_weight_to_parsing_spec=_with_label_and_weight"
        ),
    },
    "distribute.mirrored_strategy": {
        "distribute.local_devices": (
            "_is_device_list_local=are_local _cluster_spec_to_device_list=devices_of_cluster "
            "_group_device_list=grouped _infer_num_gpus_per_worker=gpus_per_worker _is_gpu_device=is_gpu"
        ),
        "distribute.replica_threads": "_call_for_each_replica",
    },
    "distribute.multi_worker_util": {
        "distribute.multi_worker_util": "_validate_cluster_spec=_checked",
    },
    "distribute.cross_device_ops": {
        "distribute.cross_device_ops": "_normalize_value_destination_pairs=_valid_pairs _simple_reduce=_reduced_on",
        "distribute.cross_device_utils": "_ConcatAndSplitPacker _AggregateSmallTensorPacker=SmallTensorPacker",
    },
    "distribute.cross_device_utils": {
        "distribute.multi_worker_ops": "sum_grad_and_var_all_reduce=sum_grad_and_var_all_reduce",
    },
    "distribute.values": {
        "distribute.variables": "_apply_aggregation=aggregated _enter_or_assert_strategy=in_scope_of",
        "distribute.device_names": "_devices_match",
    },
    "distribute.distribution_strategy_context": {
        "state.replication": (
            "_CrossReplicaThreadMode=cross_replica_mode _InReplicaThreadMode=replica_mode _push_per_thread_mode=push_mode "
            "_pop_per_thread_mode=pop_mode"
        ),
    },
    "distribute.shared_variable_creator": {
        "distribute.replica_threads": "make_fn=shared_creator _canonicalize_variable_name=_plain_name",
    },
    "distribute.input_ops": {
        "distribute.batch_splitting": "_clone_dataset",
    },
    "distribute.distribute_coordinator": {
        "distribute.coordinator_worker": "_get_num_workers=_num_workers",
    },
    "distribute.distribute_lib": {
        "distribute.checks": (
            "_require_cross_replica_or_default_context_extended=require_cross_replica_or_default_context "
            "_require_strategy_scope_strategy=require_scope _require_strategy_scope_extended=require_scope"
        ),
    },
    "distribute.cluster_resolver.tfconfig_cluster_resolver": {
        "distribute.cluster_resolvers.tf_config": "_load_tf_config",
    },
    "contrib.learn.python.learn.estimators.dnn_linear_combined": {
        "contrib.learn.linear_optimizers": "_get_embedding_variable=embedding_variable",
    },
    "contrib.training.python.training.sequence_queueing_state_saver": {
        "contrib.training.sequence_batching": "_deconstruct_sparse_tensor_seq _reconstruct_sparse_tensor_seq",
    },
    "contrib.estimator.python.estimator.rnn": {
        "contrib.estimator.rnn": "_make_rnn_cell_fn=_cell_fn _select_last_activations=_last_activations",
    },
}


def _target(place: str, word: str) -> tuple[str, str]:
    old, _, new = word.partition("=")
    return old, f"{place}.{new or old[1:]}"


ESTIMATORS: dict[tuple[str, str], str] = {
    (module, old): target
    for module, places in _ROWS.items()
    for place, words in places.items()
    for old, target in (_target(place, word) for word in words.split(" "))
}
