"""Which public functions take linear operators, by where they are defined: no more than names, which are read early."""

from __future__ import annotations

# To the function of `functions.linalg.dispatch` that does it for operators.
SUPPORTED: dict[tuple[str, str], str] = {
    ("kernels.composing.matrices", "adjoint"): "adjoint",
    ("functions.math.linalg_functions", "cholesky"): "cholesky",
    ("functions.math.linalg_functions", "logdet"): "logdet",
    ("functions.math.linalg_functions", "matrix_determinant"): "determinant",
    ("functions.math.linalg_functions", "matrix_inverse"): "inverse",
    ("functions.math.linalg_functions", "matrix_solve"): "solve",
    ("kernels.composing.arithmetic", "matmul"): "matmul",
    ("ops.math.matmul", "matvec"): "matvec",
    ("functions.math.matrices", "matrix_diag_part"): "diag_part",
    ("functions.math.matrices", "trace"): "trace",
}
