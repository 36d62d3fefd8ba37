"""The inputs of a model that was made without: from the first data it sees to placeholders with names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.composite import SparseTensor
from headrace.core.dtypes import as_dtype
from headrace.core.shapes import TensorShape
from headrace.keras import backend_config
from headrace.keras.backend.variables import is_placeholder, placeholder
from headrace.keras.engine.training_input_checks import is_symbolic, is_tensor
from headrace.layers.context import get_graph

if TYPE_CHECKING:
    from headrace.core.typing import Nested, TensorLike


def generic_output_names(outputs: Sequence[object]) -> list[str]:
    """The names of outputs that have none: `output_1` and so on."""
    return [f"output_{i + 1}" for i in range(len(outputs))]


class ModelInputs:
    """Inputs with names, as they are or as placeholders.

    Args:
        inputs: an array or tensor, a list of them, or a dict of them by name.
        as_given: whether tensors of graphs are taken themselves, no placeholders of their shapes.
    """

    def __init__(self, inputs: Nested[TensorLike], as_given: bool = False) -> None:
        self._inputs = inputs
        self._as_given = as_given
        self._is_dict = isinstance(inputs, Mapping)
        self._is_single = not isinstance(inputs, (dict, list, tuple))
        if isinstance(inputs, Mapping):
            self._names = sorted(inputs)
            self._flat: list[Any] = [inputs[name] for name in self._names]
        else:
            self._flat = [inputs] if self._is_single else list(inputs)  # type: ignore[arg-type]  # a list or tuple
            self._names = [f"input_{i + 1}" for i in range(len(self._flat))]
        self._symbolic: list[Any] | None = None

    def get_input_names(self) -> list[str]:
        """Their names: those of the dict, else `input_1` and so on."""
        return list(self._names)

    def _placeholders(self) -> list[Any]:
        if self._symbolic is None:
            self._symbolic = [
                value if self._as_given and is_symbolic(value) else _placeholder_for(value, name)
                for value, name in zip(self._flat, self._names)
            ]
        return self._symbolic

    def get_symbolic_inputs(self, return_single_as_list: bool = False) -> Any:
        """Placeholders for them, in their structure.

        Args:
            return_single_as_list: whether one that stands alone comes in a list.
        """
        symbolic = self._placeholders()
        if self._is_single and not return_single_as_list:
            return symbolic[0]
        if self._is_dict:
            return dict(zip(self._names, symbolic))
        return list(symbolic)

    def as_dict(self) -> list[tuple[str, Any]]:
        """Pairs of name and placeholder, or what was given until there are placeholders."""
        return list(zip(self._names, self.as_list()))

    def as_list(self) -> list[Any]:
        """The placeholders, or what was given until there are some, in order."""
        return list(self._flat if self._symbolic is None else self._symbolic)


def _placeholder_for(value: Any, name: str) -> Any:
    """A placeholder as it is; one of any number of rows for everything else, the next element of a dataset included."""
    if is_symbolic(value) and is_placeholder(value):
        return value
    with get_graph().as_default():
        if isinstance(value, TensorShape):
            return placeholder(shape=(None, *value.as_list()[1:]), name=name)
        if isinstance(value, (list, tuple, float, int)):
            value = np.asarray(value)
            if value.ndim == 1:
                value = value[:, None]
        sparse = isinstance(value, SparseTensor) or hasattr(value, "tocoo")
        dims = value.shape.as_list() if is_tensor(value) else list(value.shape)
        dtype = as_dtype(value.dtype)
        if dtype.is_floating:
            dtype = as_dtype(backend_config.floatx())
        return placeholder(shape=(None, *dims[1:]), dtype=dtype.name, name=name, sparse=sparse)
