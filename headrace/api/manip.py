"""tf.manip: moving elements of tensors about."""

HOMES: dict[str, str] = {
    "functions.array.gather": "gather_nd",
    "ops.array.reverse": "reverse roll",
    "ops.array.scatter": "scatter_nd",
    "ops.array.shape": "reshape",
    "ops.array.space": "batch_to_space_nd space_to_batch_nd",
    "ops.array.tile": "tile",
}
