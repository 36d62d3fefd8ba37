"""The modules of 1.15's own source tree below `tensorflow.python`, and where their names are looked up here.

A row goes from places, tried in order, to the modules whose names are theirs: public modules, implementation modules
(both relative to the package), and "." for the root. There are rows for older spellings of the tree too.
"""

from __future__ import annotations

from headrace.api.internal_models import MODELS

PYTHON: dict[str, dict[str, str]] = {
    **MODELS,
    "client": {
        "runtime.session runtime.interactive_session runtime.fetching .": "session",
        "pywrap_tensorflow .": "pywrap_tf_session",
        "profiler.timeline": "timeline",
        "devices.listing": "device_lib",
    },
    "compat": {"util.compat compat .": "compat", ".": "v2_compat"},
    "data.experimental": {},
    "data.experimental.kernel_tests": {
        "testing.data_tests": "reader_dataset_ops_test_base stats_dataset_test_base",
    },
    "data.experimental.kernel_tests.serialization": {"testing.data_tests": "dataset_serialization_test_base"},
    "data.experimental.ops": {
        "data.experimental data.versions data.sources data.tuning data.grouping data.stateful data .": "batching "
        "cardinality counter distribute "
        "enumerate_ops error_ops get_single_element grouping interleave_ops iterator_ops map_defun matching_files "
        "optimization parsing_ops prefetching_ops random_ops readers resampling scan_ops shuffle_ops sleep snapshot "
        "take_while_ops threadpool unique writers",
        "data.options": "distribute_options optimization_options stats_options threading_options",
        "data.statistics data.versions": "stats_aggregator stats_ops",
    },
    "data.kernel_tests": {"testing.data_tests": "test_base"},
    "data.ops": {
        "data.dataset data.dataset_classes data.options data.structure data.arguments data.element_functions "
        "data.experimental data .": "dataset_ops",
        "data.iterator data.dataset data.optional data .": "iterator_ops",
        "data.multi_device": "multi_device_iterator_ops",
        "data.optional data.structure": "optional_ops",
        "data.readers data.versions data .": "readers",
    },
    "data.util": {
        "data.argument_tensors": "convert traverse",
        "data.nest": "nest",
        "data.option_sets data.options": "options",
        "data.seeds": "random_seed",
        "data.sparse_elements": "sparse",
        "data.structure_util data.structure": "structure",
    },
    "debug.cli": {
        "debug.cli.analyzer": "analyzer_cli",
        "debug.cli.config": "cli_config",
        "debug.cli.shared": "cli_shared",
        "debug.cli.reading": "command_parser",
        "debug.cli.registries debug.cli.rich_text debug.cli.menus debug.terminal": "debugger_cli_common",
        "debug.cli.prompts": "base_ui readline_ui ui_factory",
        "debug.cli.tensors": "tensor_format",
    },
    "debug.lib": {
        "debug.dump_dir debug.dumped_tensors debug.values debug.dump_files": "debug_data",
        "debug.run_keys debug.values": "common",
        "debug.watch_options": "debug_utils",
        "debug.debug_graphs debug.tracing debug.values": "debug_graphs",
        "debug.profiling": "profiling",
        "debug.sources debug.profiling": "source_utils",
        "debug.gradients": "debug_gradients",
    },
    "debug.wrappers": {
        "debug.sessions debug.session_requests": "dumping_wrapper framework",
        "debug.local_cli debug.sessions debug.session_requests": "local_cli_wrapper",
        "debug.hooks debug.remote": "hooks",
        "debug.remote": "grpc_wrapper",
    },
    "distribute": {
        "distribute.strategy distribute.extended distribute.default_strategy distribute.replica_context "
        "state.replication distribute.mirrored distribute .": "distribute_lib",
        "state.replication distribute .": "distribution_strategy_context",
        "distribute.mirrored distribute.replica_threads distribute.local_devices "
        "distribute.cluster_resolvers.tf_config distribute .": "mirrored_strategy",
        "distribute.one_device .": "one_device_strategy",
        "distribute.parameter_server distribute.cluster_resolvers.base .": "parameter_server_strategy "
        "central_storage_strategy",
        "distribute.cross_device_ops distribute.multi_worker_ops distribute .": "cross_device_ops",
        "distribute.cross_device_utils distribute.collectives distribute .": "cross_device_utils",
        "distribute.all_reduce distribute.all_reduce_levels distribute.all_reduce_pieces": "all_reduce",
        "distribute.collectives distribute.multi_worker_mirrored distribute .": "collective_all_reduce_strategy",
        "distribute.coordinator distribute .": "distribute_coordinator",
        "estimator.coordinated .": "estimator_training",
        "distribute.multi_worker_util distribute.worker_context": "multi_worker_util",
        "distribute.worker_context": "distribute_coordinator_context",
        "distribute.distribute_config": "distribute_config",
        "distribute.device_names": "device_util",
        "distribute.values distribute.device_maps distribute.mirrored_variables distribute.sync_on_read "
        "distribute.aggregating distribute.variables": "values",
        "distribute.distributed_datasets distribute.input_workers distribute.step_loops "
        "distribute.batch_splitting": "input_lib input_ops",
        "distribute.numpy_datasets": "numpy_dataset",
        "distribute.tpu distribute.cluster_resolvers.tpu": "tpu_strategy",
        "contrib.distribute.steps": "step_fn",
        "contrib.distribute.loss_examples": "single_loss_example",
        "state.modes": "reduce_util",
    },
    "distribute.model_collection": {"contrib.distribute.simple_models": "simple_models model_collection_base"},
    "distribute.cluster_resolver": {
        "distribute.cluster_resolvers.base distribute.cluster_resolvers.simple": "cluster_resolver",
        "distribute.cluster_resolvers.gce": "gce_cluster_resolver",
        "distribute.cluster_resolvers.kubernetes": "kubernetes_cluster_resolver",
        "distribute.cluster_resolvers.slurm": "slurm_cluster_resolver",
        "distribute.cluster_resolvers.tf_config distribute.cluster_resolvers.base": "tfconfig_cluster_resolver",
        "distribute.cluster_resolvers.tpu": "tpu_cluster_resolver",
    },
    "eager": {
        "config.eager_context config.context_settings config.context_scopes config.settings .": "context",
        "contrib.eager.backprop contrib.eager.functional .": "backprop",
        "contrib.eager.callbacks config.eager_context .": "execution_callbacks",
        "config.eager_operations contrib.eager.callbacks config.eager_context .": "execute",
        "autodiff.tape autodiff.gradient_tape .": "tape",
        "config.eager_context": "remote",
        "config.eager_executors": "executor",
        "profiler.monitoring": "monitoring",
        "state.polymorphic_function state.concrete_function state.registered_functions .": "def_function function",
        "state.wrapped_function .": "wrap_function",
        "state.function_bodies state.lifted_initial_values": "lift_to_graph",
        "autodiff.forward_accumulator .": "forwardprop",
        "core.eager core.errors .": "core",
        "testing.eager_main testing.test_util testing.layouts testing.graph_comparison test .": "test",
    },
    "framework": {
        "core.graph core.defaults core.operation core.tensor core.convert core.registry core.gradient_registry "
        "core.collections "
        "core.framework_ops core.bare_operations core.composite state.scoping .": "ops",
        "core.dtypes .": "dtypes",
        "core.shapes .": "tensor_shape",
        "core.errors errors .": "errors errors_impl",
        "core.device .": "device device_spec",
        "core.registry_of_objects": "registry",
        "core.registry core.graph core.defaults messages.op_lists .": "op_def_registry importer",
        "core.error_interpolation": "error_interpolation",
        "core.traceable_stack": "traceable_stack",
        "graph_tools.subscribing": "subscribe",
        "state.defun state.loaded_defun .": "function",
        "core.func_graph state.function_bodies core.graph_functions .": "func_graph",
        "state.automatic_dependencies .": "auto_control_deps",
        "core.op_def_library": "op_def_library",
        "functions.array.constant_v2 core.convert core.operation core.tensor core.constant_value .": "constant_op",
        "core.convert core.operation core.tensor .": "tensor_like",
        "core.tensor_conversion_registry": "tensor_conversion_registry",
        "core.common_shapes core.shapes .": "common_shapes",
        "core.tensor_util messages.tensor_proto core.convert core.operation core.tensor .": "tensor_util",
        "functions.flow.case .": "smart_cond",
        "messages.function_graphs": "function_def_to_graph graph_to_function_def",
        "interop.meta_graph interop.meta_graph_imports messages.op_lists .": "meta_graph",
        "core.composite core.type_specs core.bounded_tensor_spec core.framework_ops core.convert "
        ".": "sparse_tensor indexed_slices",
        "core.composite_tensors": "composite_tensor",
        "functions.composite_values": "composite_tensor_utils",
        "core.type_specs core.bounded_tensor_spec .": "tensor_spec type_spec",
        "config.settings config .": "config",
        "messages.graph_files .": "graph_io",
        ".": "framework_lib load_library",
        "core.random_seed .": "random_seed",
        "messages.graph_util graph_util .": "graph_util graph_util_impl",
        "graph_tools.function_freezing messages.graph_util .": "convert_to_constants",
        "version core.version .": "versions",
        "testing.test_ops": "test_ops",
        "testing.test_util testing.layouts testing.graph_comparison test .": "test_util",
        "testing.combinations": "combinations test_combinations",
    },
    "module": {"checkpoints.module .": "module"},
    "layers": {
        "layers .": "base convolutional core layers normalization pooling",
        "layers.sizes layers.conditions .": "utils",
    },
    "lib.io": {"files.file_io gfile io .": "file_io", "files.records python_io io .": "python_io tf_record"},
    "ops": {
        "ops.collective.collective": "collective_ops",
        "ops.collective.nccl": "nccl_ops",
        "state.critical_section .": "critical_section_ops",
        "functions.queues.staging functions.queues.barriers functions.readers.record_input "
        "functions.queues.queues . api.gen_ops": "data_flow_ops",
        "estimator.canned.boosted_trees_resources api.gen_ops": "boosted_trees_ops",
        "autodiff.products .": "gradients gradients_impl gradients_util",
        "state.updates state.variables state.variable_class state.variable_op . api.gen_ops": "state_ops",
        "state.variables state.variable_class state.ref_variables state.collecting state.modes state.partitioned "
        "state.slice_info state.initial_values .": "variables",
        "state.resource_variables state.resource_variable_class state.handles state.variables state.variable_class "
        "ops.state.resource . api.gen_ops": "resource_variable_ops",
        "state.variable_scope state.current_scope state.variables state.variable_store state.partitioned "
        "state.create_partitioned state.scoping state.modes .": "variable_scope",
        "state.partitioned state.create_partitioned .": "partitioned_variables",
        "state.template .": "template",
        "state.functional .": "functional_ops",
        "math ops.math.matmul ops.math.reduce functions.composite_slices . api.gen_ops": "math_ops",
        "math .": "special_math_ops",
        "bitwise math .": "bitwise_ops",
        "math functions.squeezing .": "confusion_matrix",
        "ops.flow.switching ops.flow.grouping functions.flow.cond functions.flow.case "
        "functions.flow.inspecting functions.flow.while_context functions.flow.xla_context ops.flow.frames "
        "functions.flow.assertion "
        "functions.flow.modes . api.gen_ops": ("control_flow_ops control_flow_util"),
        "config.behavior config.function_options functions.flow.modes": "control_flow_v2_toggles",
        "functions.flow.v2_functions": "cond_v2 while_v2 control_flow_util_v2",
        "functions.array.constant_v2 kernels.composing.shapes ops.array.shape functions.array.gather "
        "ops.array.gather "
        "ops.array.fake_quant ops.array.slice functions.array.brackets . api.gen_ops": "array_ops",
        "sessions.resources .": "resources",
        "runtime.session_handles .": "session_ops",
        "strings ops.string.text ops.string.regex functions.string.splitting ops.flow.printing . "
        "api.gen_ops": "string_ops",
        ". api.gen_ops": "io_ops logging_ops inplace_ops",
        "functions.flow.list_ops api.gen_ops .": "list_ops",
        "functions.flow.custom_gradient kernels.state.handles .": "custom_gradient",
        ".": "standard_ops "
        "map_fn "
        "script_ops tensor_array_ops "
        "clip_ops manip_ops histogram_ops unconnected_gradients "
        "numerics sort_ops batch_ops array_grad math_grad nn_grad "
        "control_flow_grad data_flow_grad linalg_grad sparse_grad state_grad tensor_array_grad image_grad random_grad "
        "manip_grad rnn_grad optional_grad cudnn_rnn_grad default_gradient",
        "io .": "proto_ops",
        "initializers state.initializers state.orthogonal_kernels .": "init_ops initializers_ns",
        "state.initializers_v2 .": "init_ops_v2",
        "random ops.random.normal . api.gen_ops": "random_ops",
        "state.random_generators random ops.random.normal . api.gen_ops": "stateful_random_ops",
        "random contrib.stateless .": "stateless_random_ops",
        "debugging .": "check_ops",
        "nn functions.nn.moments functions.math.counting .": "nn",
        "nn .": "candidate_sampling_ops clustering_ops",
        "nn functions.nn.embedding .": "embedding_ops",
        "nn functions.nn.moments functions.nn.sampled_losses .": "nn_impl",
        "nn functions.nn.prepared_convolution ops.nn.bias ops.nn.fractional_pooling functions.math.counting . "
        "api.gen_ops": "nn_ops",
        "nn functions.nn.ctc_functions .": "ctc_ops",
        "recurrent.internals nn .": "rnn",
        "nn.rnn_cell recurrent.internals nn .": "rnn_cell rnn_cell_impl rnn_cell_wrapper_impl",
        "contrib.legacy_seq2seq.seq2seq contrib.legacy_seq2seq .": "seq2seq",
        "linalg . api.gen_ops": "linalg_ops linalg_ops_impl",
        "image .": "image_ops image_ops_impl",
        "io . api.gen_ops": "parsing_ops",
        "lookup lookup.tables lookup.mutable_tables lookup.bucketed_tables lookup.initializers lookup.vocabularies . "
        "api.gen_ops": "lookup_ops",
        "metrics metrics.local_variables .": "metrics metrics_impl",
        "sets .": "sets sets_impl",
        "sparse . ops.sparse.cross functions.sparse.layout functions.sparse.building ops.sparse.slice "
        "functions.sparse.serialized "
        "api.gen_ops": "sparse_ops",
        "summary .": "summary_ops",
        "contrib.graph_editor.select contrib.graph_editor.util contrib.graph_editor.lifting .": "op_selector",
        "contrib.summary contrib.summary.recorded_summaries summary.resource_writers summary.recording summary.tracing "
        "summary.summary_v2 summary .": "summary_ops_v2",
        "summary.operations .": "summary_op_util",
        "functions.weights .": "weights_broadcast_ops",
        "signal spectral .": "spectral_ops",
        "test .": "gradient_checker",
        "autodiff.function_checker": "gradient_checker_v2",
    },
    "ops.distributions": {
        "distributions distributions.divergence .": "distributions",
        "distributions.base distributions .": "distribution",
        "distributions.bijector distributions .": "bijector bijector_impl identity_bijector",
        "distributions.discrete distributions .": "bernoulli categorical dirichlet_multinomial multinomial",
        "distributions.divergence distributions .": "kullback_leibler",
        "distributions.gamma distributions .": "beta dirichlet exponential gamma",
        "distributions.normal distributions .": "laplace normal student_t uniform",
        "distributions.transformed distributions .": "transformed_distribution",
        "distributions.checking": "bijector_test_util",
        "distributions.special": "special_math",
        "distributions.parameters distributions.static_logic distributions.padding distributions.documenting "
        "functions.array.rotation distributions.triangular_shaping distributions.statistics "
        "distributions.quadrature": "util",
    },
    "ops.linalg": {
        "linalg functions.math.exponential .": "linalg linalg_impl",
        "linalg .": "linear_operator linear_operator_block_diag linear_operator_composition "
        "linear_operator_diag linear_operator_full_matrix linear_operator_householder linear_operator_inversion "
        "linear_operator_low_rank_update linear_operator_lower_triangular linear_operator_adjoint "
        "linear_operator_zeros",
        "linalg functions.linalg.circulant .": "linear_operator_circulant",
        "linalg functions.linalg.kronecker .": "linear_operator_kronecker",
        "linalg functions.linalg.circulant functions.linalg.toeplitz .": "linear_operator_toeplitz",
        "functions.linalg.addition": "linear_operator_addition",
        "functions.linalg.algebra": "linear_operator_algebra",
        "functions.linalg.arguments functions.linalg.broadcasting": "linear_operator_util",
        "functions.linalg.identity linalg .": "linear_operator_identity",
        "testing.linear_operator_tests": "linear_operator_test_util",
    },
    "ops.losses": {
        "losses .": "loss_reduction losses losses_impl",
        "losses.per_example losses .": "util",
    },
    "ops.parallel_for": {"recurrent.parallel_for .": "control_flow_ops", ".": "gradients pfor"},
    "ops.ragged": {
        "functions.ragged.layout functions.ragged.selecting .": "ragged_array_ops",
        "functions.ragged.defaulting functions.ragged.gathering .": "ragged_batch_gather_with_default_op",
        "functions.ragged.gathering .": "ragged_batch_gather_ops ragged_gather_ops",
        "functions.ragged.joining .": "ragged_concat_ops",
        "functions.ragged.splits": "ragged_config",
        "functions.ragged.conversion .": "ragged_conversion_ops",
        "functions.ragged.dispatch": "ragged_dispatch",
        "functions.ragged.dynamic_shape .": "ragged_tensor_shape",
        "functions.ragged.indexing": "ragged_getitem",
        "functions.ragged.layout": "ragged_squeeze_op",
        "functions.ragged.math ragged .": "ragged_math_ops",
        "functions.ragged.selecting .": "ragged_where_op",
        "functions.ragged.tensor functions.ragged.splits functions.ragged.segment_ids": "ragged_util",
        "functions.ragged.tensor functions.ragged.splits functions.ragged.spec recurrent.ragged_mapping ragged "
        ".": "ragged_operators ragged_tensor",
        "recurrent.ragged_mapping .": "ragged_map_ops",
        "ragged .": "ragged_factory_ops ragged_functional_ops ragged_tensor_value segment_id_ops",
        "strings functions.ragged.strings .": "ragged_string_ops",
    },
    "ops.signal": {
        "signal .": "dct_ops fft_ops mel_ops mfcc_ops reconstruction_ops shape_ops signal spectral_ops window_ops",
        "functions.signal.framing signal .": "util_ops",
    },
    "platform": {
        "gfile .": "gfile",
        "util.tf_logging logging .": "tf_logging logging",
        "flags app.command_line_flags": "flags",
        "app .": "app",
        "test .": "test",
        "testing.googletest test .": "googletest",
        "testing.benchmark test .": "benchmark",
        "app.resource_loader resource_loader .": "resource_loader",
        "sysconfig .": "sysconfig build_info",
    },
    "profiler": {
        "profiler.analyzer profiler.options profiler .": "model_analyzer option_builder profiler",
        "profiler.profile_context": "profile_context",
        "profiler.statistics profiler.analyzer profiler.options .": "tfprof_logger",
    },
    "profiler.internal": {"profiler.flops core.framework_ops": "flops_registry"},
    "saved_model": {
        "saved_model saved_model.writing .": "builder builder_impl simple_save",
        "saved_model saved_model.loading .": "loader loader_impl",
        "saved_model.init_ops saved_model .": "main_op main_op_impl",
        "saved_model.objects_loading saved_model.objects_writing saved_model .": "saved_model",
        "saved_model.objects_writing saved_model .": "save",
        "saved_model.objects_loading saved_model .": "load",
        "saved_model.graphs_loading": "load_v1_in_v2",
        "saved_model.revived_types": "revived_types",
        "saved_model.restored saved_model.objects_functions": "function_deserialization function_serialization",
        "saved_model saved_model.signatures .": "utils",
        "saved_model saved_model.signatures saved_model.folders .": "utils_impl",
        "saved_model.signature_constants saved_model.names saved_model .": "signature_constants",
        "saved_model.signature_def_utils saved_model.signatures saved_model "
        ".": "signature_def_utils signature_def_utils_impl",
        "saved_model.structured_values": "nested_structure_coder",
        "saved_model.tag_constants saved_model .": "tag_constants",
        "saved_model.constants saved_model.names saved_model .": "constants",
    },
    "saved_model.model_utils": {
        "estimator.mode_maps saved_model .": "mode_keys",
        "estimator.mode_maps estimator.export.export saved_model .": "export_utils",
        "saved_model.export_output saved_model .": "export_output",
    },
    "summary": {"summary .": "summary summary_iterator", "summary.plugin_asset": "plugin_asset"},
    "summary.writer": {"summary .": "writer writer_cache", "summary.writer": "event_file_writer"},
    "training": {
        "summary.writer train .": "summary_io",
        "state.replication train distribute .": "distribution_strategy_context",
        "distribute state.replication .": "distribute",
        "train sessions.hooks optimizers.loss_scale_optimizer optimizers.mixed_precision checkpoints.python_state "
        ".": "training",
        "optimizers.descent train .": "adadelta gradient_descent momentum proximal_gradient_descent",
        "optimizers.adagrad train .": "adagrad adagrad_da ftrl proximal_adagrad",
        "optimizers.adam train .": "adam",
        "optimizers.rmsprop train .": "rmsprop",
        "sessions.basic_loops train .": "basic_loops",
        "sessions.coordinator train .": "coordinator",
        "input_queues.batching input_queues.components input_queues.sparse_components input_queues.producers train "
        ".": "input",
        "optimizers.decays train .": "learning_rate_decay learning_rate_decay_v2",
        "sessions.monitored_session sessions.wrapped_sessions sessions.session_creators sessions.scaffold train "
        ".": "monitored_session",
        "sessions.queue_runner train .": "queue_runner queue_runner_impl",
        "sessions.server sessions.cluster train .": "server_lib",
        "sessions.session_manager train .": "session_manager",
        "sessions.session_run_hook train .": "session_run_hook",
        "sessions.supervisor sessions.supervisor_threads train .": "supervisor",
        "optimizers.sync_replicas train .": "sync_replicas_optimizer",
        "sessions.evaluating train .": "evaluation",
        "checkpoints.checkpoint_state checkpoints.checkpoint_manager train .": "checkpoint_management",
        "checkpoints.checkpoint_utils checkpoints.checkpoint_state train .": "checkpoint_utils",
        "sessions.cluster train .": "device_setter",
        "checkpoints.checkpointed_op": "saver_test_utils",
        "sessions.hooks sessions.saving_hooks sessions.hook_timers train .": "basic_session_run_hooks",
        "summary.log_messages": "tensorboard_logging",
        "checkpoints.vocabularies train .": "checkpoint_ops",
        "optimizers.moving_averages train .": "moving_averages",
        "optimizers.optimizer train .": "optimizer",
        "checkpoints.saver checkpoints.object_graph checkpoints.saver_builder checkpoints.checkpoint_state "
        "checkpoints.meta_graphs "
        "train .": "saver",
        "optimizers.slots train .": "slot_creator",
        "state.global_step train .": "training_util",
        "checkpoints.warm_starting train .": "warm_starting_util",
        "api.gen_ops train .": "training_ops gen_training_ops",
    },
    "training.saving": {
        "checkpoints.saveables train .": "saveable_object saveable_object_util",
        "checkpoints.functional_saver": "functional_saver",
    },
    "training.experimental": {
        "optimizers.loss_scale": "loss_scale",
        "optimizers.loss_scale_optimizer": "loss_scale_optimizer",
        "optimizers.mixed_precision": "mixed_precision",
    },
    "training.tracking": {
        "checkpoints.tracking checkpoints.containers checkpoints.auto_trackable checkpoints.dependencies "
        "checkpoints.tracking_internals checkpoints.graph_view "
        "checkpoints.tracked_resources checkpoints.checkpoint checkpoints.load_status "
        "checkpoints.saveables checkpoints.python_state state.capturing train .": "base data_structures tracking util",
        "checkpoints.graph_view": "graph_view",
        "checkpoints.layer_weights": "layer_utils",
        "checkpoints.python_state train .": "python_state",
    },
    "tools": {
        "checkpoints.inspect_checkpoint": "inspect_checkpoint",
        "graph_tools.freezing .": "freeze_graph",
        "graph_tools.optimizing graph_tools.padded_convolutions .": "optimize_for_inference optimize_for_inference_lib",
        "graph_tools.stripping .": "strip_unused strip_unused_lib",
        "graph_tools.saved_models .": "saved_model_utils",
        "graph_tools.saved_model_cli graph_tools.saved_models .": "saved_model_cli",
        "graph_tools.drawing": "import_pb_to_tensorboard",
    },
    "user_ops": {"user_ops .": "user_ops"},
    "util": {
        "core.nest core.nest_paths": "nest",
        "core.stack_frames": "tf_stack",
        "util.compat compat .": "compat",
        "util.compat": "compat_internal",
        "util.deprecation": "deprecation",
        "util.dispatching": "dispatch",
        "util.documented_names": "all_util",
        "util.locks": "lock_util",
        "util.memory": "is_in_graph_mode memory",
        "core.serialization": "serialization",
        "util.decorators": "keyword_args tf_contextlib tf_decorator",
        "util.decorators util.deprecation": "decorator_utils",
        "messages.example_parsing": "example_parser_configuration",
        "util.used_results": "tf_should_use",
        "util.export": "tf_export",
        "core.identity": "object_identity",
        "util.inspection": "function_utils tf_inspect",
        "util.lazy_loader": "lazy_loader",
    },
    "util.protobuf": {"testing.proto_comparison": "compare"},
    "": {
        "config.tf2": "tf2",
        "pywrap_tensorflow train .": "pywrap_tensorflow pywrap_tensorflow_internal",
        "debug.sessions debug.session_requests debug.local_cli debug.hooks debug.remote debug.dump_dir "
        "debug.dumped_tensors debug.watch_options debug.values "
        "debug.debug_graphs debug.gradients": "debug",
    },
}


