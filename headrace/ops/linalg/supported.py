"""Which public functions take linear operators, by where they are defined: no more than names, which are read early."""

from __future__ import annotations

# To the function of `ops.linalg.dispatch` that does it for operators.
SUPPORTED: dict[tuple[str, str], str] = {
    ("ops.math.linalg_functions", "adjoint"): "adjoint",
    ("ops.math.linalg_functions", "cholesky"): "cholesky",
    ("ops.math.linalg_functions", "logdet"): "logdet",
    ("ops.math.linalg_functions", "matrix_determinant"): "determinant",
    ("ops.math.linalg_functions", "matrix_inverse"): "inverse",
    ("ops.math.linalg_functions", "matrix_solve"): "solve",
    ("ops.math.matmul", "matmul"): "matmul",
    ("ops.math.matmul", "matvec"): "matvec",
    ("ops.math.matrices", "matrix_diag_part"): "diag_part",
    ("ops.math.matrices", "trace"): "trace",
}
