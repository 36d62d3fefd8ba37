"""tf.compat.v2.linalg: the names that mean the same in 1.x."""

HOMES = {
    "linalg": "LinearOperator LinearOperatorAdjoint LinearOperatorBlockDiag LinearOperatorCirculant "
    "LinearOperatorCirculant2D LinearOperatorCirculant3D LinearOperatorComposition LinearOperatorDiag "
    "LinearOperatorFullMatrix LinearOperatorHouseholder LinearOperatorIdentity LinearOperatorInversion "
    "LinearOperatorKronecker LinearOperatorLowRankUpdate LinearOperatorLowerTriangular "
    "LinearOperatorScaledIdentity LinearOperatorToeplitz LinearOperatorZeros adjoint band_part cholesky "
    "cholesky_solve cross det diag diag_part eigh eigvalsh einsum expm eye global_norm inv logdet logm lstsq "
    "lu matmul matrix_rank matrix_transpose matvec normalize pinv qr set_diag slogdet solve sqrtm svd "
    "tensor_diag tensor_diag_part tensordot trace triangular_solve tridiagonal_matmul tridiagonal_solve",
}

SPELLED = {
    "l2_normalize": "api.v2_arguments.linalg__l2_normalize",
    "norm": "api.v2_arguments.linalg__norm",
}
