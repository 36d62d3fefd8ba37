"""Modules of TensorFlow's own source tree that programs import, and where their names are looked up here.

`from tensorflow.python.ops import math_ops` gives a module whose names are those of the places named in its
row, tried in order: public modules, implementation modules (both relative to the package), and "." for the
root. The rows describe 1.15's tree and older spellings of it; a module whose places do not exist is a missing
module.
"""

from __future__ import annotations

import re

_PYTHON: dict[str, dict[str, str]] = {
    "client": {
        "runtime.session runtime.fetching .": "session",
        "pywrap_tensorflow .": "pywrap_tf_session",
        "platform.timeline": "timeline",
        "platform.devices": "device_lib",
    },
    "compat": {"platform.compat compat .": "compat", ".": "v2_compat"},
    "data.experimental": {},
    "data.experimental.kernel_tests": {
        "platform.data_tests": "reader_dataset_ops_test_base stats_dataset_test_base",
    },
    "data.experimental.kernel_tests.serialization": {"platform.data_tests": "dataset_serialization_test_base"},
    "data.experimental.ops": {
        "data.experimental data.versions data.tuning data.grouping data .": "batching cardinality counter distribute "
        "enumerate_ops error_ops get_single_element grouping interleave_ops iterator_ops map_defun matching_files "
        "optimization parsing_ops prefetching_ops random_ops readers resampling scan_ops shuffle_ops sleep snapshot "
        "take_while_ops threadpool unique writers",
        "data.options": "distribute_options optimization_options stats_options threading_options",
        "data.statistics data.versions": "stats_aggregator stats_ops",
    },
    "data.kernel_tests": {"platform.data_tests": "test_base"},
    "data.ops": {
        "data.dataset data.options data.structure data.functions data.experimental data .": "dataset_ops",
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
        "data.tensor_lists data.structure": "structure",
    },
    "debug.cli": {
        "debug.cli.analyzer": "analyzer_cli",
        "debug.cli.config": "cli_config",
        "debug.cli.shared": "cli_shared",
        "debug.cli.reading": "command_parser",
        "debug.cli.registries debug.cli.rich_text debug.cli.menus debug.terminal": "debugger_cli_common",
        "debug.cli.tensors": "tensor_format",
    },
    "debug.lib": {
        "debug.dump_dir debug.values debug.dump_files": "debug_data",
        "debug.run_keys debug.values": "common",
        "debug.watch_options": "debug_utils",
        "debug.debug_graphs debug.tracing debug.values": "debug_graphs",
        "debug.profiling": "profiling",
        "debug.sources debug.profiling": "source_utils",
        "debug.gradients": "debug_gradients",
    },
    "debug.wrappers": {
        "debug.sessions": "dumping_wrapper framework",
        "debug.local_cli debug.sessions": "local_cli_wrapper",
        "debug.hooks debug.remote": "hooks",
        "debug.remote": "grpc_wrapper",
    },
    "distribute": {"distribute .": "distribute_lib distribution_strategy_context mirrored_strategy reduce_util values"},
    "eager": {
        "platform.eager_context .": "context",
        "contrib.eager.backprop contrib.eager.functional .": "backprop",
        "contrib.eager.callbacks platform.eager_context .": "execution_callbacks execute",
        "autodiff.tape .": "tape",
        "platform.eager_context": "remote",
        "state.polymorphic_function state.concrete_function .": "def_function function",
        "state.wrapped_function .": "wrap_function",
        "core.eager core.errors .": "core",
        "platform.test_util test .": "test",
    },
    "estimator": {
        "estimator .": "estimator estimator_lib exporter keras model_fn run_config training util",
    },
    "estimator.canned": {
        "estimator .": "baseline boosted_trees dnn dnn_linear_combined head linear metric_keys optimizers "
        "parsing_utils prediction_keys",
    },
    "estimator.export": {"estimator.export estimator .": "export export_lib export_output"},
    "estimator.inputs": {"estimator.inputs estimator .": "inputs numpy_io pandas_io"},
    "feature_column": {"feature_column .": "feature_column feature_column_v2 feature_column_lib utils"},
    "framework": {
        "core.graph core.defaults core.operation core.convert core.registry core.gradient_registry core.collections "
        "core.internals core.bare_operations core.composite state.scoping .": "ops",
        "core.dtypes .": "dtypes",
        "core.shapes .": "tensor_shape",
        "core.errors errors .": "errors errors_impl",
        "core.device .": "device device_spec",
        "core.registry_of_objects": "registry",
        "core.registry core.graph core.defaults interop.op_lists .": "op_def_registry importer",
        "core.error_interpolation": "error_interpolation",
        "core.traceable_stack": "traceable_stack",
        "graph_tools.subscribing": "subscribe",
        "state.defun .": "function",
        "core.func_graph core.functions .": "func_graph",
        "core.op_def_library": "op_def_library",
        "ops.array.later_constant core.convert core.operation core.constant_value .": "constant_op",
        "core.convert core.operation .": "tensor_like",
        "core.tensor_conversion_registry": "tensor_conversion_registry",
        "core.common_shapes core.shapes .": "common_shapes",
        "core.tensor_util interop.tensor_proto core.convert core.operation .": "tensor_util",
        "ops.flow.case .": "smart_cond",
        "interop.function_graphs": "function_def_to_graph graph_to_function_def",
        "interop.meta_graph interop.op_lists .": "meta_graph",
        "core.composite core.type_specs core.internals core.convert .": "sparse_tensor indexed_slices",
        "core.composite_tensors": "composite_tensor",
        "ops.composite_values": "composite_tensor_utils",
        "core.type_specs .": "tensor_spec type_spec",
        "platform.config config .": "config",
        "interop.graph_files .": "graph_io",
        ".": "framework_lib load_library",
        "core.random_seed .": "random_seed",
        "interop.graph_util graph_util .": "graph_util graph_util_impl convert_to_constants",
        "version .": "versions",
        "platform.test_ops": "test_ops",
        "platform.test_util test .": "test_util",
        "platform.combinations": "combinations test_combinations",
    },
    "keras": {},
    "module": {"train.module .": "module"},
    "layers": {
        "layers .": "base convolutional core layers normalization pooling",
        "layers.sizes layers.conditions .": "utils",
    },
    "lib.io": {"files.file_io gfile io .": "file_io", "files.records python_io io .": "python_io tf_record"},
    "ops": {
        "state.critical_section .": "critical_section_ops",
        "ops.queues.staging ops.queues.barriers ops.readers.record_input ops.queues.queues . api.gen_ops": "data_flow_ops",
        "autodiff.products .": "gradients gradients_impl gradients_util",
        "state.updates state.variables state.bare_variables . api.gen_ops": "state_ops",
        "state.variables state.collecting state.modes state.partitioned state.slice_info state.initial_values .": "variables",
        "state.resource_variables state.handles state.variables ops.state.resource . api.gen_ops": "resource_variable_ops",
        "state.variable_scope state.variable_store state.partitioned state.scoping state.modes .": "variable_scope",
        "state.partitioned .": "partitioned_variables",
        "state.template .": "template",
        "state.functional .": "functional_ops",
        "math ops.math.matmul ops.math.reduce ops.composite_slices . api.gen_ops": "math_ops",
        "math .": "special_math_ops",
        "bitwise math .": "bitwise_ops",
        "math ops.squeezing .": "confusion_matrix",
        "ops.flow.switching ops.flow.grouping ops.flow.cond ops.flow.case "
        "ops.flow.inspecting ops.flow.while_context ops.flow.frames ops.flow.assertion ops.flow.modes . api.gen_ops": (
            "control_flow_ops control_flow_util"
        ),
        "platform.behavior ops.flow.modes": "control_flow_v2_toggles",
        "ops.flow.v2_functions": "cond_v2 while_v2 control_flow_util_v2",
        "ops.array.later_constant ops.array.shape ops.array.gather ops.array.fake_quant ops.array.slice . "
        "api.gen_ops": "array_ops",
        "train.resources .": "resources",
        "runtime.session_handles .": "session_ops",
        "strings ops.string.text ops.string.regex ops.string.splitting ops.flow.printing . api.gen_ops": "string_ops",
        ". api.gen_ops": "io_ops logging_ops inplace_ops",
        "ops.flow.tensor_lists api.gen_ops .": "list_ops",
        ".": "standard_ops "
        "custom_gradient map_fn "
        "script_ops tensor_array_ops "
        "clip_ops manip_ops histogram_ops unconnected_gradients "
        "numerics sort_ops batch_ops array_grad math_grad nn_grad "
        "control_flow_grad data_flow_grad linalg_grad sparse_grad state_grad tensor_array_grad image_grad random_grad "
        "manip_grad rnn_grad optional_grad cudnn_rnn_grad default_gradient proto_ops collective_ops clustering_ops",
        "initializers state.initializers state.orthogonal_kernels .": "init_ops initializers_ns",
        "state.later_initializers .": "init_ops_v2",
        "random ops.random.normal . api.gen_ops": "random_ops stateful_random_ops",
        "random contrib.stateless .": "stateless_random_ops",
        "debugging .": "check_ops",
        "nn .": "nn candidate_sampling_ops",
        "nn ops.nn.embedding .": "embedding_ops",
        "nn ops.nn.moments ops.nn.sampled_losses .": "nn_impl",
        "nn ops.nn.prepared_convolution ops.nn.bias ops.nn.fractional_pooling ops.math.counting . api.gen_ops": "nn_ops",
        "nn ops.nn.ctc_functions .": "ctc_ops",
        "recurrent.internals nn .": "rnn",
        "nn.rnn_cell recurrent.internals nn .": "rnn_cell rnn_cell_impl rnn_cell_wrapper_impl",
        "contrib.legacy_seq2seq.seq2seq contrib.legacy_seq2seq .": "seq2seq",
        "linalg . api.gen_ops": "linalg_ops linalg_ops_impl",
        "image .": "image_ops image_ops_impl",
        "io . api.gen_ops": "parsing_ops",
        "lookup lookup.tables lookup.initializers lookup.functions . api.gen_ops": "lookup_ops",
        "metrics metrics.common .": "metrics metrics_impl",
        "sets .": "sets sets_impl",
        "sparse . ops.sparse.cross ops.sparse.layout ops.sparse.building ops.sparse.slice ops.sparse.serialized "
        "api.gen_ops": "sparse_ops",
        "summary .": "summary_ops",
        "contrib.graph_editor.select contrib.graph_editor.util .": "op_selector",
        "contrib.summary contrib.summary.functions summary.resource_writers summary.recording summary.tracing "
        "summary.later_functions summary .": "summary_ops_v2",
        "summary.functions .": "summary_op_util",
        "ops.weights .": "weights_broadcast_ops",
        "signal spectral .": "spectral_ops",
        "test .": "gradient_checker",
        "autodiff.function_checker": "gradient_checker_v2",
    },
    "ops.distributions": {
        "distributions .": "distributions",
        "distributions.base distributions .": "distribution",
        "distributions.bijector distributions .": "bijector bijector_impl identity_bijector",
        "distributions.discrete distributions .": "bernoulli categorical dirichlet_multinomial multinomial",
        "distributions.divergence distributions .": "kullback_leibler",
        "distributions.gamma distributions .": "beta dirichlet exponential gamma",
        "distributions.normal distributions .": "laplace normal student_t uniform",
        "distributions.transformed distributions .": "transformed_distribution",
        "distributions.checking": "bijector_test_util",
        "distributions.special": "special_math",
        "distributions.common distributions.static_logic distributions.padding distributions.documenting "
        "ops.array.rotation contrib.distributions.shaping contrib.distributions.statistics "
        "contrib.distributions.quadrature": "util",
    },
    "ops.linalg": {
        "linalg ops.math.exponential .": "linalg_impl",
        "linalg .": "linalg linear_operator linear_operator_block_diag linear_operator_composition "
        "linear_operator_diag linear_operator_full_matrix linear_operator_householder linear_operator_inversion "
        "linear_operator_low_rank_update linear_operator_lower_triangular linear_operator_adjoint "
        "linear_operator_zeros",
        "linalg ops.linalg.circulant .": "linear_operator_circulant",
        "linalg ops.linalg.kronecker .": "linear_operator_kronecker",
        "linalg ops.linalg.circulant ops.linalg.toeplitz .": "linear_operator_toeplitz",
        "ops.linalg.addition": "linear_operator_addition",
        "ops.linalg.algebra": "linear_operator_algebra",
        "ops.linalg.arguments ops.linalg.broadcasting": "linear_operator_util",
        "ops.linalg.identity linalg .": "linear_operator_identity",
        "platform.linear_operator_tests": "linear_operator_test_util",
    },
    "ops.losses": {"losses .": "losses losses_impl loss_reduction util"},
    "ops.parallel_for": {".": "control_flow_ops gradients pfor"},
    "ops.ragged": {
        "ops.ragged.layout ops.ragged.selecting .": "ragged_array_ops",
        "ops.ragged.defaulting ops.ragged.gathering .": "ragged_batch_gather_with_default_op",
        "ops.ragged.gathering .": "ragged_batch_gather_ops ragged_gather_ops",
        "ops.ragged.joining .": "ragged_concat_ops",
        "ops.ragged.tensor": "ragged_config",
        "ops.ragged.conversion ops.ragged.variants .": "ragged_conversion_ops",
        "ops.ragged.dispatch": "ragged_dispatch",
        "ops.ragged.dynamic_shape .": "ragged_tensor_shape",
        "ops.ragged.indexing": "ragged_getitem",
        "ops.ragged.layout": "ragged_squeeze_op",
        "ops.ragged.math ragged .": "ragged_math_ops",
        "ops.ragged.selecting .": "ragged_where_op",
        "ops.ragged.tensor ops.ragged.segment_ids": "ragged_util",
        "ops.ragged.tensor ops.ragged.spec recurrent.ragged_mapping ragged .": "ragged_operators ragged_tensor",
        "recurrent.ragged_mapping .": "ragged_map_ops",
        "ragged .": "ragged_factory_ops ragged_functional_ops ragged_tensor_value segment_id_ops",
        "strings ops.ragged.strings .": "ragged_string_ops",
    },
    "ops.signal": {
        "signal .": "dct_ops fft_ops mel_ops mfcc_ops reconstruction_ops shape_ops signal spectral_ops window_ops",
        "ops.signal.framing signal .": "util_ops",
    },
    "platform": {
        "gfile .": "gfile",
        "platform.tf_logging logging .": "tf_logging logging",
        "flags app.flags": "flags",
        "app .": "app",
        "test .": "test",
        "platform.googletest test .": "googletest",
        "platform.benchmark test .": "benchmark",
        "platform.resource_loader resource_loader .": "resource_loader",
        "sysconfig .": "sysconfig build_info",
    },
    "profiler": {
        "profiler.analyzer profiler.options profiler .": "model_analyzer option_builder profiler profile_context",
        "profiler.statistics profiler.analyzer profiler.options .": "tfprof_logger",
    },
    "profiler.internal": {"profiler.flops core.internals": "flops_registry"},
    "saved_model": {
        "saved_model saved_model.writing .": "builder builder_impl simple_save",
        "saved_model saved_model.loading .": "loader loader_impl",
        "saved_model.init_ops saved_model .": "main_op main_op_impl",
        "saved_model.objects_writing saved_model .": "save",
        "saved_model.objects_loading saved_model .": "load",
        "saved_model saved_model.signatures .": "utils",
        "saved_model saved_model.signatures saved_model.folders .": "utils_impl",
        "saved_model.signature_constants saved_model .": "signature_constants",
        "saved_model.signature_def_utils saved_model.signatures saved_model .": "signature_def_utils signature_def_utils_impl",
        "saved_model.tag_constants saved_model .": "tag_constants",
        "saved_model.constants saved_model .": "constants",
    },
    "summary": {"summary .": "summary summary_iterator", "summary.plugin_asset": "plugin_asset"},
    "summary.writer": {"summary .": "writer writer_cache", "summary.writer": "event_file_writer"},
    "training": {
        "train .": "summary_io training distribution_strategy_context",
        "train.descent train .": "adadelta gradient_descent momentum proximal_gradient_descent",
        "train.adagrad train .": "adagrad adagrad_da ftrl proximal_adagrad",
        "train.adam train .": "adam",
        "train.rmsprop train .": "rmsprop",
        "train.basic_loops train .": "basic_loops",
        "train.coordinator train .": "coordinator",
        "train.batching train.producers train .": "input",
        "train.decays train .": "learning_rate_decay learning_rate_decay_v2",
        "train.monitored_session train.scaffold train .": "monitored_session",
        "train.queue_runner train .": "queue_runner queue_runner_impl",
        "train.server train.cluster train .": "server_lib",
        "train.session_manager train .": "session_manager",
        "train.session_run_hook train .": "session_run_hook",
        "train.supervisor train .": "supervisor",
        "train.sync_replicas train .": "sync_replicas_optimizer",
        "train.evaluating train .": "evaluation",
        "train.checkpoint_state train.checkpoint_manager train .": "checkpoint_management",
        "train.checkpoint_utils train.checkpoint_state train .": "checkpoint_utils",
        "train.cluster train .": "device_setter",
        "train.checkpointed_op": "saver_test_utils",
        "train.hooks train.saving_hooks train.hook_timers train .": "basic_session_run_hooks",
        "summary.log_messages": "tensorboard_logging",
        "train.vocabularies train .": "checkpoint_ops",
        "train.moving_averages train .": "moving_averages",
        "train.optimizer train .": "optimizer",
        "train.saver train.saver_builder train.checkpoint_state train.meta_graphs train .": "saver",
        "train.slots train .": "slot_creator",
        "train.steps train .": "training_util",
        "train.warm_starting train .": "warm_starting_util",
        "api.gen_ops train .": "training_ops gen_training_ops",
    },
    "training.saving": {
        "train.saveables train .": "saveable_object saveable_object_util",
        "train.functional_saver": "functional_saver",
    },
    "training.experimental": {
        "train.loss_scale": "loss_scale",
        "train.loss_scale_optimizer": "loss_scale_optimizer",
        "train.mixed_precision": "mixed_precision",
    },
    "training.tracking": {
        "train.tracking train.tracking_internals train.graph_view train.tracked_resources train.checkpoint "
        "train.saveables train.python_state state.capturing train .": "base data_structures tracking util",
        "train.graph_view": "graph_view",
        "train.layer_weights": "layer_utils",
        "train.python_state train .": "python_state",
    },
    "tools": {
        "train.inspect_checkpoint": "inspect_checkpoint",
        "graph_tools.freezing .": "freeze_graph",
        "graph_tools.optimizing graph_tools.padded_convolutions .": "optimize_for_inference optimize_for_inference_lib",
        "graph_tools.stripping .": "strip_unused strip_unused_lib",
        "graph_tools.saved_models .": "saved_model_cli saved_model_utils",
    },
    "user_ops": {"user_ops .": "user_ops"},
    "util": {
        "core.nest": "nest",
        "core.stack_frames": "tf_stack",
        "platform.compat compat .": "compat",
        "platform.compat": "compat_internal",
        "platform.deprecation": "deprecation",
        "platform.dispatching": "dispatch",
        "platform.documented_names": "all_util",
        "platform.locks": "lock_util",
        "platform.memory": "is_in_graph_mode memory",
        "platform.serialization": "serialization",
        "platform.decorators": "keyword_args tf_contextlib tf_decorator",
        "platform.decorators platform.deprecation": "decorator_utils",
        "interop.example_parsing": "example_parser_configuration",
        "platform.used_results": "tf_should_use",
        "platform.export": "tf_export",
        "platform.identity": "object_identity",
        "platform.inspection": "function_utils tf_inspect",
        "platform.lazy_loader": "lazy_loader",
    },
    "util.protobuf": {"platform.proto_comparison": "compare"},
    "": {
        "platform.tf2": "tf2",
        "pywrap_tensorflow train .": "pywrap_tensorflow pywrap_tensorflow_internal",
        "debug.sessions debug.local_cli debug.hooks debug.remote debug.dump_dir debug.watch_options debug.values "
        "debug.debug_graphs debug.gradients": "debug",
    },
}

