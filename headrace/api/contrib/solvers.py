"""tf.contrib.solvers: equations and decompositions by iteration."""

NESTED = {
    "lanczos": {"contrib.solvers.lanczos": "bidiag_matmul lanczos_bidiag"},
    "least_squares": {"contrib.solvers.least_squares": "cgls"},
    "linear_equations": {"contrib.solvers.linear_equations": "conjugate_gradient"},
    "util": {"contrib.solvers.util": "create_operator dot identity_operator l2norm l2norm_squared l2normalize"},
}
