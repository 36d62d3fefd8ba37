"""tf.contrib.eager."""

HOMES = {
    "contrib.eager.functional": "gradients_function implicit_gradients implicit_value_and_gradients make_vjp "
    "value_and_gradients_function",
    "contrib.eager.saver": "Saver get_optimizer_variables restore_variables_on_create",
    "contrib.eager.datasets": "Iterator",
    "autodiff.tape": "GradientTape",
    "ops.flow.custom_gradient": "custom_gradient",
    "ops.flow.py_func": "py_function",
    "platform.behavior": "enable_eager_execution",
    "platform.eager_context": "ASYNC DEVICE_PLACEMENT_EXPLICIT DEVICE_PLACEMENT_SILENT DEVICE_PLACEMENT_WARN SYNC async_wait "
    "executing_eagerly in_eager_mode list_devices num_gpus",
    "state.polymorphic_function": "defun function",
    "train.checkpoint": "Checkpoint",
}

SPELLED = {
    "Checkpointable": "train.tracking.AutoTrackable",
    "TensorSpec": "core.type_specs.TensorSpec",
    "Variable": "state.resource_variables.ResourceVariable",
    "py_func": "ops.flow.py_func.py_function",
}
