"""The internal modules of Keras, estimators and feature columns; rows as in `internal_modules.PYTHON`."""

from __future__ import annotations

MODELS: dict[str, dict[str, str]] = {
    "estimator": {
        "estimator.estimator estimator.evaluating estimator.predicting estimator.model_fn estimator.util "
        "estimator .": "estimator estimator_lib",
        "estimator.early_stopping": "early_stopping",
        "estimator.exporter": "exporter",
        "estimator.extenders": "extenders",
        "estimator.mode_keys": "mode_keys",
        "estimator.model_fn estimator.mode_keys estimator.logit_fns estimator .": "model_fn",
        "estimator.run_config": "run_config",
        "estimator.training estimator": "training",
        "estimator.util util.inspection": "util",
        "estimator.gc": "gc",
        "estimator.keras estimator .": "keras",
    },
    "estimator.canned.timeseries": {
        "contrib.timeseries.ar_model contrib.timeseries.anomaly_ar_model contrib.timeseries.prediction_networks": "ar_model",
        "contrib.timeseries.estimators": "estimators",
        "contrib.timeseries.feature_keys": "feature_keys",
        "contrib.timeseries.head": "head",
        "contrib.timeseries.matrices contrib.timeseries.covariances contrib.timeseries.input_statistics": "math_utils",
        "contrib.timeseries.model contrib.timeseries.sequential_model": "model",
        "contrib.timeseries.model_utils": "model_utils",
        "contrib.timeseries.saved_model_utils": "saved_model_utils",
        "contrib.timeseries.state_management": "state_management",
    },
    "estimator.canned": {
        "estimator.canned.baseline estimator.canned.baseline_v2 estimator .": "baseline",
        "estimator.canned.boosted_trees estimator.canned.boosted_trees_model estimator.canned.boosted_trees_growing "
        "estimator.canned.boosted_trees_features estimator.canned.boosted_trees_explanations estimator .": "boosted_trees",
        "estimator.canned.boosted_trees_explanations": "boosted_trees_utils",
        "estimator.canned.dnn estimator.canned.dnn_v2 estimator.canned.layer_summaries estimator .": "dnn",
        "estimator.canned.dnn_linear_combined estimator.canned.dnn_linear_combined_v2 estimator .": "dnn_linear_combined",
        "estimator.canned.linear estimator.canned.linear_v2 estimator.canned.sdca estimator.canned.layer_summaries "
        "estimator .": "linear",
        "estimator.canned.optimizers estimator .": "optimizers",
        "estimator.canned.parsing estimator .": "parsing_utils",
        "estimator.heads.canned_heads estimator.heads.checking estimator .": "head",
        "estimator.heads.keys estimator .": "metric_keys prediction_keys",
        "estimator.canned.rnn estimator .": "rnn",
        "contrib.factorization.kmeans_core estimator .": "kmeans",
        "contrib.estimator.saved_model_estimator estimator .": "saved_model_estimator",
        "estimator .": "boosted_trees",
    },
    "estimator.tpu": {
        "estimator.tpu.config estimator .": "tpu_config",
        "estimator.tpu.estimator estimator.tpu.config estimator.tpu.spec estimator.tpu.embeddings estimator.tpu.rates "
        "estimator .": "tpu_estimator",
    },
    "estimator.canned.linear_optimizer.python.utils": {
        "estimator.linear_optimizer.sdca_model estimator.linear_optimizer.sparse_features": "sdca_ops",
        "estimator.linear_optimizer.sharded_table": "sharded_mutable_dense_hashtable",
    },
    "estimator.head": {
        "estimator.heads.base_head estimator.heads.checking estimator.heads.keys estimator .": "base_head",
        "estimator.heads.binary_class_head": "binary_class_head",
        "estimator.heads.canned_heads": "head_utils",
        "estimator.heads.multi_class_head": "multi_class_head",
        "estimator.heads.multi_head": "multi_head",
        "estimator.heads.multi_label_head": "multi_label_head",
        "estimator.heads.regression_head": "regression_head",
        "estimator.heads.sequential_head": "sequential_head",
    },
    "estimator.export": {
        "estimator.export.export saved_model.export_output estimator.exporting estimator .": "export export_lib export_output",
    },
    "estimator.hooks": {
        "estimator.hooks.checkpoint_step estimator.hooks.in_memory_evaluator sessions.hooks sessions.saving_hooks "
        "sessions.session_run_hook estimator .": "basic_session_run_hooks fake_summary_writer hooks session_run_hook",
    },
    "estimator.inputs": {"estimator.inputs.numpy_io estimator.inputs.pandas_io": "inputs numpy_io pandas_io"},
    "estimator.inputs.queues": {
        "estimator.inputs.feeding": "feeding_functions",
        "input_queues.feeding": "feeding_queue_runner",
    },
    "estimator.tools": {"estimator.checkpoint_converter": "checkpoint_converter"},
    "feature_column": {
        "feature_column.features_layer feature_column.serialization feature_column.input_layer feature_column.base "
        "feature_column.numeric feature_column.categorical feature_column.crossed feature_column.embedding "
        "feature_column.indicator feature_column.sequences feature_column.parsing feature_column.sequence_input "
        "feature_column.linear_layer feature_column.shared_embedding "
        "feature_column .": "dense_features dense_features_v2 feature_column feature_column_lib feature_column_v2 "
        "sequence_feature_column serialization utils",
    },
    "keras": {
        "keras.callbacks.base keras.callbacks.configuring keras.callbacks.tensorboard_v2 keras.callbacks": "callbacks",
        "keras.callbacks": "callbacks_v1",
        "keras.backend keras.backend_config keras.backend.sessions keras.backend.learning keras.backend.arrays "
        "keras.backend.arithmetic keras.backend.local keras.backend.devices": "backend",
        "keras.optimizers.update_rules keras.optimizers.update_lists keras.optimizers.serialization": "optimizers",
    },
    "keras.engine": {
        "keras.engine.base_layer_utils layers.policy": "base_layer_utils",
        "keras.engine.training_input_checks keras.engine.training_weights keras.engine.training_losses "
        "keras.engine.training_metrics keras.engine.training_aggregators keras.engine.training_model_inputs "
        "keras.engine.training_datasets keras.engine.training_splitting keras.engine.training_loop "
        "keras.engine.training_generator keras.engine.training_arrays keras.engine.training_dataset_kinds "
        "keras.engine.training_layer_inputs keras.engine": "training_utils",
        "keras.saving.hdf5_format": "saving",
    },
    "keras.layers": {
        "keras.layers.convolutional layers.convolutional layers.separable layers.transposed keras.layers": "convolutional",
        "keras.layers.core keras.layers.lambda_layer layers.core": "core",
        "keras.layers.local keras.layers.local_connections": "local",
        "layers.normalization keras.layers.normalization": "normalization",
        "keras.layers.pooling layers.pooling keras.layers": "pooling",
        "keras.layers.recurrent_base keras.layers.recurrent_cells keras.layers.recurrent_dropout "
        "keras.layers.recurrent_gru keras.layers.recurrent_lstm keras.layers.recurrent_simple "
        "keras.layers.recurrent_stacked keras.layers.recurrent_internals": "recurrent",
        "keras.layers.recurrent_v2 keras.layers.recurrent_internals": "recurrent_v2",
        "keras.layers.wrappers keras.layers.bidirectional": "wrappers",
    },
    "keras.mixed_precision.experimental": {
        "keras.mixed_precision.policy": "policy",
        "keras.mixed_precision.autocast_variable": "autocast_variable",
        "keras.mixed_precision.loss_scale_optimizer": "loss_scale_optimizer",
    },
    "keras.optimizer_v2": {
        "keras.optimizers.adadelta": "adadelta",
        "keras.optimizers.adagrad": "adagrad",
        "keras.optimizers.adam": "adam",
        "keras.optimizers.adamax": "adamax",
        "keras.optimizers.ftrl": "ftrl",
        "keras.optimizers.gradient_descent": "gradient_descent",
        "keras.optimizers.learning_rate_schedule": "learning_rate_schedule",
        "keras.optimizers.nadam": "nadam",
        "keras.optimizers.optimizer_v2": "optimizer_v2",
        "keras.optimizers.rmsprop": "rmsprop",
    },
    "keras.preprocessing": {
        "keras.preprocessing.image keras.preprocessing.image_files keras.preprocessing.image_folders "
        "keras.preprocessing.image_iterators keras.preprocessing.image_transforms": "image",
    },
    "keras.distribute": {
        "keras.engine.training_replicas keras.callbacks.configuring keras.backend.sessions": "distributed_training_utils",
        "keras.callbacks.training_state": "multi_worker_training_state",
    },
    "keras.utils": {
        "keras.utils.conv_utils layers.sizes": "conv_utils",
        "keras.utils.data_utils keras.utils.downloads keras.utils": "data_utils",
        "keras.utils.io_utils keras.utils": "io_utils",
    },
}
