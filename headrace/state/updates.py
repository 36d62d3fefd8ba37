"""The functions that change variables of either kind: assign, scatter, count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.variable_class import Variable


def is_variable_initialized(variable: Any, name: str | None = None) -> Tensor:
    """A scalar bool: whether a variable has a value when run.

    Args:
        variable: a variable, or a tensor that refers to one.
        name: a name for the operation.
    """
    if variable.dtype._is_ref_dtype:
        return raw.IsVariableInitialized(variable, name=name)
    return variable.is_initialized(name=name)


def assign(
    ref: Any,
    value: TensorLike,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """Gives a variable a new value.

    Args:
        ref: a variable, or a tensor that refers to one.
        value: a tensor of its type.
        validate_shape: False allows another shape than the variable has.
        use_locking: whether to lock it meanwhile; yes by default.
        name: a name for the operation.

    Returns:
        what evaluates to the new value.

    Raises:
        ValueError: if the static shapes differ.
        InvalidArgumentError: when run, if the shapes do.

    Example:
        >>> counter = tf.Variable(0)
        >>> sess.run(counter.initializer)
        >>> sess.run(tf.assign(counter, counter + 1))
        1
    """
    if ref.dtype._is_ref_dtype:
        return raw.Assign(ref, value, use_locking=use_locking, name=name, validate_shape=validate_shape)
    return ref.assign(value, name=name)


def assign_add(ref: Any, value: TensorLike, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Adds `value` to a variable; returns what evaluates to the new value."""
    if ref.dtype._is_ref_dtype:
        return raw.AssignAdd(ref, value, use_locking=use_locking, name=name)
    return ref.assign_add(value)


def assign_sub(ref: Any, value: TensorLike, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Takes `value` from a variable; returns what evaluates to the new value."""
    if ref.dtype._is_ref_dtype:
        return raw.AssignSub(ref, value, use_locking=use_locking, name=name)
    return ref.assign_sub(value)


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """Adds 1 to an integer scalar variable and gives its value before.

    Raises:
        OutOfRangeError: when run with the variable at `limit`.
    """
    if ref.dtype._is_ref_dtype:
        return raw.CountUpTo(ref, limit=limit, name=name)
    return raw.ResourceCountUpTo(ref.handle, limit=limit, T=ref.dtype, name=name)


def _rows(
    kind: str,
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool | None,
    name: str | None,
) -> Tensor | Variable:
    if ref.dtype._is_ref_dtype:
        return getattr(raw, f"Scatter{kind}")(ref, indices, updates, use_locking=use_locking, name=name)
    return ref._scatter_rows(kind, indices, updates, bool(use_locking), name)


def scatter_update(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Puts `updates` in place of rows of a variable.

    Args:
        ref: a variable of shape [n, ...], or a tensor that refers to one.
        indices: int32 or int64, of any shape: which rows.
        updates: of shape indices.shape + ref.shape[1:], or a scalar.
        use_locking: whether to lock the variable meanwhile.
        name: a name for the operation.

    Returns:
        what evaluates to the whole new value.

    Raises:
        InvalidArgumentError: when run, for an index out of range; nothing is written then.
    """
    return _rows("Update", ref, indices, updates, use_locking, name)


def scatter_add(
    ref: Any, indices: TensorLike, updates: TensorLike, use_locking: bool = False, name: str | None = None
) -> Any:
    """Adds `updates` to rows of a variable; arguments as in `scatter_update`. Repeated indices add up."""
    return _rows("Add", ref, indices, updates, use_locking, name)


def scatter_sub(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Takes `updates` from rows of a variable; arguments as in `scatter_update`."""
    return _rows("Sub", ref, indices, updates, use_locking, name)


def scatter_mul(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Multiplies rows of a variable by `updates`; arguments as in `scatter_update`."""
    return _rows("Mul", ref, indices, updates, use_locking, name)


def scatter_div(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Divides rows of a variable by `updates`; arguments as in `scatter_update`."""
    return _rows("Div", ref, indices, updates, use_locking, name)


def scatter_max(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Makes rows of a variable the larger of themselves and `updates`; arguments as in `scatter_update`."""
    return _rows("Max", ref, indices, updates, use_locking, name)


def scatter_min(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Makes rows of a variable the smaller of themselves and `updates`; arguments as in `scatter_update`."""
    return _rows("Min", ref, indices, updates, use_locking, name)


def _slices(
    kind: str,
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool | None,
    name: str | None,
) -> Tensor | Variable:
    if ref.dtype._is_ref_dtype:
        return getattr(raw, f"ScatterNd{kind}")(ref, indices, updates, use_locking=use_locking, name=name)
    return ref._scatter_slices(kind, indices, updates, name)


def scatter_nd_update(
    ref: Any, indices: TensorLike, updates: TensorLike, use_locking: bool = True, name: str | None = None
) -> Any:
    """Puts `updates` in place of elements or slices of a variable.

    Args:
        ref: a variable.
        indices: int32 or int64 [..., k]: index vectors into its first k dimensions.
        updates: of shape indices.shape[:-1] + ref.shape[k:].
        use_locking: whether to lock the variable meanwhile.
        name: a name for the operation.

    Returns:
        what evaluates to the whole new value.
    """
    return _slices("Update", ref, indices, updates, use_locking, name)


def scatter_nd_add(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Adds `updates` to elements or slices of a variable; arguments as in `scatter_nd_update`."""
    return _slices("Add", ref, indices, updates, use_locking, name)


def scatter_nd_sub(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Takes `updates` from elements or slices of a variable; arguments as in `scatter_nd_update`."""
    return _slices("Sub", ref, indices, updates, use_locking, name)


def batch_scatter_update(
    ref: Any, indices: TensorLike, updates: TensorLike, use_locking: bool = True, name: str | None = None
) -> Any:
    """`scatter_update` within each element of a batch: ref[b, indices[b, i]] = updates[b, i].

    Args:
        ref: a variable of shape [b1, …, bk, n, ...].
        indices: int32 or int64 [b1, …, bk, m].
        updates: [b1, …, bk, m, ...].
        use_locking: whether to lock the variable meanwhile.
        name: a name scope.

    Raises:
        ValueError: if the rank of `indices` is not known.
    """
    with name_scope(name):
        indices = convert_to_tensor(indices, name="indices")
        sizes = composing.shape(indices)
        if indices.dims is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        rank = len(indices.dims)
        vectors = composing.expand_dims(indices, -1)
        parts = []
        for dimension in range(rank - 1):
            # The batch indices count up along their own dimension and stay the same along the others.
            size = sizes[dimension]
            broadcast: list[Any] = [1] * (rank + 1)
            broadcast[dimension] = size
            counted = raw.Reshape(raw.Range(0, size, 1), broadcast)
            if counted.dtype.base_dtype != vectors.dtype:
                counted = raw.Cast(counted, DstT=vectors.dtype)
            parts.append(counted * composing.ones_like(vectors))
        parts.append(vectors)
        return scatter_nd_update(ref, composing.concat(parts, -1), updates, use_locking=use_locking)
