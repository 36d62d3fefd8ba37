"""Jacobians of tensors row by row, and 1.15's `tensorflow.python.ops.parallel_for.gradients`, which are those of graphs."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

from headrace.autodiff.gradients import gradients
from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor


def _known_sizes(method: str, name: str, tensor: Tensor, sizes: list[Any]) -> list[int]:
    if None in sizes:
        raise NotImplementedError(
            f"{method}: {name} has the shape {tensor.shape}, which must be known; give it one with tf.reshape or set_shape."
        )
    return sizes


def _unit(index: int, count: int, like: Tensor) -> Tensor:
    return raw.OneHot(index, count, convert_to_tensor(1, like.dtype), convert_to_tensor(0, like.dtype))


def _sizes(tensor: Any) -> Any:
    """The sizes of a tensor or variable, as numbers where they are known."""
    return tensor.shape.as_list() if tensor.shape.is_fully_defined() else raw.Shape(tensor)


def _joined(first: Any, second: Any) -> Tensor:
    return raw.ConcatV2([convert_to_tensor(first, "int32"), convert_to_tensor(second, "int32")], 0)


def rows_of_jacobian(
    method: str, name: str, target: Tensor, differentiate: Callable[[Tensor], list[Any]]
) -> tuple[list[int], list[list[Any]]]:
    """The derivatives of each element of `target`.

    Args:
        method: who asks, for errors.
        name: what it calls `target`.
        target: a tensor of known shape.
        differentiate: from the derivative that goes into `target`, those of the sources.

    Returns:
        the shape of `target` and the derivatives of each of its elements.

    Raises:
        NotImplementedError: if the shape of `target` is not known.

    Example:
        >>> import headrace as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.constant([1.0, 2.0])
        ...     shape, rows = rows_of_jacobian("jacobian", "y", x, lambda start: [start * 2.0])
        >>> shape, len(rows)
        ([2], 2)
    """
    dims = _known_sizes(method, name, target, target.shape.as_list() if target.shape.ndims is not None else [None])
    count = math.prod(dims)
    return dims, [differentiate(raw.Reshape(_unit(i, count, target), dims)) for i in range(count)]


def jacobians_of_rows(target: Tensor, dims: list[int], rows: list[list[Any]], sources: list[Any]) -> list[Any]:
    """What `rows_of_jacobian` gave as one tensor for each source, None where they are not connected.

    Args:
        target: the tensor.
        dims, rows: what `rows_of_jacobian` gave of it.
        sources: the tensors or variables.

    Returns:
        for each source a tensor of the shape of `target` followed by that of the source.

    Example:
        >>> import headrace as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.constant([1.0, 2.0])
        ...     dims, rows = rows_of_jacobian("jacobian", "y", x, lambda start: [start * 2.0])
        ...     (made,) = jacobians_of_rows(x, dims, rows, [x])
        >>> made.shape
        TensorShape([Dimension(2), Dimension(2)])
    """
    results: list[Any] = []
    for k, source in enumerate(sources):
        column = [row[k] for row in rows]
        if not column or column[0] is None:
            results.append(None)
            continue
        stacked = raw.Pack([convert_to_tensor(g) for g in column], axis=0)
        made = raw.Reshape(stacked, _joined(dims, _sizes(source)))
        made.set_shape(target.shape.concatenate(source.shape))
        results.append(made)
    return results


def check_parallel_iterations(parallel_iterations: Any, vectorized: bool) -> None:
    """Refuses what is no number of iterations to run at once, though rows are computed one by one.

    Args:
        parallel_iterations: None, or a positive integer.
        vectorized: whether TensorFlow would compute the rows together; a loop refuses other numbers by another class.

    Raises:
        TypeError: for what is no integer, or by the loop.
        ValueError: for a number below 1.

    Example:
        >>> check_parallel_iterations(10, True)
    """
    if parallel_iterations is None:
        return
    message = f"parallel_iterations must be None or a positive integer, got {parallel_iterations!r}."
    if not isinstance(parallel_iterations, numbers.Integral):
        raise TypeError(message)
    if parallel_iterations < 1:
        raise (ValueError if vectorized else TypeError)(message)


def check_batches(names: tuple[str, str], target: Tensor, source: Any) -> None:
    """Refuses a target and a source that are not batches of the same size.

    Args:
        names: what the caller calls them.
        target, source: the tensors.

    Raises:
        IndexError: if the target is a scalar.
        ValueError: if the first dimensions differ.

    Example:
        >>> import headrace as tf
        >>> with tf.Graph().as_default():
        ...     check_batches(("y", "x"), tf.ones([3, 2]), tf.ones([3]))
    """
    if target.shape.ndims == 0:
        raise IndexError(
            f"{names[0]} is a scalar: a batch has a first dimension, which says how many examples there are."
        )
    if source.shape.ndims == 0 or not target.shape[:1].is_compatible_with(source.shape[:1]):
        raise ValueError(
            f"Need first dimension of {names[0]} shape ({target.shape}) and {names[1]} shape ({source.shape}) to match."
        )


def batch_jacobian_of(
    method: str, names: tuple[str, str], target: Tensor, source: Any, differentiate: Callable[[Tensor], Any]
) -> Any:
    """For each example of a batch, the derivatives of its target with respect to its source.

    Args:
        method: who asks, for errors.
        names: what it calls `target` and `source`.
        target: [batch, ...], known but for the batch.
        source: [batch, ...]; an example's target must depend on that example only.
        differentiate: from the derivative that goes into `target`, that of the source.

    Returns:
        a tensor of shape [batch, the rest of target's, the rest of source's]; None if they are not connected.

    Raises:
        ValueError: if the first dimensions differ.
        NotImplementedError: if a size of `target` after the batch is not known.

    Example:
        >>> import headrace as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.ones([3, 2])
        ...     made = batch_jacobian_of("batch_jacobian", ("y", "x"), x, x, lambda start: start * 2.0)
        >>> made.shape.as_list()
        [3, 2, 2]
    """
    check_batches(names, target, source)
    rest = target.shape.as_list()[1:] if target.shape.ndims is not None else [None]
    dims = _known_sizes(method, names[0], target, rest)
    count = math.prod(dims)
    columns = []
    for i in range(count):
        made = differentiate(raw.AddV2(raw.ZerosLike(target), raw.Reshape(_unit(i, count, target), [1, *dims])))
        if made is None:
            return None
        columns.append(convert_to_tensor(made))
    if not columns:
        return None
    around = source.shape[1:]
    inner = around.as_list() if around.is_fully_defined() else raw.Shape(source)[1:]
    result = raw.Reshape(raw.Pack(columns, axis=1), _joined(_sizes(target), inner))
    result.set_shape(target.shape.concatenate(around))
    return result


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
        >>> import headrace as tf
        >>> with tf.Graph().as_default(), tf.Session() as session:
        ...     x = tf.constant([1.0, 2.0])
        ...     session.run(jacobian(x * x, x)).tolist()
        [[2.0, 0.0], [0.0, 4.0]]
    """
    check_parallel_iterations(parallel_iterations, use_pfor)
    flat = nest.flatten(inputs)
    dims, rows = rows_of_jacobian(
        "jacobian", f"output '{output.name}'", output, lambda start: gradients(output, flat, grad_ys=start)
    )
    return nest.pack_sequence_as(inputs, jacobians_of_rows(output, dims, rows, flat))


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
        >>> import headrace as tf
        >>> with tf.Graph().as_default(), tf.Session() as session:
        ...     x = tf.constant([[1.0], [3.0]])
        ...     session.run(batch_jacobian(x * x, x)).tolist()
        [[[2.0]], [[6.0]]]
    """
    check_parallel_iterations(parallel_iterations, use_pfor)
    return batch_jacobian_of(
        "batch_jacobian", ("output", "inp"), output, inp, lambda start: gradients(output, [inp], grad_ys=start)[0]
    )