# Names of internal modules that are other ones here.
_SPELLED = {
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
    ("ops.ctc_ops", "_forward_backward_log"): "ops.nn.ctc_states.forward_backward_log",
    ("ops.ctc_ops", "_get_dim"): "ops.nn.ctc_functions.size_of",
    ("ops.ctc_ops", "_scan"): "ops.nn.ctc_states.scan",
    ("ops.ctc_ops", "_state_to_olabel"): "ops.nn.ctc_states.labels_of_states",
    ("ops.ctc_ops", "ctc_state_log_probs"): "ops.nn.ctc_states.ctc_state_log_probs",
    ("ops.image_ops", "ResizeMethod"): "compat.v2.image.ResizeMethod",
    ("ops.image_ops", "ResizeMethodV1"): "image.ResizeMethod",
    ("ops.image_ops_impl", "ResizeMethodV1"): "image.ResizeMethod",
    ("ops.image_ops_impl", "_Assert3DImage"): "ops.image.checking.checked_single_image",
    ("ops.image_ops_impl", "_AssertAtLeast3DImage"): "ops.image.checking.checked_image",
    ("ops.image_ops_impl", "_AssertGrayscaleImage"): "ops.image.checking.checked_grayscale",
    ("ops.image_ops_impl", "_ImageDimensions"): "ops.image.checking.sizes_of",
    ("ops.image_ops_impl", "_assert"): "ops.image.checking.require",
    ("ops.image_ops_impl", "_is_tensor"): "ops.image.checking.is_tensor",
    ("ops.lookup_ops", "StaticHashTableV1"): "lookup.StaticHashTable",
    ("ops.lookup_ops", "StaticVocabularyTableV1"): "lookup.StaticVocabularyTable",
    ("ops.sparse_ops", "_add_many_sparse_to_tensors_map"): "ops.sparse.maps.add_many_sparse_to_tensors_map",
    ("ops.sparse_ops", "_add_sparse_to_tensors_map"): "ops.sparse.maps.add_sparse_to_tensors_map",
    ("ops.sparse_ops", "_sparse_cross"): "ops.sparse.cross.sparse_cross",
    ("ops.sparse_ops", "_sparse_cross_hashed"): "ops.sparse.cross.sparse_cross_hashed",
    ("ops.sparse_ops", "_take_many_sparse_from_tensors_map"): "ops.sparse.maps.take_many_sparse_from_tensors_map",
    ("ops.ragged.ragged_array_ops", "ragged_one_hot"): "ops.ragged.layout.one_hot",
    ("ops.ragged.ragged_getitem", "ragged_tensor_getitem"): "ops.ragged.indexing.getitem",
    ("ops.ragged.ragged_string_ops", "string_bytes_split"): "strings.bytes_split",
    ("ops.ragged.ragged_string_ops", "string_split_v2"): "compat.v2.strings.split",
    ("ops.ragged.ragged_string_ops", "strings_split_v1"): "strings.split",
    ("ops.string_ops", "substr_deprecated"): "substr",
}

