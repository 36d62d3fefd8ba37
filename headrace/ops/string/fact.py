"""`tf.user_ops`: the example of an op that TensorFlow's users were shown."""

from __future__ import annotations

import numpy as np

from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor

fact_op = op("Fact", "-> fact: string")


@fact_op.shape
def fact_shape(op):
    return [()]


@fact_op.kernel
def fact_kernel(node):
    fact = np.array(b"0! == 1", dtype=object)
    return lambda: fact


fact_op.accepts()


def my_fact(name: str | None = None) -> Tensor:
    """A fact about factorials.

    Args:
        name: a name for the operation.

    Returns:
        a string scalar.

    Example:
        >>> sess.run(tf.user_ops.my_fact())
        b'0! == 1'
    """
    return raw.Fact(name=name)
