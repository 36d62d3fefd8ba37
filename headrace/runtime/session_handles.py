"""Handles of values that a session keeps between runs: what fetching `tf.get_session_handle` gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import errors, slots
from headrace.core.dtypes import DType
from headrace.core.tensor import Tensor
from headrace.core.tensor_store import TENSOR_STORE, TensorStore
from headrace.plan.values import to_numpy

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.runtime.session import BaseSession


class TensorHandle:
    """A value that a session keeps for later runs, until it is deleted or the handle goes.

    It may be fed where a tensor of its type is expected. Made by fetching `tf.get_session_handle`.

    Args:
        handle: the handle's text, "operation;number;device".
        dtype: the type of the value.
        session: the session that keeps it.

    Example:
        >>> h = sess.run(tf.get_session_handle(2.0 * x))
        >>> value = sess.run(y, {x: h})
    """

    def __init__(self, handle: TensorLike, dtype: DType, session: BaseSession) -> None:
        self._handle = handle.decode() if isinstance(handle, bytes) else str(handle)
        self._dtype = dtype
        self._kept: TensorStore = session._runtime.object(TENSOR_STORE, TensorStore)
        self._owned = True

    def __del__(self) -> None:
        if getattr(self, "_owned", False):
            self._kept.drop(self._handle)

    def __str__(self) -> str:
        return self._handle

    @property
    def handle(self) -> str:
        """The handle's text, to feed to the placeholder of `tf.get_session_tensor`."""
        return self._handle

    def _check_owned(self) -> None:
        if not self._owned:
            raise TypeError(f"Persistent tensor {self._handle} may have already been deleted.")

    def eval(self) -> Any:
        """The value.

        Raises:
            TypeError: if it was deleted, or its raw handle was taken.
        """
        self._check_owned()
        value = self._array()
        return value[()] if value.ndim == 0 else value.copy()

    def delete(self) -> None:
        """Deletes the value.

        Raises:
            TypeError: if it was deleted, or its raw handle was taken.
        """
        self._check_owned()
        self._owned = False
        self._kept.drop(self._handle)

    def get_raw_handle(self) -> str:
        """The handle's text; the value is then kept until `tf.delete_session_tensor`, whatever happens to this object."""
        self._owned = False
        return self._handle

    def to_numpy_array(self) -> np.ndarray:
        """The handle as bytes of a `ResourceHandleProto` in an array of the type of resources."""
        proto = slots.resource_handle_message(
            device=self._handle.rpartition(";")[2], container="TensorHandle", name=self._handle
        )
        return np.asarray(bytearray(proto.SerializeToString()), dtype=np.dtype([("resource", np.ubyte)]))

    def fed(self, tensor: Tensor) -> np.ndarray:
        """The value, to be fed for a tensor.

        Raises:
            InvalidArgumentError: if the value has another type.
        """
        expected = tensor.dtype.base_dtype
        if self._dtype.base_dtype != expected:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Expects arg[0] to be {expected.name} but {self._dtype.base_dtype.name} is provided: the handle "
                f"{self._handle} was fed for {tensor.name}",
            )
        return self._array()

    def _array(self) -> np.ndarray:
        value, dtype = self._kept.get(self._handle)
        if dtype.name == "string":
            return np.asarray(value, dtype=object)
        return np.asarray(to_numpy(value, dtype))


def handle_output(tensor: Tensor, session: BaseSession) -> Callable[[Any], TensorHandle]:
    """A function from the value of a handle tensor to the `TensorHandle`."""
    dtype = tensor.op.inputs[0].dtype

    def output(value: np.ndarray) -> TensorHandle:
        return TensorHandle(np.asarray(value, dtype=object).item(), dtype, session)

    return output
