"""tf.linalg: linear algebra."""

HOMES: dict[str, str] = {
    "ops.nn.moments": "l2_normalize normalize",
    "ops.array.transpose": "matrix_transpose",
    "ops.math.clip": "global_norm",
    "ops.math.cross": "cross",
    "ops.math.matmul": "matmul matvec",
    "ops.math.matrices": "eye trace",
    "ops.math.norms": "norm",
    "ops.math.products": "einsum tensordot",
}

SPELLED: dict[str, str] = {
    "transpose": "ops.array.transpose.matrix_transpose",
    "band_part": "ops.math.matrices.matrix_band_part",
    "diag": "ops.math.matrices.matrix_diag",
    "diag_part": "ops.math.matrices.matrix_diag_part",
    "set_diag": "ops.math.matrices.matrix_set_diag",
    "tensor_diag": "ops.math.matrices.diag",
    "tensor_diag_part": "ops.math.matrices.diag_part",
}