# Packages in which names are looked up as well as modules.
_PACKAGES = {
    "python": ".", "python.data": "data .", "python.data.experimental": "data.experimental",
    "python.estimator": "estimator .", "python.layers": "layers .",
    "python.feature_column": "feature_column .", "python.ops.distributions": "distributions .",
    "python.ops.linalg": "linalg .", "python.keras": "keras .",
    "python.ops.losses": "losses .", "python.ops.ragged": "ragged .", "python.ops.signal": "signal .",
    "python.profiler": "profiler .", "python.saved_model": "saved_model .", "python.summary": "summary .",
    "python.training": "train .", "python.estimator.inputs": "estimator.inputs estimator .",
}  # fmt: skip

_PROTOS = {
    "core.framework": "allocation_description api_def attr_value cost_graph function graph node_def op_def "
    "resource_handle step_stats summary tensor tensor_description tensor_shape types variable versions",
    "core.protobuf": "cluster config debug graph_debug_info meta_graph rewriter_config saved_object_graph saver struct "
    "trackable_object_graph verifier_config",
    "core.util": "event",
    "core.profiler": "tfprof_log",
}

# Modules whose import alone does something, and what is imported then.
WITH_EFFECT = {"python.framework.test_ops": "platform.test_ops"}

# Modules of message classes that are made here.
_OWN_PROTOS = {
    "core.example": "example example_parser_configuration feature",
    "core.framework": "device_attributes",
    "core.protobuf": "control_flow queue_runner saved_model tensor_bundle tensorflow_server",
    "core.util": "saved_tensor_slice",
    "python.framework": "cpp_shape_inference",
    "python.training": "checkpoint_state",
}


