"""What `tf.contrib.autograph` has besides `tf.autograph`: the decorator of functions, and lists that become tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.autograph.conversion import Feature, Options, converted, features_of
from headrace.autograph.staging_errors import staged
from headrace.core.tensor import Tensor
from headrace.functions.flow import list_ops
from headrace.functions.flow.tensor_array import TensorArray

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike


def convert(
    recursive: bool = False,
    optional_features: Feature | Sequence[Feature] | None = None,
    user_requested: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: Python's control flow over tensors in the function becomes that of the graph.

    Args:
        recursive: whether the functions that it calls are converted, too.
        optional_features: as `experimental_optional_features` of `tf.autograph.to_graph`.
        user_requested: accepted as in 1.x; functions of the library are called as they are either way.

    Example:
        >>> @tf.contrib.autograph.convert()
        ... def halved(x):
        ...     while x > 3:
        ...         x //= 2
        ...     return x
        >>> sess.run(halved(tf.constant(30)))
        3
    """
    options = Options(recursive, features_of(optional_features))

    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return staged(converted(function, options))(*args, **kwargs)

        return wrapper

    return decorator


def set_element_type(entity: object, dtype: DTypeLike, shape: ShapeLike | None = None) -> None:
    """Says of what type the elements of a list are; a note to readers, as lists stay Python's.

    Args:
        entity: the list.
        dtype: the type of its elements.
        shape: their shape, None where it is open.
    """


def stack(list_or_tensor: Any, element_dtype: DTypeLike | None = None, strict: bool = True) -> Any:
    """The elements of a TensorArray or of a list that is a tensor, as one tensor; a tensor as it is.

    Args:
        list_or_tensor: the array, list or tensor.
        element_dtype: the type of the elements of a list that is a tensor.
        strict: whether anything else is refused; otherwise it comes back as it is.

    Raises:
        ValueError: if it is refused, or a list that is a tensor comes without `element_dtype`.

    Example:
        >>> array = tf.TensorArray(tf.int32, 2).unstack([1, 2])
        >>> sess.run(tf.contrib.autograph.stack(array))
        array([1, 2], dtype=int32)
    """
    if isinstance(list_or_tensor, TensorArray):
        return list_or_tensor.stack()
    if isinstance(list_or_tensor, Tensor):
        if list_or_tensor.dtype.name != "variant":
            return list_or_tensor
        if element_dtype is None:
            raise ValueError("stack: the list is a tensor, give the type of its elements as element_dtype.")
        return list_ops.tensor_list_stack(list_or_tensor, element_dtype)
    if strict:
        raise ValueError(f"{list_or_tensor!r} must be stackable when strict=True")
    return list_or_tensor
