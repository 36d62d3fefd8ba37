"""The modules of 1.15's own source tree of which little has a counterpart here, by folder as in `internal_modules`.

They can be imported; what they held is found where a public name of it exists, and otherwise an error says so. What is told
then of some folders stands in `ADVICE`.
"""

from __future__ import annotations

REMAINING: dict[str, dict[str, str]] = {
    "autograph": {".": "converters pyct"},
    "autograph.converters": {
        ".": "arg_defaults asserts break_statements call_trees conditional_expressions continue_statements control_flow "
        "directives function_scopes list_comprehensions lists logical_expressions return_statements slices",
    },
    "autograph.core": {
        "autograph.conversion autograph .": "config config_lib converter function_wrappers naming "
        "unsupported_features_checker ag_ctx",
    },
    "autograph.impl": {"autograph.conversion autograph .": "api conversion"},
    "autograph.lang": {"autograph.conversion autograph .": "directives special_functions"},
    "autograph.operators": {
        "autograph.branches autograph.loops autograph.expressions autograph.places .": "control_flow data_structures "
        "dispatch_context exceptions logical py_builtins slices special_values symbols",
    },
    "autograph.pyct": {
        ".": "anno ast_util cfg common_transformers compiler errors gast_util inspect_utils origin_info parser "
        "pretty_printer qual_names static_analysis templates transformer",
    },
    "autograph.pyct.common_transformers": {".": "anf"},
    "autograph.pyct.static_analysis": {".": "activity annos liveness reaching_definitions"},
    "autograph.utils": {
        "autograph.settings .": "ag_logging",
        ".": "context_managers misc py_func tensor_list tensors type_check",
    },
    "client": {"runtime.session .": "client_lib", ".": "notebook"},
    "compiler.xla": {"xla.experimental state.compiled .": "jit xla"},
    "debug.cli": {
        "debug.cli.navigation": "curses_widgets",
        "debug.evaluator": "evaluator",
        "debug.cli.profile_analyzer": "profile_analyzer_cli",
        ".": "base_ui curses_ui offline_analyzer readline_ui ui_factory",
    },
    "debug.lib": {".": "grpc_debug_server grpc_debug_test_server grpc_tensorflow_server source_remote"},
    "distribute": {
        "testing.combinations distribute .": "combinations",
        "testing.strategies testing.combinations distribute .": "strategy_combinations",
        "contrib.distribute.simple_models distribute .": "model_combinations",
        "distribute .": "experimental mirrored_function_strategy shared_variable_creator summary_op_util",
    },
    "eager": {
        "autodiff.products .": "imperative_grad",
        ".": "cancellation graph_only_ops monitoring profiler profiler_client",
    },
    "framework": {
        "config.pywrap .": "c_api_util",
        "messages.kernel_list": "kernels",
        ".": "is_xla_test_true op_callbacks",
    },
    "grappler": {
        ".": "cluster controller cost_analyzer cost_analyzer_tool graph_analyzer graph_placer hierarchical_controller "
        "item model_analyzer tf_optimizer",
    },
    "keras.engine": {
        "keras.engine.training keras .": "partial_batch_padding_handler training_distributed training_v2_utils"
    },
    "keras.saving.saved_model": {"keras.saving keras .": "constants serialized_attributes utils"},
    "lib": {".": "core"},
    "ops": {
        "functions.flow.v2_functions core.func_graph .": "control_flow_v2_func_graphs while_v2_indexed_slices_rewriter",
        "functions.flow.while_context .": "control_flow_state",
        ". api.gen_ops": "sdca_ops tensor_forest_ops",
    },
    "ops.linalg": {
        "functions.linalg.algebra linalg .": "adjoint_registrations cholesky_registrations inverse_registrations "
        "matmul_registrations solve_registrations",
        "functions.linalg.combined_hints": "registrations_util",
    },
    "platform": {".": "control_imports remote_utils self_check status_bar", "testing.combinations .": "parameterized"},
    "profiler": {"profiler .": "pprof_profiler scoped_annotation traceme"},
    "saved_model": {
        "saved_model .": "function_deserialization function_serialization load_v1_in_v2 signature_serialization",
    },
    "summary.writer": {"summary.writer .": "event_file_writer_v2"},
    "tools": {".": "module_util"},
    "tpu": {
        "contrib.tpu estimator.tpu.bfloat16 estimator.tpu .": "api async_checkpoint bfloat16 datasets device_assignment "
        "error_handling experimental feature_column feature_column_v2 functional preempted_hook session_support "
        "tensor_tracer tensor_tracer_flags tensor_tracer_report topology tpu tpu_config tpu_context tpu_embedding "
        "tpu_embedding_gradient tpu_estimator tpu_feed tpu_function tpu_optimizer tpu_sharding tpu_strategy_util "
        "tpu_system_metadata training_loop util",
    },
    "tpu.ops": {"contrib.tpu .": "tpu_ops tpu_ordinal_selector_op"},
    "tpu.profiler": {".": "capture_tpu_profile version"},
    "training.experimental": {"optimizers.mixed_precision .": "mixed_precision_global_state"},
    "util": {".": "deprecation_wrapper future_api module_wrapper"},
    "": {"autograph .": "autograph", ".": "pywrap_dlopen_global_flags"},
}

# What to use in the place of that which a folder held, from the most special on.
ADVICE = {
    "python.autograph": "tf.autograph.to_graph, to_code and tf.function convert functions",
    "python.compiler.tensorrt": "headrace convert writes models for ONNX, which TensorRT reads",
    "python.debug": "headrace.python.debug has its sessions, hooks and dumps",
    "python.grappler": "plans are optimized by Headrace; headrace explain shows what they have become",
    "python.pywrap_tensorflow": "it was TensorFlow's library in C++, of which only what programs use is here",
    "python.tpu": "it drove TPUs; tf.contrib.tpu has what runs without one",
    "contrib.tpu": "it drove TPUs; TPUEstimator with use_tpu=False runs without one",
}