def _rows() -> dict[str, tuple[str, ...]]:
    rows = {path: tuple(places.split()) for path, places in _PACKAGES.items()}
    for folder, modules in _PYTHON.items():
        package = f"python.{folder}" if folder else "python"
        rows.setdefault(package, ())
        for places, names in modules.items():
            for name in names.split():
                rows[f"{package}.{name}"] = tuple(places.split())
    for folder, names in _OWN_PROTOS.items():
        for name in names.split():
            rows[f"{folder}.{name}_pb2"] = ("interop.protos",)
    for folder in _PROTOS:
        rows[folder] = ()
    # 0.6 and 0.7 had their recurrent networks among the models.
    rows["models.rnn.rnn"], rows["models.rnn.seq2seq"] = ("nn",), ("contrib.legacy_seq2seq", "nn")
    rows["models.rnn.rnn_cell"] = rows["models.rnn.linear"] = ("nn.rnn_cell",)
    # The codes that its enumeration names are those of `tf.errors`.
    rows["core.lib.core.error_codes_pb2"] = ("core.errors", "interop.protos")
    for path in list(rows):
        while "." in path:
            path = path.rpartition(".")[0]
            if path != "core":  # the implementation's own core
                rows.setdefault(path, ())
    # Its names are not those of the module that publishes its folder.
    rows["contrib.lookup.lookup_ops"] = ("contrib.lookup",)
    rows["contrib.util.loader"] = ("platform.behavior",)
    # Modules of the names of functions in them.
    for name in ("dense_image_warp", "interpolate_spline", "sparse_image_warp"):
        rows[f"contrib.image.python.ops.{name}"] = ("contrib.image.warping", "contrib.image", ".")
    rows["contrib.image.python.ops.single_image_random_dot_stereograms"] = ("contrib.image", ".")
    for name in ("alpha_dropout", "fwd_gradients", "scaled_softplus"):
        rows[f"contrib.nn.python.ops.{name}"] = (f"contrib.nn.{name}", "contrib.nn", ".")
    for name in ("sparsemax", "sparsemax_loss"):
        rows[f"contrib.sparsemax.python.ops.{name}"] = ("contrib.sparsemax", ".")
    # Modules of helpers, whose names are not public.
    rows["contrib.distributions.python.ops.distribution_util"] = (
        "contrib.distributions.scales", "contrib.distributions.mixing", "distributions.static_logic",
        "python.ops.distributions.util",
    )  # fmt: skip
    rows["contrib.bayesflow.python.ops.monte_carlo_impl"] = ("contrib.bayesflow.monte_carlo",)
    rows["contrib.distributions.python.ops.test_util"] = ("contrib.distributions.sampling_tests",)
    rows["contrib.distributions.python.ops.shape"] = ("distributions.event_matrices",)
    rows["contrib.distributions.python.ops.vector_exponential_linear_operator"] = ("contrib.distributions.vectors",)
    rows["contrib.distributions.python.ops.vector_laplace_linear_operator"] = ("contrib.distributions.vectors",)
    for name in ("agn_optimizer", "elastic_average_optimizer", "model_average_optimizer"):
        rows[f"contrib.opt.python.training.{name}"] = ("contrib.opt", "contrib.opt.centers")
    rows["contrib.opt.python.training.weight_decay_optimizers"] = ("contrib.opt", "contrib.opt.weight_decay")
    rows["contrib.checkpoint.python.split_dependency"] = ("contrib.checkpoint",)
    # A folder deeper than others.
    rows["contrib.losses.python.metric_learning.metric_loss_ops"] = ("contrib.losses.metric_learning",)
    rows["contrib.metrics.python.ops.metric_ops"] = ("contrib.metrics", "contrib.metrics.growing", ".")
    rows["contrib.metrics.python.ops.histogram_ops"] = ("contrib.metrics", "contrib.metrics.histograms", ".")
    layers = "contrib.layers"
    rows[f"{layers}.python.layers.layers"] = (layers, f"{layers}.shaping", ".")
    rows[f"{layers}.python.layers.feature_column_ops"] = (layers, f"{layers}.feature_column_inputs", ".")
    framework = "contrib.framework"
    rows[f"{framework}.python.ops"] = (framework, f"{framework}.printing", ".")
    rows[f"{framework}.python.ops.checkpoint_ops"] = (framework, "train.vocabularies", ".")
    rows[f"{framework}.python.ops.prettyprint_ops"] = (f"{framework}.printing", framework, ".")
    rows["contrib.factorization.python.ops.gmm_ops"] = ("contrib.factorization", "contrib.factorization.mixtures", ".")
    rows["contrib.training.python.training.sequence_queueing_state_saver"] = (
        "contrib.training", "contrib.training.sequence_states", "contrib.training.sequence_batching", ".",
    )  # fmt: skip
    rows["contrib.framework.python.ops.audio_ops"] = ("ops.audio.wav", "ops.audio.spectrogram")
    return rows


