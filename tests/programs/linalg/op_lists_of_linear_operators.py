"""The ops that linear operators make, by name and type, and what their internal modules do."""

import hashlib

import numpy as np
import tensorflow as tf
from tensorflow.python.ops.linalg import (
    linear_operator_addition,
    linear_operator_algebra,
    linear_operator_toeplitz,
    linear_operator_util,
)

results = {}
SPD = np.float32([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 5.0]])
ANY = np.float32([[4.0, 1.0, 0.5], [2.0, 3.0, 0.2], [0.1, 0.2, 5.0]])
THREE = np.float32([1.0, 2.0, 3.0])
KNOWN = {"is_positive_definite": True, "is_self_adjoint": True, "is_non_singular": True}
lib = tf.linalg
OPERATORS = {
    "full": lambda: lib.LinearOperatorFullMatrix(ANY),
    "full spd": lambda: lib.LinearOperatorFullMatrix(SPD, **KNOWN),
    "diag": lambda: lib.LinearOperatorDiag(THREE, **KNOWN),
    "tril": lambda: lib.LinearOperatorLowerTriangular(ANY),
    "identity": lambda: lib.LinearOperatorIdentity(3, batch_shape=[2]),
    "scaled": lambda: lib.LinearOperatorScaledIdentity(3, 2.0, is_positive_definite=True),
    "householder": lambda: lib.LinearOperatorHouseholder(THREE),
    "circulant": lambda: lib.LinearOperatorCirculant(np.complex64([6, 1, 1]), input_output_dtype=tf.float32),
    "toeplitz": lambda: linear_operator_toeplitz.LinearOperatorToeplitz(np.float32([4, 1, 2]), np.float32([4, 2, 0])),
    "composition": lambda: lib.LinearOperatorComposition([OPERATORS["full"](), OPERATORS["diag"]()]),
    "blocks": lambda: lib.LinearOperatorBlockDiag(
        [lib.LinearOperatorFullMatrix(SPD[:2, :2], **KNOWN), lib.LinearOperatorFullMatrix(SPD[2:, 2:], **KNOWN)]
    ),
    "low rank": lambda: lib.LinearOperatorLowRankUpdate(
        OPERATORS["diag"](), np.float32([[1.0], [0.5], [2.0]]), np.float32([0.5]), is_diag_update_positive=True
    ),
}
X = np.float32([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
METHODS = {
    "matmul": lambda a: a.matmul(X),
    "matmul adjoint": lambda a: a.matmul(X.T, adjoint=True, adjoint_arg=True),
    "matvec": lambda a: a.matvec(THREE),
    "solve": lambda a: a.solve(X),
    "solve batch": lambda a: a.solve(np.stack([X, X + 1])),
    "dense": lambda a: a.to_dense(),
    "diag_part": lambda a: a.diag_part(),
    "determinant": lambda a: a.determinant(),
    "log_abs_determinant": lambda a: a.log_abs_determinant(),
    "trace": lambda a: a.trace(),
    "inverse": lambda a: a.inverse().to_dense(),
    "adjoint": lambda a: a.adjoint().to_dense(),
    "added": lambda a: a.add_to_tensor(SPD),
    "twice": lambda a: a.matmul(a).to_dense(),
    "solved": lambda a: a.solve(a).to_dense(),
    "assertion": lambda a: (a.assert_non_singular(), a.shape_tensor())[1],
}
for title, make in OPERATORS.items():
    for method, apply in METHODS.items():
        with tf.Graph().as_default() as graph:
            try:
                made = apply(make())
                with tf.Session() as session:
                    value = session.run(made)
                ops = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
                digest = hashlib.md5("\n".join(ops).encode()).hexdigest()[:12]
                results["%s %s" % (title, method)] = [len(ops), digest, np.real(value).astype(float)]
            except (ValueError, TypeError, NotImplementedError) as error:
                results["%s %s" % (title, method)] = type(error).__name__

with tf.Graph().as_default(), tf.Session() as session:
    sums = linear_operator_addition.add_operators(
        [OPERATORS["diag"](), lib.LinearOperatorIdentity(3), OPERATORS["tril"]()], name="sums"
    )
    results["sum"] = [[type(a).__name__, a.name, a.is_positive_definite, session.run(a.to_dense())] for a in sums]
    kept = linear_operator_addition.add_operators(
        [OPERATORS["diag"](), OPERATORS["full"](), OPERATORS["diag"]()],
        addition_tiers=[[linear_operator_addition._AddAndReturnDiag()]],
        operator_name="own",
    )
    results["kept apart"] = [[type(a).__name__, a.name] for a in kept]
    for wrong in ([], [OPERATORS["diag"](), 3.0], [OPERATORS["diag"](), lib.LinearOperatorIdentity(2)]):
        try:
            linear_operator_addition.add_operators(wrong)
        except (ValueError, TypeError) as error:
            results["not added %d" % len(str(wrong)) if not wrong else "not added %s" % type(wrong[1]).__name__] = type(
                error
            ).__name__

    class Halved(lib.LinearOperatorDiag):
        """An operator of a class of its own."""

    @linear_operator_algebra.RegisterMatmul(Halved, lib.LinearOperatorDiag)
    def _halved_times_diag(a, b):
        return lib.LinearOperatorDiag(a.diag * b.diag * 0.5)

    results["registered"] = session.run(Halved(THREE).matmul(OPERATORS["diag"]()).diag_part())
    results["nearest"] = session.run(Halved(THREE).solve(OPERATORS["diag"]()).diag_part())
    for wrong in (
        lambda: linear_operator_algebra.RegisterInverse(Halved)("no function"),
        lambda: linear_operator_algebra.RegisterMatmul(Halved, lib.LinearOperatorDiag)(_halved_times_diag),
    ):
        try:
            wrong()
        except (ValueError, TypeError) as error:
            results["not registered %s" % type(error).__name__] = True
    results["batches"] = [
        m.shape.as_list()
        for m in linear_operator_util.broadcast_matrix_batch_dims([tf.ones([2, 1, 3, 4]), tf.ones([5, 2, 2])])
    ]
    tall = linear_operator_util.matrix_solve_with_broadcast(tf.constant(ANY), tf.ones([4, 3, 1]), adjoint=True)
    results["many columns"] = session.run(tall)

with tf.Graph().as_default(), tf.Session() as session:
    # An operator reads its variable where it is used.
    variable = tf.Variable(THREE, use_resource=True)
    operator = lib.LinearOperatorDiag(variable)
    product = operator.matvec(THREE)
    session.run(variable.initializer)
    before = session.run(product)
    session.run(variable.assign(THREE * 2))
    results["variable"] = [before, session.run(product), operator.variables[0] is variable]
    for wrong in (
        lambda: lib.LinearOperatorIdentity(variable),
        lambda: lib.LinearOperatorIdentity([2]),
        lambda: lib.LinearOperatorIdentity(2.0),
        lambda: lib.LinearOperatorIdentity(2, batch_shape=[-2]),
    ):
        try:
            wrong()
        except (ValueError, TypeError) as error:
            results.setdefault("refused", []).append(type(error).__name__)
