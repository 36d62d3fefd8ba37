"""Python functions as operations, over structures of arguments and results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest, nest_paths
from headrace.core.shapes import as_shape
from headrace.ops.flow import py_func as plain

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike


def py_func(
    func: Callable[..., Any],
    args: TensorLike | Sequence[float | Mapping[str, TensorLike]] = (),
    kwargs: dict[str, Any] | None = None,
    output_types: DType | Mapping[str, DType | Sequence[DType]] | None = None,
    output_shapes: Callable[..., Any] | None = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """`tf.py_func` with arguments by name, nested arguments and results, and shapes of the results.

    Args:
        func: takes NumPy arrays in the structure of `args` and `kwargs`.
        args: a list or tuple of (structures of) tensors.
        kwargs: more of them, by name.
        output_types: the structure of types that `func` returns, or a function of the arguments that gives it.
        output_shapes: the shapes likewise, or None.
        stateful: whether calls may differ though the arguments are equal.
        name: a name for the operation.

    Returns:
        tensors in the structure of `output_types`.

    Raises:
        TypeError: if `args` is no list or tuple, or `kwargs` no dict.

    Example:
        >>> a, b = tf.constant(1.0), tf.constant(2.0)
        >>> total = tf.contrib.framework.py_func(lambda x, y: {"sum": x + y}, [a], {"y": b}, {"sum": tf.float32})
        >>> sess.run(total)
        {'sum': 3.0}
    """
    kwargs = {} if kwargs is None else kwargs
    if not isinstance(args, (list, tuple)):
        raise TypeError(f"args must be list and not {type(args)}. args: {args}")
    if not isinstance(kwargs, dict):
        raise TypeError(f"kwargs must be dict and not {type(kwargs)}. args: {kwargs}")
    types = output_types(*args, **kwargs) if callable(output_types) else output_types
    shapes = output_shapes(*args, **kwargs) if callable(output_shapes) else output_shapes
    given = (args, kwargs)

    def call(*values: Any) -> list[np.floating[Any] | np.ndarray]:
        inner_args, inner_kwargs = nest.pack_sequence_as(given, values)
        returned = func(*inner_args, **inner_kwargs)
        nest_paths.assert_shallow_structure(types, returned)
        return nest.flatten(returned)

    results = plain.py_func(call, nest.flatten(given), nest.flatten(types), stateful=stateful, name=name)
    if shapes is not None:
        for result, shape in zip(
            results, nest.flatten(nest_paths.map_structure_up_to(types, as_shape, shapes)), strict=False
        ):
            result.set_shape(shape)
    return nest.pack_sequence_as(types, results)
