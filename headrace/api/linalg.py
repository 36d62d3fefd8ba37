"""tf.linalg: linear algebra."""

HOMES: dict[str, str] = {
    "ops.array.transpose": "matrix_transpose",
    "ops.math.clip": "global_norm",
    "ops.math.matmul": "matmul matvec",
}

SPELLED: dict[str, str] = {
    "transpose": "ops.array.transpose.matrix_transpose",
}