# Packages in which names are looked up as well as modules.
PACKAGES = {
    "python": ".", "python.data": "data .", "python.data.experimental": "data.experimental",
    "python.estimator": "estimator .", "python.layers": "layers .",
    "python.feature_column": "feature_column .", "python.ops.distributions": "distributions .",
    "python.ops.linalg": "linalg .", "python.keras": "keras .",
    "python.keras.layers": "keras.layers layers.engine keras.experimental",
    "python.keras.engine": "keras.utils.layer_utils keras.engine.input_layer keras.engine.base_layer keras.engine.network "
    "keras.engine.sequential keras.engine.training",
    "python.keras.preprocessing": "keras.preprocessing", "python.keras.utils": "keras.utils",
    "python.keras.applications": "keras.applications keras.applications.imagenet_utils",
    "python.keras.engine.saving": "keras.saving.saved_model_experimental keras.saving.save keras.saving.model_config "
    "keras.saving.hdf5_format",
    "python.keras.layers.serialization": "keras.layers.serialization keras.layers keras.experimental",
    "python.keras.mixed_precision.experimental": "keras.mixed_precision keras.mixed_precision.policy "
    "keras.mixed_precision.loss_scale_optimizer",
    "python.keras.saving": "keras.saving.saved_model_experimental keras.saving.save keras.saving.model_config",
    "python.distribute.cluster_resolver": "distribute.cluster_resolvers.base distribute.cluster_resolvers.simple "
    "distribute.cluster_resolvers.gce distribute.cluster_resolvers.kubernetes distribute.cluster_resolvers.slurm "
    "distribute.cluster_resolvers.tf_config distribute.cluster_resolvers.tpu",
    "python.ops.losses": "losses .", "python.ops.ragged": "ragged .", "python.ops.signal": "signal .",
    "python.profiler": "profiler .", "python.saved_model": "saved_model .", "python.summary": "summary .",
    "python.training": "train .", "python.estimator.inputs": "estimator.inputs estimator .",
    "tools.compatibility": "", "tools.graph_transforms": "graph_tools.transforms",
}  # fmt: skip
