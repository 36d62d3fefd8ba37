"""Which operators warn that what is asked of them takes a dense matrix."""

import logging

import numpy as np
import tensorflow as tf

results = {}
linalg = tf.linalg
asked = (
    "solve", "determinant", "log_abs_determinant", "trace", "assert_non_singular", "assert_positive_definite",
    "assert_self_adjoint", "inverse",
)  # fmt: skip


class Counting(logging.Handler):
    count = 0

    def emit(self, record):
        self.count += "default implementation" in record.getMessage()


counting = Counting()
tf.get_logger().addHandler(counting)
square = tf.eye(3) * 2.0
whole = linalg.LinearOperatorFullMatrix(square)
operators = [
    whole,
    linalg.LinearOperatorFullMatrix(square, is_self_adjoint=True, is_positive_definite=True),
    linalg.LinearOperatorDiag([1.0, 2.0]),
    linalg.LinearOperatorScaledIdentity(3, 2.0),
    linalg.LinearOperatorLowerTriangular(square),
    linalg.LinearOperatorLowRankUpdate(whole, tf.ones([3, 1])),
    linalg.LinearOperatorComposition([whole, linalg.LinearOperatorIdentity(3)]),
    linalg.LinearOperatorKronecker([whole]),
    linalg.LinearOperatorBlockDiag([whole]),
    linalg.LinearOperatorHouseholder([1.0, 0.0, 0.0]),
    linalg.LinearOperatorCirculant([1.0, 2.0, 3.0]),
    linalg.LinearOperatorToeplitz([1.0, 0.5], [1.0, 0.2]),
]
said = []
for operator in operators:
    for name in asked:
        counting.count = 0
        arguments = [tf.ones([operator.shape[0].value, 1], operator.dtype)] if name == "solve" else []
        try:
            getattr(operator, name)(*arguments)
        except (NotImplementedError, ValueError, tf.errors.InvalidArgumentError) as error:
            said.append(f"{operator.name} {name} {type(error).__name__}")
        else:
            said.append(f"{operator.name} {name} {counting.count}")
tf.get_logger().removeHandler(counting)
results["warnings"] = np.array(said)
