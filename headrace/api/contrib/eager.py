"""tf.contrib.eager."""

HOMES = {
    "contrib.eager.callbacks": "ExecutionCallback add_execution_callback clear_execution_callbacks errstate inf_callback "
    "inf_nan_callback nan_callback seterr",
    "contrib.eager.network": "Network Sequential",
    "contrib.eager.network_checkpoints": "restore_network_checkpoint save_network_checkpoint",
    "contrib.eager.functional": "gradients_function implicit_gradients implicit_value_and_gradients "
    "value_and_gradients_function",
    "contrib.eager.saver": "Saver get_optimizer_variables restore_variables_on_create",
    "contrib.eager.datasets": "Iterator",
    "autodiff.gradient_tape": "GradientTape",
    "functions.flow.custom_gradient": "custom_gradient",
    "config.behavior": "enable_eager_execution",
    "config.eager_context": "ASYNC DEVICE_PLACEMENT_EXPLICIT DEVICE_PLACEMENT_SILENT DEVICE_PLACEMENT_WARN SYNC "
    "async_clear_error async_wait connect_to_remote_host enable_remote_eager_execution execution_mode executing_eagerly "
    "in_eager_mode list_devices num_gpus run set_execution_mode set_server_def",
    "state.polymorphic_function": "defun function",
    "state.variable_store": "EagerVariableStore",
    "checkpoints.checkpoint": "Checkpoint",
}

SPELLED = {
    "Checkpointable": "checkpoints.auto_trackable.AutoTrackable",
    "make_template": "state.template.make_template_internal",
    "run_all_tests_in_graph_and_eager_modes": "testing.test_util.run_all_in_graph_and_eager_modes",
    "run_test_in_graph_and_eager_modes": "testing.test_util.run_in_graph_and_eager_modes",
    "TensorSpec": "core.type_specs.TensorSpec",
    "Variable": "state.resource_variables.ResourceVariable",
    "py_func": "ops.flow.py_func.py_function",
}

NESTED = {
    "metrics": {
        "contrib.eager.metrics": "Accuracy BinaryAccuracy CategoricalAccuracy Mean Metric SparseAccuracy",
    },
}
