"""Functions that are called after each eager operation: `tfe.add_execution_callback`, and those that look for inf and NaN."""

from __future__ import annotations

import contextlib
import enum
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.eager import eager_graph, executing_eagerly
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike


class ExecutionCallback(enum.Enum):
    """What to do about a value that is not finite."""

    IGNORE = "ignore"
    PRINT = "print"
    RAISE = "raise"
    WARN = "warn"


class InfOrNanError(Exception):
    """An operation gave a value that is not finite.

    Attributes:
        op_type, op_name: the operation.
        output_index, num_outputs: which of its outputs.
        value: the output, as an array.
    """

    def __init__(
        self, op_type: str, op_name: str | None, output_index: int, num_outputs: int, value: np.ndarray
    ) -> None:
        self.op_type = op_type
        self.op_name = op_name
        self.output_index = output_index
        self.num_outputs = num_outputs
        self.value = value
        counts = [(int(np.isinf(value).sum()), "inf(s)"), (int(np.isnan(value).sum()), "nan(s)")]
        found = " and ".join(f"{count} {what}" for count, what in counts if count)
        name = "None" if op_name is None else f"'{op_name}'"
        super().__init__(
            f"Output {output_index + 1} of {num_outputs} of TFE operation {op_type} (name: {name}) contains {found} out of "
            f"a total of {np.size(value)} element(s). Tensor value: {value}"
        )


def inf_nan_callback(
    op_type: str,
    inputs: Sequence[Any],
    attrs: Sequence[DTypeLike],
    outputs: Sequence[Any],
    op_name: str | None,
    check_inf: bool = True,
    check_nan: bool = True,
    action: ExecutionCallback = ExecutionCallback.RAISE,
) -> None:
    """Looks for inf and NaN in what an operation gave; for `tfe.add_execution_callback`.

    Args:
        op_type, inputs, attrs, outputs, op_name: the operation.
        check_inf, check_nan: what to look for.
        action: an `ExecutionCallback`.

    Raises:
        InfOrNanError: if there is one and `action` is RAISE.
        ValueError: for an `action` that is none of the three others.
    """
    del inputs, attrs
    action = ExecutionCallback(action)
    for index, output in enumerate(outputs):
        dtype = output.dtype
        if not (dtype.is_floating or dtype.is_complex):
            continue
        value = output._array().astype(dtype.as_numpy_dtype, copy=False)
        if np.isfinite(value).all():
            continue
        if not ((check_inf and np.isinf(value).any()) or (check_nan and np.isnan(value).any())):
            continue
        error = InfOrNanError(op_type, op_name, index, len(outputs), value)
        if action is ExecutionCallback.PRINT:
            print(f"Warning: {error}")
        elif action is ExecutionCallback.WARN:
            tf_logging.warn(str(error))
        elif action is ExecutionCallback.RAISE:
            raise error
        else:
            raise ValueError(
                f"Invalid action for inf_nan_callback: {action}. Valid actions are: {{PRINT | WARN | RAISE}}"
            )


def inf_callback(
    op_type: str,
    inputs: Sequence[Any],
    attrs: Sequence[DTypeLike],
    outputs: Sequence[Any],
    op_name: str | None,
    action: ExecutionCallback = ExecutionCallback.RAISE,
) -> None:
    """As `inf_nan_callback`, for inf only."""
    inf_nan_callback(op_type, inputs, attrs, outputs, op_name, check_inf=True, check_nan=False, action=action)


def nan_callback(
    op_type: str,
    inputs: Sequence[Any],
    attrs: Sequence[DTypeLike],
    outputs: Sequence[Any],
    op_name: str | None,
    action: ExecutionCallback = ExecutionCallback.RAISE,
) -> None:
    """As `inf_nan_callback`, for NaN only."""
    inf_nan_callback(op_type, inputs, attrs, outputs, op_name, check_inf=False, check_nan=True, action=action)


def add_execution_callback(callback: Callable[..., Any]) -> None:
    """Lets a function be called after each eager operation.

    Args:
        callback: takes the type of the operation, its inputs, its attributes (names and values in turns), its outputs, and its
            name or None.

    Example:
        >>> tf.enable_eager_execution()
        >>> tfe.add_execution_callback(lambda op_type, inputs, attrs, outputs, name: print(op_type))
        >>> total = tf.add(tf.constant(1.0), 2.0)
        Add
        >>> tfe.clear_execution_callbacks()
    """
    graph = eager_graph()
    graph.callbacks = (*graph.callbacks, callback)


def clear_execution_callbacks() -> None:
    """Ends what `add_execution_callback` began, for all functions."""
    eager_graph().callbacks = ()


def _finds_both(callback: Callable[..., Any]) -> bool:
    return callback is inf_nan_callback or getattr(callback, "func", None) is inf_nan_callback


def seterr(inf_or_nan: str | ExecutionCallback | None = None) -> dict[str, ExecutionCallback]:
    """Sets what happens about values that are not finite.

    Args:
        inf_or_nan: an `ExecutionCallback`; None changes nothing.

    Returns:
        the settings before: arguments for another call.

    Raises:
        ValueError: if `inf_or_nan` is no such action.
    """
    action = None if inf_or_nan is None else ExecutionCallback(inf_or_nan)
    graph = eager_graph()
    before = ExecutionCallback.IGNORE
    for callback in graph.callbacks:
        if _finds_both(callback):
            before = getattr(callback, "keywords", {}).get("action", ExecutionCallback.RAISE)
    if action is not None:
        kept = tuple(callback for callback in graph.callbacks if not _finds_both(callback))
        if action is not ExecutionCallback.IGNORE:
            kept = (*kept, functools.partial(inf_nan_callback, action=action))
        graph.callbacks = kept
    return {"inf_or_nan": before}


@contextlib.contextmanager
def errstate(inf_or_nan: ExecutionCallback | None = None) -> Iterator[None]:
    """A context in which `seterr` has been called; in graphs it does nothing.

    Args:
        inf_or_nan: as of `seterr`.

    Raises:
        ValueError: if `inf_or_nan` is no action.
    """
    if not executing_eagerly():
        yield
        return
    before = seterr(inf_or_nan=inf_or_nan)
    try:
        yield
    finally:
        seterr(**before)
