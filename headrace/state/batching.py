"""Functions whose calls in several runs are computed together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headrace.autograph import converted_for_function
from headrace.core.defaults import get_default_graph, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.state.defun import DefinedFunction


def nondifferentiable_batch_function(
    num_batch_threads: int,
    max_batch_size: int,
    batch_timeout_micros: int,
    allowed_batch_sizes: Sequence[int] | None = None,
    max_enqueued_batches: int = 10,
    autograph: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: rows that come in several runs at about the same time are computed by one call of the function.

    Args:
        num_batch_threads: how many batches may be computed at a time.
        max_batch_size: the most rows of a batch.
        batch_timeout_micros: how long a batch waits for more rows, in microseconds.
        allowed_batch_sizes: ascending sizes, the last that of `max_batch_size`, to which batches are filled up.
        max_enqueued_batches: how many batches may wait.
        autograph: whether Python's control flow over tensors becomes that of the graph.

    Returns:
        the decorator. The function takes tensors whose first dimensions are the rows, and returns such tensors.

    Raises:
        ValueError: when called, if an argument is not a tensor.

    Example:
        >>> @tf.nondifferentiable_batch_function(1, 32, 1000)
        ... def layer(x):
        ...     return tf.matmul(x, w)
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        traced = converted_for_function(function) if autograph else function

        def batched(*args: Tensor) -> list[Tensor]:
            for value in args:
                if not isinstance(value, Tensor):
                    raise ValueError(
                        "All arguments to functions decorated with `batch_function` are supposed to be Tensors; found "
                        f"{value!r}"
                    )

            def body(*rows: Tensor) -> tuple[Tensor, Tensor]:
                for row, value in zip(rows, args, strict=True):
                    # Of the batch nothing but the number of rows is another.
                    row.set_shape(value.get_shape() if value.dims is None else [None, *value.dims[1:]])
                return traced(*rows)

            body.__name__ = getattr(function, "__name__", "batched")
            with name_scope("batch") as scope:
                names = [f"arg{i}" for i in range(len(args))]
                defined = DefinedFunction(body, names, [value.dtype.base_dtype for value in args])
                defined.add_to_graph(get_default_graph())
                made = raw.BatchFunction(
                    list(args),
                    defined.captured_inputs,
                    f=defined.name,
                    num_batch_threads=num_batch_threads,
                    max_batch_size=max_batch_size,
                    batch_timeout_micros=batch_timeout_micros,
                    allowed_batch_sizes=list(allowed_batch_sizes or ()),
                    max_enqueued_batches=max_enqueued_batches,
                    shared_name=scope,
                    Tout=defined.function.output_types,
                )
            return made

        return batched

    return decorate
