"""Datasets of the rows of arrays, which a host keeps once as variables."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.core.defaults import device
from headrace.core.eager import executing_eagerly
from headrace.core.tensor import Tensor
from headrace.data.dataset import Dataset
from headrace.kernels import composing
from headrace.state.replication import has_strategy
from headrace.state.scoping import init_scope, variable_creator_scope
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike


class SingleDevice:
    """A device that variables are colocated with.

    Args:
        device: its name.
    """

    def __init__(self, device: str) -> None:
        self.device = device


def init_var_from_numpy(input_var: Variable, numpy_input: np.ndarray, session: SessionLike | None) -> None:
    """Gives a variable the value of an array.

    Args:
        input_var: the variable.
        numpy_input: the array.
        session: the session to do it in; needed in graphs.

    Raises:
        AssertionError: in a graph, without a session.
    """
    with init_scope():
        if executing_eagerly():
            input_var.assign(numpy_input)
            return
        if session is None:
            raise AssertionError("experimental_make_numpy_dataset: give the session in which the arrays are kept.")
        input_var.load(numpy_input, session)


def one_host_numpy_dataset(
    numpy_input: Any, colocate_with: SingleDevice | None, session: SessionLike | None
) -> Dataset:
    """A dataset of the rows of arrays.

    Args:
        numpy_input: an array, or a structure of arrays.
        colocate_with: the device to keep them on; None for the one in force.
        session: the session in which the variables get their values; needed in graphs.
    """

    def colocated(next_creator: Any, **kwargs: Any) -> Any:
        kwargs["colocate_with"] = colocate_with
        return next_creator(**kwargs)

    arrays = nest.flatten(numpy_input)
    for array in arrays:
        if isinstance(array, Tensor) and array._is_graph_tensor:
            raise AssertionError(f"experimental_make_numpy_dataset: expected arrays, got the tensor {array!r}.")
        if not hasattr(array, "shape"):
            raise AttributeError(f"experimental_make_numpy_dataset: expected arrays, got {array!r}.")
    arrays = [np.asarray(array) for array in arrays]
    place: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
    if colocate_with is not None:
        # Only a strategy's creators know what to do with a colocation.
        place = variable_creator_scope(colocated) if has_strategy() else device(colocate_with.device)
    with place:
        kept = [Variable(composing.zeros(array.shape, array.dtype), trainable=False) for array in arrays]
    for variable, array in zip(kept, arrays, strict=True):
        init_var_from_numpy(variable, array, session)
    return Dataset.from_tensor_slices(nest.pack_sequence_as(numpy_input, [variable.value() for variable in kept]))