_ROWS = _rows()
_GENERATED = re.compile(r"(?:contrib\.\w+\.)?(?:python\.)?ops\.gen_\w+_ops?")
_GENERATED_FOLDER = re.compile(r"contrib\.\w+\.ops")
_KERAS = re.compile(r"python\.(keras\.[\w.]+)")
# Rooms whose modules hold what 1.x's internal modules did.
_IMPLEMENTING = ("autodiff", "interop", "state", "train")
_VERSIONED = re.compile(r"(\w+)_v([12])")
# Folders of modules that 1.x's modules import, and so have as attributes, in the order of who gets a name.
_IMPORTED_FROM = ("ops", "framework", "util", "platform", "eager", "training", "client", "layers")
# The public modules in which TensorFlow 2 has functions with other arguments.
_PUBLISHED = ("debugging", "image", "io", "linalg", "math", "nn", "random", "sparse", "strings")
# Below `python.ops` and its like are modules, and what else these folders hold.
_DEEPER = "bijectors data datasets estimators learn_io nets ops preprocessing python state_space_models utils"
_CONTRIB = re.compile(rf"(contrib\.\w+)\.(?:python|pylib)(?:\.\w+((?:\.(?:{_DEEPER.replace(' ', '|')}))?(?:\.\w+)?))?")


