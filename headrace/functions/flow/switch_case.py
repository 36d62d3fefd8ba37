"""`switch_case`: the branch of a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.core.eager import executing_eagerly
from headrace.core.errors import InvalidArgumentError
from headrace.core.tensor import Tensor
from headrace.functions.flow.branch_functions import case_of_functions

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


Branch = Callable[[], Any]


def switch_case(
    branch_index: Any,
    branch_fns: Sequence[int | Callable[..., Any] | Sequence[int | Callable[..., Any]]]
    | Mapping[int, Callable[..., Any]],
    default: Branch | None = None,
    name: str = "switch_case",
) -> Any:
    """The result of the function whose number `branch_index` is.

    Args:
        branch_index: int scalar tensor.
        branch_fns: a list of functions without arguments, or a dict or list of pairs from the numbers 0 to n-1 to such.
        default: the function for any other number; the last one of `branch_fns` if it is not given.
        name: a name scope.

    Returns:
        what the functions return, which must agree in structure and types.

    Raises:
        TypeError: if `branch_index` is no int tensor, or the branches are something else. ValueError: if there are none,
            or their numbers are not 0 to n-1.

    Example:
        >>> tf.Session().run(tf.switch_case(tf.constant(1), [lambda: tf.constant(17), lambda: tf.constant(31)]))
        31
    """
    branches = _branches(branch_index, branch_fns, default)
    with name_scope(name, "case", [branch_index]):
        if executing_eagerly():
            if branch_index.shape.ndims != 0:
                raise InvalidArgumentError(
                    None, None, f"tf.switch_case: branch_index is a scalar, got one of shape {branch_index.shape}."
                )
            index = int(branch_index)
            return branches[index if 0 <= index < len(branches) else -1]()
        return case_of_functions(branch_index, branches)


def _branches(
    index: TensorLike,
    branch_fns: Sequence[int | Callable[..., Any] | Sequence[int | Callable[..., Any]]]
    | Mapping[int, Callable[..., Any]],
    default: Branch | None,
) -> list[Branch]:
    """The branches by number, and last the one for any other number."""
    if not isinstance(index, Tensor):
        raise TypeError(f"branch_index must a Tensor, got {type(index)}")
    if not index.dtype.is_integer:
        raise TypeError(f"branch_index must an integer Tensor, got {index.dtype}")
    if not branch_fns:
        raise ValueError("Must provide at least one item in branch_fns")
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError("branch_fns must be a list, tuple, or dict")
    pairs = list(branch_fns.items()) if isinstance(branch_fns, dict) else list(branch_fns)
    if all(callable(item) for item in pairs):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("Each entry in branch_fns must be a 2-tuple")
        key, function = pair
        if not isinstance(key, int):
            raise TypeError(f"key must be a Python `int`, got {type(key)}")
        if not callable(function):
            raise TypeError(f"fn for key {key} must be callable.")
    keys = sorted(key for key, _ in pairs)
    if keys != list(range(len(pairs))):
        found = ",".join(map(str, keys))
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(pairs)}) but found {{{found}}}"
        )
    branches = [function for _, function in sorted(pairs, key=lambda pair: pair[0])]
    if default is None:
        return branches
    if not callable(default):
        raise TypeError("default must be callable.")
    return [*branches, default]
