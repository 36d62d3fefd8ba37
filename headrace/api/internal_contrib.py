"""The modules of contrib's own source tree below its public ones, and where their names are looked up here.

As the rows of `internal_modules`, from places to the modules whose names are theirs, a folder of `tensorflow.contrib` each. In
places "+" stands for "contrib.".
"""

from __future__ import annotations

CONTRIB: dict[str, dict[str, str]] = {
    "bayesflow.python.ops": {
        "+bayesflow.monte_carlo": "monte_carlo_impl",
    },
    "cudnn_rnn.python.ops": {
        "+cudnn_rnn.cudnn_rnn_ops +cudnn_rnn.converters +cudnn_rnn.saveables +cudnn_rnn recurrent.internals .": (
            "cudnn_rnn_ops"
        ),
    },
    "eager.python": {
        "+eager.metrics +eager .": "metrics_impl",
    },
    "copy_graph.python.util": {
        "+copy_graph": "copy_elements",
    },
    "checkpoint.python": {
        "+checkpoint": "split_dependency",
    },
    "distribute.python": {
        "+distribute.strategies +distribute .": "mirrored_strategy one_device_strategy parameter_server_strategy",
        "+distribute.steps": "monitor step_fn",
        "distribute.multi_worker_mirrored +distribute .": "collective_all_reduce_strategy",
    },
    "distributions.python.ops": {
        "distributions.scales distributions.mixing "
        "distributions.static_logic python.ops.distributions.util": "distribution_util",
        "distributions.event_matrices": "shape",
        "distributions.sampling_tests": "test_util",
        "+distributions.statistical_testing +distributions.sample_counts": "statistical_testing",
        "distributions.vector_student_t": "vector_student_t",
        "distributions.vectors": "vector_exponential_linear_operator vector_laplace_linear_operator",
    },
    "estimator.python.estimator": {
        "+estimator.export +estimator .": "export",
        "+estimator.extenders +estimator .": "extenders",
        "+estimator.multi_head +estimator .": "multi_head",
        "+estimator.replicate_model_fn +estimator .": "replicate_model_fn",
        "+estimator.rnn +estimator .": "rnn",
        "+estimator.saved_model_estimator +estimator .": "saved_model_estimator",
    },
    "factorization.python.ops": {
        "+factorization +factorization.mixtures .": "gmm_ops",
        "+factorization.kmeans +factorization .": "clustering_ops",
        "+factorization.kmeans_estimator +factorization .": "kmeans",
        "+factorization.wals_estimator +factorization .": "wals",
    },
    "framework.python": {
        "+framework +framework.printing .": "ops",
    },
    "framework.python.ops": {
        "ops.audio.wav ops.audio.spectrogram": "audio_ops",
        "+framework checkpoints.vocabularies .": "checkpoint_ops",
        "+framework.printing +framework .": "prettyprint_ops",
    },
    "image.python.ops": {
        "+image.warping +image .": "dense_image_warp interpolate_spline sparse_image_warp",
        "+image .": "single_image_random_dot_stereograms",
    },
    "layers.python.layers": {
        "+layers +layers.feature_column_inputs .": "feature_column_ops",
        "+layers +layers.shaping .": "layers",
        "+layers.target_columns +layers .": "target_column",
    },
    "learn.python.learn.estimators": {
        "+learn.recurrent_parts +learn .": "constants rnn_common",
        "+learn.scores +learn.trainable +learn.parameters +learn.base_estimator": "_sklearn",
        "+learn.composable_model": "composable_model",
        "+learn.debug +learn .": "debug",
        "+learn.dynamic_rnn +learn.recurrent_parts +learn .": "dynamic_rnn_estimator",
        "+learn.state_saving_rnn +learn.dynamic_rnn +learn .": "state_saving_rnn_estimator",
        "+learn.estimator +learn.estimator_inputs +learn.estimator_exports +learn .": "estimator",
        "+learn.kmeans +learn .": "kmeans",
        "+learn.linear +learn.sdca_models +learn .": "linear",
        "+learn.head +learn.classification_heads +learn.heads +learn.head_combinations +learn .": "head",
        "+learn.metric_key +learn .": "metric_key",
        "+learn.model_outputs +learn.metric_spec +learn .": "model_fn",
        "+learn.run_config +learn .": "run_config",
        "+learn.model_estimators": "base",
        "+learn.array_models": "rnn",
        "+learn.iris_inputs": "estimator_test_utils test_data",
        "+learn.tensor_signatures": "tensor_signature",
    },
    "learn.python.learn.ops": {
        "+learn.classifier_ops": "embeddings_ops losses_ops",
        "+learn.seq2seq_ops": "seq2seq_ops",
    },
    "learn.python.learn": {
        "+learn.experiment +learn .": "experiment",
        "+learn.export_strategy +learn .": "export_strategy",
        "+learn.data_feeder +learn.pandas_data +learn.input_fns +learn .": "learn_io",
        "+learn.monitors +learn .": "monitors",
        "+learn.learn_runner +learn .": "learn_runner_lib",
        "sessions.monitored_session sessions.session_creators sessions.scaffold train .": "monitored_session",
        "sessions.session_run_hook train .": "session_run_hook",
        "checkpoints.checkpoint_utils +learn.graph_runs +learn .": "graph_actions",
    },
    "learn.python.learn.learn_io": {
        "+learn.pandas_data +learn.data_feeder +learn .": "dask_io",
        "+learn.data_feeder +learn.pandas_data +learn .": "data_feeder",
        "+learn.pandas_data +learn.input_fns +learn .": "pandas_io",
        "+learn.input_fns +learn .": "generator_io numpy_io",
    },
    "learn.python.learn.utils": {
        "+learn.bundle_exports": "export",
        "estimator.gc +learn .": "gc",
        "+learn.serving_inputs +learn .": "input_fn_utils",
        "+learn.export_strategy +learn.signatures +learn .": "saved_model_export_utils",
    },
    "linear_optimizer.python.ops": {
        "estimator.linear_optimizer.sharded_table estimator.linear_optimizer.sdca_model "
        "estimator.linear_optimizer.sparse_features .": "sdca_ops sharded_mutable_dense_hashtable sparse_feature_column",
    },
    "linear_optimizer.python": {
        "+linear_optimizer.sdca_estimator +learn.sdca_models": "sdca_estimator",
    },
    "lookup": {
        "+lookup": "lookup_ops",
    },
    "losses.python": {
        "losses.metric_learning losses.clustering": "metric_learning",
    },
    "losses.python.metric_learning": {
        "losses.metric_learning losses.clustering": "metric_loss_ops",
    },
    "metrics.python.ops": {
        "+metrics metrics.histograms .": "histogram_ops",
        "+metrics metrics.concat_metrics .": "metric_ops",
    },
    "model_pruning.python": {
        "+model_pruning.pruning +model_pruning.masks .": "pruning pruning_utils",
    },
    "nn.python.ops": {
        "+nn.alpha_dropout +nn .": "alpha_dropout",
        "+nn.fwd_gradients +nn .": "fwd_gradients",
        "+nn.scaled_softplus +nn .": "scaled_softplus",
    },
    "opt.python.training": {
        "+opt optimizers.centers": "agn_optimizer elastic_average_optimizer model_average_optimizer",
        "optimizers.matrix_roots": "matrix_functions",
        "+opt optimizers.weight_decay": "weight_decay_optimizers",
    },
    "predictor": {
        "+predictor.arithmetic_estimators": "testing_common",
        "+predictor.contrib_estimators": "contrib_estimator_predictor",
        "+predictor.estimators": "core_estimator_predictor",
        "+predictor.predictors": "predictor saved_model_predictor",
        "+predictor": "predictor_factories",
    },
    "seq2seq.python.ops": {
        "+seq2seq.attention_layers +seq2seq.monotonic_layers +seq2seq.attention_wrapper "
        "+seq2seq.attention +seq2seq.monotonic .": "attention_wrapper",
        "+seq2seq.decoder_layers +seq2seq.decoder .": "decoder",
        "+seq2seq.decoder_layers +seq2seq.basic_decoder .": "basic_decoder",
        "+seq2seq.decoder_layers +seq2seq.beam_search_decoder .": "beam_search_decoder",
        "+seq2seq.sampler": "sampler",
        "+seq2seq.helper +seq2seq.sampling +seq2seq .": "helper",
        # Modules of 1.0 and 1.1.
        "+seq2seq.decoder_functions +seq2seq.attention_functions": "attention_decoder_fn",
        "+seq2seq.decoder_functions": "decoder_fn seq2seq",
        "+seq2seq.dynamic_attention +seq2seq.attention": "dynamic_attention_wrapper",
    },
    "receptive_field": {
        "+receptive_field": "receptive_field_api",
    },
    "receptive_field.python.util": {
        "+receptive_field.compute_order": "graph_compute_order",
        "+receptive_field.layer_parameters": "parse_layer_parameters",
        "+receptive_field.receptive_field": "receptive_field",
    },
    "recurrent.python.ops": {
        "+recurrent.functional_rnn": "functional_rnn",
        "+recurrent.recurrent": "recurrent",
    },
    "recurrent.python": {
        "+recurrent.functional_rnn +recurrent.recurrent": "recurrent_api",
    },
    "rnn.python.ops": {
        "recurrent.internals +rnn .": "core_rnn_cell",
    },
    "saved_model.python.saved_model": {
        "graph_tools.saved_models": "reader",
    },
    "slim.python.slim.nets": {
        f"+slim.nets.inception_v{version} +slim.nets.stages +slim.nets .": f"inception_v{version}"
        for version in (1, 2, 3)
    },
    "specs": {
        "+specs.params +specs.nets +specs.composable +specs.operators +specs.summaries": "python",
    },
    "specs.python": {
        "+specs.params": "params_ops",
        "+specs.nets": "specs",
        "+specs.composable": "specs_lib",
        "+specs.operators": "specs_ops",
        "+specs.summaries": "summaries",
    },
    "sparsemax.python.ops": {
        "+sparsemax .": "sparsemax sparsemax_loss",
    },
    "timeseries.python": {
        "+timeseries +timeseries.estimators +timeseries.readers +timeseries.input_fns +timeseries.head "
        "+timeseries.feature_keys +timeseries.prediction_networks +timeseries.anomaly_ar_model .": "timeseries",
    },
    "timeseries.python.timeseries": {
        "+timeseries.ar_model +timeseries.anomaly_ar_model +timeseries.prediction_networks": "ar_model",
        "+timeseries.estimators": "estimators",
        "+timeseries.feature_keys": "feature_keys",
        "+timeseries.head": "head",
        "+timeseries.readers +timeseries.input_fns": "input_pipeline",
        "+timeseries.matrices +timeseries.covariances +timeseries.input_statistics +timeseries.tensor_tables": "math_utils",
        "+timeseries.model +timeseries.sequential_model": "model",
        "+timeseries.model_utils": "model_utils",
        "+timeseries.saved_model_utils": "saved_model_utils",
        "+timeseries.state_management": "state_management",
        "": "state_space_models",
    },
    "timeseries.python.timeseries.state_space_models": {
        "+timeseries.state_space.filtering_postprocessor": "filtering_postprocessor",
        "+timeseries.state_space.kalman_filter": "kalman_filter",
        "+timeseries.state_space.level_trend": "level_trend",
        "+timeseries.state_space.periodic": "periodic",
        "+timeseries.state_space.state_space_model "
        "+timeseries.state_space.ensembles +timeseries.state_space.configuration": "state_space_model",
        "+timeseries.state_space.structural_ensemble": "structural_ensemble",
        "+timeseries.state_space.varma": "varma",
    },
    "training.python.training": {
        "+training +training.sequence_states +training.sequence_batching .": "sequence_queueing_state_saver",
        "+training.tuner": "tuner",
    },
    "util": {
        "config.behavior": "loader",
    },
    "boosted_trees.estimator_batch": {
        "+boosted_trees.custom_loss_head .": "custom_loss_head",
        "+boosted_trees.estimators +boosted_trees.core_estimators .": "estimator",
        "+boosted_trees.model_functions .": "estimator_utils model",
        "+boosted_trees.trainer_hooks .": "trainer_hooks",
    },
    "boosted_trees.lib.learner.batch": {
        "+boosted_trees.split_handler .": "base_split_handler",
        "+boosted_trees.categorical_split_handler .": "categorical_split_handler",
        "+boosted_trees.ordinal_split_handlers .": "ordinal_split_handler",
    },
    "boosted_trees.proto": {
        "messages.boosted_tree_protos": "learner_pb2 quantiles_pb2 split_info_pb2 tree_config_pb2",
    },
    "boosted_trees.python.ops": {
        "+boosted_trees.scheduled_ops api.gen_ops .": "batch_ops_utils",
        "api.gen_ops .": "boosted_trees_ops_loader prediction_ops split_handler_ops training_ops",
        "+boosted_trees.tree_ensemble api.gen_ops .": "model_ops",
        "+boosted_trees.quantile_accumulator api.gen_ops .": "quantile_ops",
        "+boosted_trees.stats_accumulator api.gen_ops .": "stats_accumulator_ops",
    },
    "boosted_trees.python.training.functions": {
        "+boosted_trees.gbdt_model +boosted_trees.training_state +boosted_trees.batch_features .": "gbdt_batch",
    },
    "boosted_trees.python.utils": {
        "+boosted_trees.losses .": "losses",
    },
    "decision_trees.proto": {
        "messages.forest_protos": "generic_tree_model_extensions_pb2 generic_tree_model_pb2",
    },
    "tensor_forest.client": {
        "+tensor_forest.eval_metrics .": "eval_metrics",
        "+tensor_forest.random_forest +tensor_forest.core_random_forest .": "random_forest",
    },
    "tensor_forest.proto": {
        "messages.forest_protos": "fertile_stats_pb2 tensor_forest_params_pb2",
    },
    "tensor_forest.python.ops": {
        "+tensor_forest.data_spec api.gen_ops .": "data_ops",
        "+tensor_forest.tree_variable api.gen_ops .": "model_ops",
        "+tensor_forest.stats_variable api.gen_ops .": "stats_ops",
        "api.gen_ops .": "tensor_forest_ops",
    },
    "tensor_forest.python": {
        "+tensor_forest.forest +tensor_forest.forest_params .": "tensor_forest",
    },
}
# Folders that are packages, and no modules.
FOLDERS = (
    "boosted_trees.estimator_batch",
    "boosted_trees.lib",
    "boosted_trees.lib.learner",
    "boosted_trees.lib.learner.batch",
    "boosted_trees.proto",
    "boosted_trees.python",
    "boosted_trees.python.ops",
    "boosted_trees.python.training",
    "boosted_trees.python.training.functions",
    "boosted_trees.python.utils",
    "decision_trees.proto",
    "tensor_forest.client",
    "tensor_forest.proto",
    "tensor_forest.python",
    "tensor_forest.python.ops",
)
