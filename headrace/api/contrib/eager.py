"""tf.contrib.eager, as far as it serves graphs."""

HOMES = {
    "contrib.eager.saver": "Saver get_optimizer_variables restore_variables_on_create",
    "ops.flow.custom_gradient": "custom_gradient",
    "ops.flow.py_func": "py_function",
    "train.checkpoint": "Checkpoint",
}

SPELLED = {
    "Checkpointable": "train.tracking.AutoTrackable",
    "Variable": "state.resource_variables.ResourceVariable",
    "executing_eagerly": "platform.eager_context.executing_eagerly",
    "py_func": "ops.flow.py_func.py_function",
}