def searched(path: str) -> tuple[str, ...] | None:
    """Where the names of an internal module are looked up, in order; None if 1.x had no such module.

    Args:
        path: the module's name without `tensorflow.` in front.

    Returns:
        paths relative to the package, "." for its root; empty for a mere package.

    Example:
        >>> searched("python.ops.rnn_cell")
        ('nn.rnn_cell', 'nn', '.')
    """
    if path in _ROWS:
        return _ROWS[path]
    if _GENERATED.fullmatch(path):
        return ("api.gen_ops", ".")
    if _GENERATED_FOLDER.fullmatch(path):
        return ()
    if match := _KERAS.fullmatch(path):
        return (match[1],)
    if match := _CONTRIB.fullmatch(path):
        # contrib kept its implementation two or three folders below the module that published it, some of it in
        # modules that have public ones of their own.
        below = match[2] or ""
        folder = below.rpartition(".")[0]
        return (*(f"{match[1]}{tail}" for tail in dict.fromkeys((below, folder, ""))), ".")
    return None


def spelled(path: str, name: str) -> tuple[str, str] | None:
    """The (public or implementing module, name) that a name of an internal module is here, if it is called otherwise.

    Example:
        >>> spelled("python.ops.lookup_ops", "StaticHashTableV1")
        ('lookup', 'StaticHashTable')
    """
    target = _SPELLED.get((path.removeprefix("python."), name))
    if target is None:
        return None
    module, _, plain = target.rpartition(".")
    return module, plain


