"""Products over chosen axes, made of transposes, reshapes and one matrix product: tensordot and einsum."""

from __future__ import annotations

import functools
import logging
import math
import numbers
import operator
import re
import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.attributes import check_attribute
from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import is_fully_defined
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_log = logging.getLogger("headrace")


def tensordot(
    a: TensorLike, b: TensorLike, axes: int | TensorLike | Sequence[int | Sequence[int]], name: str | None = None
) -> Tensor:
    """The products of `a` and `b` summed over pairs of their axes.

    Args:
        a: numbers of any shape.
        b: numbers of any shape and the same type.
        axes: how many of the last axes of `a` go with the first of `b`; or two lists of axes; or an int32 tensor of
            shape (2, k).
        name: a name for the operation.

    Returns:
        a tensor whose shape is what is left of those of `a` and `b`.

    Raises:
        ValueError: if `axes` has another form, or the sizes do not fit.

    Example:
        >>> tf.Session().run(tf.tensordot([[1, 2], [3, 4]], [10, 100], [[0], [0]]))
        array([310, 420], dtype=int32)
    """
    with name_scope(name, "Tensordot", [a, b, axes]) as scope:
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, name="b")
        a_axes, b_axes = _axes_of_both(a, axes)
        a_rows, a_free, a_static = _as_matrix(a, a_axes, last=True)
        b_rows, b_free, b_static = _as_matrix(b, b_axes, last=False)
        product = composing.matmul(a_rows, b_rows)
        if isinstance(a_free, list) and isinstance(b_free, list):
            return raw.Reshape(product, a_free + b_free, name=scope)
        a_free = convert_to_tensor(a_free, "int32")
        b_free = convert_to_tensor(b_free, "int32")
        result = raw.Reshape(product, composing.concat([a_free, b_free], 0), name=scope)
        if a_static is not None and b_static is not None:
            result.set_shape(a_static + b_static)
        else:
            free = [_free_dims(a, a_axes), _free_dims(b, b_axes)]
            if free[0] is not None and free[1] is not None:
                result.set_shape(free[0] + free[1])
        return result


def _free_dims(x: Tensor, axes: TensorLike) -> list[int | None] | None:
    """The sizes of the axes that stay, where the axes that go are a tensor of known value."""
    known = constant_value(axes) if isinstance(axes, Tensor) else None
    if known is None or x.dims is None:
        return None
    contracted = {int(axis) % len(x.dims) for axis in known.reshape(-1)}
    return [size for axis, size in enumerate(x.dims) if axis not in contracted]


def _axes_of_both(a: Tensor, axes: Any) -> tuple[Any, Any]:
    if isinstance(axes, numbers.Integral):
        count = int(axes)
        if count < 0:
            raise ValueError("'axes' must be at least 0.")
        if a.dims is None:
            rank = composing.rank(a)
            return composing.range_(rank - count, rank, dtype="int32"), composing.range_(count, dtype="int32")
        if count > len(a.dims):
            raise ValueError(f"'axes' must not be larger than the number of dimensions of tensor {a}.")
        return list(range(len(a.dims) - count, len(a.dims))), list(range(count))
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ValueError("'axes' must be an integer or have length 2.")
        first, second = axes
        if isinstance(first, numbers.Integral) and isinstance(second, numbers.Integral):
            first, second = [first], [second]
        if len(first) != len(second):
            raise ValueError(f"Different number of contraction axes 'a' and 'b', {len(first)} != {len(second)}.")
        return first, second
    axes = convert_to_tensor(axes, "int32", name="axes")
    return axes[0], axes[1]


def _as_matrix(x: Tensor, axes: Tensor | Sequence[int], last: bool) -> tuple[Tensor, Any, list[int | None] | None]:
    """`x` as a matrix with the summed axes last or first, and the sizes of the others: as asked for, and static."""
    listed = isinstance(axes, (list, tuple))
    dims: Any = x.dims
    perm: Any
    sizes: Any
    free_static: list[int | None] | None = None
    if dims is not None and listed:
        axes = [int(i) if i >= 0 else int(i) + len(dims) for i in axes]
        free = [i for i in range(len(dims)) if i not in axes]
        free_static = [dims[i] for i in free]
        if is_fully_defined(dims):
            rows, columns = math.prod(dims[i] for i in free), math.prod(dims[i] for i in axes)
            perm = free + axes if last else axes + free
            sizes = [rows, columns] if last else [columns, rows]
            return raw.Reshape(composing.transpose(x, perm), sizes), free_static, free_static
        axes = convert_to_tensor(axes, "int32", name="axes")
        free_axes = convert_to_tensor(free, "int32", name="free")
        shape = composing.shape(x)
    else:
        shape = composing.shape(x)
        rank = composing.rank(x)
        axes = convert_to_tensor(axes, "int32", name="axes")
        axes = raw.Select(axes >= 0, axes, axes + rank)
        free_axes, _ = raw.ListDiff(composing.range_(rank), axes)
    free_dims = composing.gather(shape, free_axes)
    axes_dims = composing.gather(shape, axes)
    counts = [_product(free_dims), _product(axes_dims)]
    if last:
        perm, sizes = composing.concat([free_axes, axes], 0), composing.stack(counts)
    else:
        perm, sizes = composing.concat([axes, free_axes], 0), composing.stack(counts[::-1])
    return raw.Reshape(composing.transpose(x, perm), sizes), free_dims, free_static


