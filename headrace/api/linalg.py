"""tf.linalg: linear algebra."""

HOMES: dict[str, str] = {
    "functions.linalg.circulant": "LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D",
    "functions.linalg.combined": "LinearOperatorAdjoint LinearOperatorBlockDiag LinearOperatorComposition "
    "LinearOperatorInversion",
    "functions.linalg.identity": "LinearOperatorIdentity LinearOperatorScaledIdentity LinearOperatorZeros",
    "functions.linalg.kronecker": "LinearOperatorKronecker",
    "functions.linalg.low_rank": "LinearOperatorLowRankUpdate",
    "functions.linalg.operator": "LinearOperator",
    "functions.linalg.simple": "LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorHouseholder "
    "LinearOperatorLowerTriangular",
    "functions.linalg.toeplitz": "LinearOperatorToeplitz",
    "kernels.composing.matrices": "adjoint",
    "functions.math.linalg_functions": "cholesky cholesky_solve logdet lu matrix_rank pinv qr slogdet svd",
    "functions.nn.moments": "l2_normalize normalize",
    "kernels.composing.arithmetic": "matmul",
    "kernels.composing.arranging": "matrix_transpose",
    "ops.math.clip": "global_norm",
    "ops.math.cross": "cross",
    "ops.math.matmul": "matvec",
    "functions.math.matrices": "eye trace",
    "functions.math.norms": "norm",
    "functions.math.products": "einsum tensordot",
    "ops.math.tridiagonal": "tridiagonal_matmul tridiagonal_solve",
}

SPELLED: dict[str, str] = {
    "LinearOperatorTriL": "functions.linalg.simple.LinearOperatorLowerTriangular",
    "transpose": "kernels.composing.arranging.matrix_transpose",
    "band_part": "functions.math.matrices.matrix_band_part",
    "diag": "functions.math.matrices.matrix_diag",
    "diag_part": "functions.math.matrices.matrix_diag_part",
    "set_diag": "functions.math.matrices.matrix_set_diag",
    "tensor_diag": "functions.math.matrices.diag",
    "tensor_diag_part": "functions.math.matrices.diag_part",
    "det": "functions.math.linalg_functions.matrix_determinant",
    "inv": "functions.math.linalg_functions.matrix_inverse",
    "solve": "functions.math.linalg_functions.matrix_solve",
    "lstsq": "functions.math.linalg_functions.matrix_solve_ls",
    "triangular_solve": "functions.math.linalg_functions.matrix_triangular_solve",
    "sqrtm": "functions.math.linalg_functions.matrix_square_root",
    "logm": "functions.math.linalg_functions.matrix_logarithm",
    "expm": "functions.math.exponential.matrix_exponential",
    "eigh": "functions.math.linalg_functions.self_adjoint_eig",
    "eigvalsh": "functions.math.linalg_functions.self_adjoint_eigvals",
}
