"""Jacobians of tensors of a graph: 1.15's `tensorflow.python.ops.parallel_for.gradients`."""

from __future__ import annotations

import math
from typing import Any

from headrace.autodiff.gradients import gradients
from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor


def _known_sizes(method: str, tensor: Tensor, sizes: list[Any]) -> list[int]:
    if None in sizes:
        raise NotImplementedError(
            f"{method}: output '{tensor.name}' has the shape {tensor.shape}, which must be known; give it one with "
            "tf.reshape or set_shape."
        )
    return sizes


def _unit(index: int, count: int, like: Tensor) -> Tensor:
    return raw.OneHot(index, count, convert_to_tensor(1, like.dtype), convert_to_tensor(0, like.dtype))


def jacobian(output: Tensor, inputs: Any, use_pfor: bool = True, parallel_iterations: int | None = None) -> Any:
    """The derivatives of each element of `output` with respect to `inputs`.

    Args:
        output: a tensor of known shape.
        inputs: a tensor, or a structure of them.
        use_pfor, parallel_iterations: how TensorFlow would run it; rows are computed one by one here.

    Returns:
        a structure like `inputs` of tensors of the shape of `output` followed by that of the input; None where
        they are not connected.

    Raises:
        NotImplementedError: if the shape of `output` is not known.

    Example:
        >>> x = tf.constant([1.0, 2.0])
        >>> rows = jacobian(x * x, x)
    """
    flat = nest.flatten(inputs)
    dims = _known_sizes("jacobian", output, output.shape.as_list() if output.shape.ndims is not None else [None])
    count = math.prod(dims)
    rows = [gradients(output, flat, grad_ys=raw.Reshape(_unit(i, count, output), dims)) for i in range(count)]
    results: list[Any] = []
    for k, source in enumerate(flat):
        column = [row[k] for row in rows]
        if not column or column[0] is None:
            results.append(None)
            continue
        stacked = raw.Pack([convert_to_tensor(g) for g in column], axis=0)
        made = raw.Reshape(stacked, raw.ConcatV2([convert_to_tensor(dims, "int32"), raw.Shape(source)], 0))
        made.set_shape(output.shape.concatenate(source.shape))
        results.append(made)
    return nest.pack_sequence_as(inputs, results)


def batch_jacobian(output: Tensor, inp: Tensor, use_pfor: bool = True, parallel_iterations: int | None = None) -> Any:
    """For each example of a batch, the derivatives of its output with respect to its input.

    Args:
        output: [batch, ...], known but for the batch.
        inp: [batch, ...]; an example's output must depend on that example only.
        use_pfor, parallel_iterations: as in `jacobian`.

    Returns:
        a tensor of shape [batch, the rest of output's, the rest of inp's]; None if they are not connected.

    Raises:
        ValueError: if the first dimensions differ.
        NotImplementedError: if a size of `output` after the batch is not known.

    Example:
        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> rows = batch_jacobian(x * x, x)
    """
    if not output.shape[:1].is_compatible_with(inp.shape[:1]):
        raise ValueError(f"Need first dimension of output shape ({output.shape}) and inp shape ({inp.shape}) to match.")
    dims = _known_sizes("batch_jacobian", output, output.shape.as_list()[1:])
    count = math.prod(dims)
    columns = []
    for i in range(count):
        start = raw.AddV2(raw.ZerosLike(output), raw.Reshape(_unit(i, count, output), [1, *dims]))
        (made,) = gradients(output, [inp], grad_ys=start)
        if made is None:
            return None
        columns.append(convert_to_tensor(made))
    if not columns:
        return None
    rest = raw.Shape(inp)[1:]
    sizes = raw.ConcatV2([raw.Shape(output), rest], 0)
    result = raw.Reshape(raw.Pack(columns, axis=1), sizes)
    result.set_shape(output.shape.concatenate(inp.shape[1:]))
    return result
