"""Values into and out of eager execution: the shortest way from NumPy's arrays and Python's numbers to tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from headrace.core.dtypes import DType, as_dtype
from headrace.core.eager import EagerTensor, eager_tensor
from headrace.devices.process_settings import settings
from headrace.plan.values import to_numpy, to_torch
from headrace.runtime.eager_devices import EagerDevices

# Types of arrays whose memory is taken over as it is, and of numbers of which the tensors are kept.
_ARRAYS = frozenset(np.dtype(name) for name in ("float32", "float64", "int32", "int64", "bool", "uint8"))
_NUMBERS = (float, int, bool)
_MAX_SCALARS = 1024


class EagerValues(EagerDevices):
    """The part of the eager graph that makes tensors of values, and arrays of tensors."""

    _scalars: dict[Any, EagerTensor]

    def array_of(self, tensor: EagerTensor) -> np.ndarray:
        """The value of a tensor as an array that may share its memory."""
        return to_numpy(tensor._value, tensor._dtype)

    def tensor_of(self, value: torch.Tensor, dtype: DType) -> EagerTensor:
        """The tensor of a kernels' value."""
        return EagerTensor(value, dtype, self.source)

    def constant(self, array: np.ndarray, dtype: DType) -> EagerTensor:
        """The tensor of an array that nobody writes to."""
        made = EagerTensor(to_torch(array, dtype), dtype, self.source_of_value(dtype))
        if array.dtype in _ARRAYS:
            made._held = array
        return made

    def known_constant(self, value: Any, dtype: Any) -> EagerTensor | None:
        """A tensor of a number that has been one before, or of a plain array; None of others.

        Args:
            value: what `tf.constant` was given.
            dtype: the type it was asked for, or None.
        """
        kind = value.__class__
        if kind in _NUMBERS:
            if not (dtype is None or dtype.__class__ is DType):
                return None
            kept = self._scalars.get((kind, value, dtype))
            if kept is None:
                return None
            made = eager_tensor(kept._value, kept._dtype, self.source_of_value(kept._dtype), ())
            made._held = kept._held
            return made
        if kind is np.ndarray and dtype is None and value.dtype in _ARRAYS:
            array = value.copy()
            element_type = as_dtype(array.dtype)
            source = self.source_of_value(element_type)
            made = eager_tensor(to_torch(array, element_type), element_type, source, array.shape)
            made._held = array
            return made
        return None

    def learn_constant(self, value: Any, dtype: Any, array: np.ndarray, element_type: DType) -> EagerTensor:
        """The tensor of what `tf.constant` was given, kept if it is a number.

        Args:
            value, dtype: as of `known_constant`.
            array: the value as an array that nobody writes to.
            element_type: its type.
        """
        made = self.constant(array, element_type)
        settings.opened = True
        # Zeros of both signs are equal, but not the same; what is no number equals nothing.
        is_number = value.__class__ in _NUMBERS and (value != 0 or value.__class__ is not float) and value == value
        # With a shape of its own a number is no scalar.
        if is_number and not array.ndim and (dtype is None or dtype.__class__ is DType) and made._held is not None:
            if len(self._scalars) >= _MAX_SCALARS:
                self._scalars.clear()
            self._scalars[value.__class__, value, dtype] = made
        return made
