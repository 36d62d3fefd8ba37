"""ObtainNext: the next of a list of strings, round and round."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import boxed, rank_is, require_scalar
from headrace.kernels.state.handles import invalid

if TYPE_CHECKING:
    from headrace.core.buffers import VariableBuffer
    from headrace.core.typing import NodeView, OpView, TensorLike, VariableLike


obtain_next_op = op("ObtainNext", "list: string, counter: ref int64 -> out_element: string").writes("counter")


@obtain_next_op.shape
def obtain_next_shape(op: OpView) -> list[Any]:
    rank_is(op.inputs[0].dims, 1)
    require_scalar(op, 1)
    return [()]


@obtain_next_op.kernel
def obtain_next_kernel(node: NodeView) -> Callable[..., Any]:
    def walk(strings: np.ndarray, buffer: VariableBuffer) -> np.ndarray:
        if not len(strings):
            raise invalid("ObtainNext expects a list that is not empty")
        with buffer.lock:
            counter = buffer.read()
            place = (int(counter) + 1) % len(strings)
            counter.fill_(place)
        return boxed(strings[place])

    return walk


def obtain_next(string_list_tensor: TensorLike, counter: VariableLike) -> Tensor:
    """The next string of a list, each time it is run; after the last one the first again.

    Args:
        string_list_tensor: a vector of strings.
        counter: a reference variable of int64, where in the list the last one was; it starts at -1.

    Returns:
        a scalar string.

    Raises:
        TypeError: if `counter` is a resource variable or of another type.

    Example:
        >>> counter = tf.Variable(np.int64(-1), trainable=False)
        >>> element = tf.contrib.input_pipeline.obtain_next(["a", "b"], counter)
    """
    return raw.ObtainNext(string_list_tensor, counter)


_names = np.array([b"a", b"b", b"c"], object)
obtain_next_op.accepts(_names, np.int64(-1)).accepts(_names, np.int64(2))
obtain_next_op.rejects(_names[:0], np.int64(-1), error=InvalidArgumentError, differs="1.15 divides by 0")