def _product(vector: Tensor) -> Tensor:
    return raw.Prod(vector, convert_to_tensor([0], "int32"))


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """The sum of products that an equation in Einstein's notation describes.

    Args:
        equation: a letter for each axis of each input, and after '->' those of the result, such as "ij,jk->ik";
            without '->' the result has the letters that occur once, in alphabetical order.
        *inputs: tensors of known rank.
        name: a name scope.

    Raises:
        ValueError: if the equation is malformed or does not fit the inputs, or repeats a letter in one input.
        AttributeError: for inputs that are no tensors.
        TypeError: for other keyword arguments.

    Example:
        >>> tf.Session().run(tf.einsum("ij,j->i", tf.constant([[1, 2], [3, 4]]), tf.constant([10, 100])))
        array([210, 430], dtype=int32)
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"invalid keyword arguments for this function: {', '.join(sorted(kwargs))}")
    with name_scope(name, "einsum", [equation, inputs]):
        for number, x in enumerate(inputs):
            check_attribute(f"einsum: input {number}", x, "get_shape")
        tensors = [x if isinstance(x, Tensor) else convert_to_tensor(x) for x in inputs]
        labels, output_labels = _parsed(equation, tensors)
        everything = set("".join(labels) + output_labels)
        for letter in sorted(everything):
            for part in labels:
                if len(labels) == 1 and part.count(letter) == 2 and part == part[::-1] and "->" not in equation:
                    return _trace(tensors[0])
                if part.count(letter) > 1:
                    raise ValueError(f"Subscript not supported: an axis appears more than once: {part}")
        for letter in everything:
            if letter not in output_labels and sum(letter in part for part in labels) > 2:
                _log.warning(
                    'Falling back to exponential-space implementation of einsum() because index "%s" is summed over '
                    "more than two inputs.",
                    letter,
                )
                return _broadcast_product(tensors, labels, output_labels)
        result, has = tensors[0], labels[0]
        for tensor, part in zip(tensors[1:], labels[1:], strict=True):
            result, has = _pair(result, has, tensor, part, (set(has) & set(part)) - set(output_labels))
        if set(has) - set(output_labels):
            result = raw.Sum(result, [i for i, letter in enumerate(has) if letter not in output_labels])
            has = "".join(letter for letter in has if letter in output_labels)
        if sorted(has) != sorted(output_labels):
            raise ValueError(f"Invalid equation: {equation}")
        return _transposed(result, [has.index(letter) for letter in output_labels])


def _trace(x: Tensor) -> Tensor:
    with name_scope(None, "Trace", [x]) as scope:
        return raw.Sum(raw.MatrixDiagPart(x, name="diag_part"), [-1], name=scope)


def _parsed(equation: str, tensors: Sequence[Tensor]) -> tuple[list[str], str]:
    """The letters of each input and of the result, with letters in place of ellipses."""
    equation = equation.replace(" ", "")
    match = re.match(r"^([a-zA-Z,.]+)(->[a-zA-Z.]*)?$", equation)
    if not match:
        raise ValueError(f"Indices have incorrect format: {equation}")
    labels = match[1].split(",")
    output_labels = match[2][2:] if match[2] else None
    if len(tensors) != len(labels):
        raise ValueError(f'Got {len(tensors)} arguments for equation "{equation}", expecting {len(labels)}')
    between = ""
    if "..." in equation:
        unused = "".join(c for c in string.ascii_letters if c not in "".join(labels))
        for i, part in enumerate(labels):
            if "..." not in part:
                continue
            if part.count("...") > 1:
                raise ValueError("Unable to resolve ellipsis. Excess number found.")
            dims = tensors[i].dims
            if dims is None:
                raise ValueError("Unable to statically infer ellipsis axes.")
            count = len(dims) - (len(part) - 3)
            if count < 0:
                raise ValueError("Ellipses lengths do not match.")
            if len(unused) < count:
                raise ValueError("Unable to resolve ellipsis, too many distinct labels.")
            letters = unused[-count:] if count else ""
            labels[i] = part.replace("...", letters)
            between = max(between, letters, key=len)
        if output_labels is not None:
            output_labels = output_labels.replace("...", between)
        if any("." in part for part in [*labels, output_labels or ""]):
            raise ValueError('period "." found outside of ellipsis')
    if output_labels is None:
        joined = "".join(labels)
        output_labels = between + "".join(c for c in sorted(set(joined) - set(between)) if joined.count(c) == 1)
    return labels, output_labels


def _transposed(x: Tensor, perm: list[int]) -> Tensor:
    return x if perm == list(range(len(perm))) else composing.transpose(x, perm)


def _sizes(x: Tensor) -> list[Any]:
    """The size of each dimension: an int, or a scalar tensor where it is not known."""
    sizes: list[Any] = list(x.dims or ())
    if None in sizes:
        shape = composing.shape(x)
        sizes = [shape[i] if size is None else size for i, size in enumerate(sizes)]
    return sizes


def _total(sizes: Sequence[Any]) -> int | Tensor:
    return functools.reduce(operator.mul, sizes, 1)


def _reshaped(x: Tensor, sizes: Sequence[Any]) -> Tensor:
    dims = x.dims or ()
    same = len(dims) == len(sizes) and all(
        not isinstance(size, Tensor) and (size == dim or size == -1) for dim, size in zip(dims, sizes, strict=True)
    )
    return x if same else raw.Reshape(x, tuple(sizes))


def _pair(a: Tensor, a_labels: str, b: Tensor, b_labels: str, summed: set[str]) -> tuple[Tensor, str]:
    """The product of two inputs, summed over some of the axes they share."""
    for which, tensor, labels in (("t0", a, a_labels), ("t1", b, b_labels)):
        if tensor.dims is None or len(labels) != len(tensor.dims):
            rank = "unknown" if tensor.dims is None else len(tensor.dims)
            raise ValueError(f"Tensor {which} of rank {rank} does not match einsum reduction of length {len(labels)}")
    kept = (set(a_labels) & set(b_labels)) - summed
    a_only, b_only = set(a_labels) - kept - summed, set(b_labels) - kept - summed

    # Shared axes that stay come first. Then a has its own axes and the summed ones, b the other way round.
    a_order = sorted(a_labels, key=lambda c: (-1 if c in kept else 0 if c in a_only else 1, c))
    b_order = sorted(b_labels, key=lambda c: (-1 if c in kept else 0 if c in summed else 1, c))
    a = _transposed(a, [a_labels.find(c) for c in a_order])
    b = _transposed(b, [b_labels.find(c) for c in b_order])
    n = len(kept)
    if not summed:
        for _ in b_only:
            a = composing.expand_dims(a, -1)
        for _ in a_only:
            b = composing.expand_dims(b, n)
        return raw.Mul(a, b), "".join(a_order + b_order[n:])
    a_sizes = _sizes(a)
    own, inner = _total(a_sizes[n : -len(summed)]), _total(a_sizes[-len(summed) :])
    a = _reshaped(a, [*a_sizes[:n], own, inner])
    b_sizes = _sizes(b)
    b = _reshaped(b, [*b_sizes[:n], inner, _total(b_sizes[n + len(summed) :])])
    product = composing.matmul(a, b)
    product = _reshaped(product, a_sizes[: n + len(a_only)] + b_sizes[len(b_sizes) - len(b_only) :])
    return product, "".join(a_order[: n + len(a_only)] + b_order[len(b_order) - len(b_only) :])


def _broadcast_product(tensors: list[Tensor], labels: list[str], output_labels: str) -> Tensor:
    """All inputs broadcast against each other and multiplied, then summed: for an axis more than two inputs share."""
    everything = set("".join(labels))
    if set(output_labels) - everything:
        raise ValueError(f"Unknown output axes: {set(output_labels) - everything}")
    order = [c for c in sorted(everything) if c not in output_labels] + list(output_labels)
    expanded = []
    for i, (tensor, part) in enumerate(zip(tensors, labels, strict=True)):
        if tensor.dims is None or len(tensor.dims) != len(part):
            raise ValueError(f"Input {i} with axes {part} has incorrect number of dimensions (expected {len(part)})")
        arranged = sorted(part, key=order.index)
        expanded.append((_transposed(tensor, [part.find(c) for c in arranged]), arranged))
    for c in order:
        found = {(t.dims or ())[arranged.index(c)] for t, arranged in expanded if c in arranged}
        if len({size for size in found if isinstance(size, int) and size > 1}) > 1:
            raise ValueError(f"Dimension mismatch on axis: {c}")
    factors = []
    for t, arranged in expanded:
        sizes = [((t.dims or ())[arranged.index(c)] or -1) if c in arranged else 1 for c in order]
        factors.append(raw.Reshape(t, sizes))
    result: int | Tensor = 1
    for factor in factors:
        result = result * factor
    return raw.Sum(result, [i for i, c in enumerate(order) if c not in output_labels])