def is_module(path: str) -> bool:
    """Whether an internal path has a row of its own, so that it is a module where a function has its name too."""
    return path in _ROWS


def versions(path: str, name: str, places: tuple[str, ...]) -> list[tuple[str, str]]:
    """Where a name of an internal module that ends in a version is looked up: its (public module, name) in order.

    1.x wrote `pad_v2` in `array_ops` for what TensorFlow 2 publishes as `pad`, and `reduce_sum_v1` for its own.

    Example:
        >>> versions("python.ops.string_ops", "string_split_v2", ("strings", "."))
        [('compat.v2.strings', 'string_split'), ('compat.v2.strings', 'split'), ('compat.v2', 'string_split'), \
('compat.v2.nn', 'string_split')]
    """
    if name.startswith("_") and not name.startswith("__"):
        # What 1.x kept to a module is public among the modules here, which are smaller.
        if path.startswith("python."):
            return [(place, name[1:]) for place in places if place.partition(".")[0] in _IMPLEMENTING]
        return [(place, name[1:]) for place in places if path in _ROWS and place.startswith("contrib.")]
    if not path.startswith("python."):
        return []
    match = _VERSIONED.fullmatch(name)
    if match is None:
        return []
    plain, number = match.groups()
    found = []
    for place in places:
        public = "" if place == "." else place
        if number == "1":
            if not public.startswith(("api.", "core.", "ops.", "state.")):
                found.append((public, plain))
        elif not public or public in _PUBLISHED:
            later = f"compat.v2.{public}" if public else "compat.v2"
            found.append((later, plain))
            if public and plain.startswith(f"{public.removesuffix('s')}_"):
                found.append((later, plain.removeprefix(f"{public.removesuffix('s')}_")))
    if number == "2":
        found.append(("compat.v2.nn", plain))
        if plain.startswith("sparse_"):
            found.append(("compat.v2.sparse", plain.removeprefix("sparse_")))
    return found


