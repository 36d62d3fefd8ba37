"""tf.linalg: linear algebra."""

HOMES: dict[str, str] = {
    "ops.linalg.circulant": "LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D",
    "ops.linalg.combined": "LinearOperatorAdjoint LinearOperatorBlockDiag LinearOperatorComposition "
    "LinearOperatorInversion",
    "ops.linalg.identity": "LinearOperatorIdentity LinearOperatorScaledIdentity LinearOperatorZeros",
    "ops.linalg.kronecker": "LinearOperatorKronecker",
    "ops.linalg.low_rank": "LinearOperatorLowRankUpdate",
    "ops.linalg.operator": "LinearOperator",
    "ops.linalg.simple": "LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorHouseholder "
    "LinearOperatorLowerTriangular",
    "ops.linalg.toeplitz": "LinearOperatorToeplitz",
    "ops.math.linalg_functions": "adjoint cholesky cholesky_solve logdet lu matrix_rank pinv qr slogdet svd",
    "ops.nn.moments": "l2_normalize normalize",
    "ops.array.transpose": "matrix_transpose",
    "ops.math.clip": "global_norm",
    "ops.math.cross": "cross",
    "ops.math.matmul": "matmul matvec",
    "ops.math.matrices": "eye trace",
    "ops.math.norms": "norm",
    "ops.math.products": "einsum tensordot",
    "ops.math.tridiagonal": "tridiagonal_matmul tridiagonal_solve",
}

SPELLED: dict[str, str] = {
    "transpose": "ops.array.transpose.matrix_transpose",
    "band_part": "ops.math.matrices.matrix_band_part",
    "diag": "ops.math.matrices.matrix_diag",
    "diag_part": "ops.math.matrices.matrix_diag_part",
    "set_diag": "ops.math.matrices.matrix_set_diag",
    "tensor_diag": "ops.math.matrices.diag",
    "tensor_diag_part": "ops.math.matrices.diag_part",
    "det": "ops.math.linalg_functions.matrix_determinant",
    "inv": "ops.math.linalg_functions.matrix_inverse",
    "solve": "ops.math.linalg_functions.matrix_solve",
    "lstsq": "ops.math.linalg_functions.matrix_solve_ls",
    "triangular_solve": "ops.math.linalg_functions.matrix_triangular_solve",
    "sqrtm": "ops.math.linalg_functions.matrix_square_root",
    "logm": "ops.math.linalg_functions.matrix_logarithm",
    "expm": "ops.math.exponential.matrix_exponential",
    "eigh": "ops.math.linalg_functions.self_adjoint_eig",
    "eigvalsh": "ops.math.linalg_functions.self_adjoint_eigvals",
}