def sibling(path: str, name: str) -> str | None:
    """The internal module that a module's attribute is by its name, as one that it imports, or None.

    Example:
        >>> sibling("python.ops.rnn", "rnn_cell_impl")
        'python.ops.rnn_cell_impl'
    """
    if path not in _ROWS or not path.startswith("python.") or "_" not in name:
        return None
    folders = (path.rpartition(".")[0], *(f"python.{folder}" for folder in _IMPORTED_FROM))
    found = (f"{folder}.{name}" for folder in folders)
    return next((module for module in found if module in _ROWS or _GENERATED.fullmatch(module)), None)


def is_contrib(path: str) -> bool:
    """Whether a path is one of contrib's folders and modules of implementations."""
    return _CONTRIB.fullmatch(path) is not None


def message_module(path: str) -> str | None:
    """The module with the message classes of `tensorflow.core`'s `path`, by its full name, or None.

    Example:
        >>> message_module("core.framework.graph_pb2")
        'tensorboard.compat.proto.graph_pb2'
    """
    folder, _, name = path.rpartition(".")
    if name.endswith("_pb2") and name.removesuffix("_pb2") in _PROTOS.get(folder, "").split():
        return f"tensorboard.compat.proto.{name}"
    return None


def children(path: str) -> set[str]:
    """The names of the internal modules right below an internal package."""
    if not path:
        return set()
    inside = {p[len(path) + 1 :].partition(".")[0] for p in _ROWS if p.startswith(f"{path}.")}
    return inside | {f"{name}_pb2" for name in _PROTOS.get(path, "").split()}
