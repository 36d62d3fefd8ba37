"""Values that stay with the session between runs, and their handles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from headrace.core import errors
from headrace.core.defaults import colocate_with, device
from headrace.core.device import canonical_name
from headrace.core.dtypes import DType, as_dtype
from headrace.core.dtypes import string as string_type
from headrace.core.operation import Operation
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.core.tensor_store import TENSOR_STORE, TensorStore
from headrace.kernels.host_values import boxed
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import DTypeLike, TensorLike


get_session_handle_op = op("GetSessionHandle", "value: T -> handle: string", stateful=True)
get_session_handle_op.on_host(outputs=True).not_differentiable().gives_handle()
get_session_tensor_op = op("GetSessionTensor", "handle: string, *, dtype: type -> value: dtype", stateful=True)
get_session_tensor_op.on_host("handle").not_differentiable()
delete_session_tensor_op = op("DeleteSessionTensor", "handle: string ->", stateful=True)
delete_session_tensor_op.on_host("handle").not_differentiable()


def _text(handle: np.ndarray) -> str:
    value = boxed(handle)
    if value.size != 1:
        raise errors.InvalidArgumentError(None, None, f"handle must be scalar, got shape {list(value.shape)}")
    item = value.item()
    return item.decode() if isinstance(item, bytes) else str(item)


@get_session_handle_op.shape
def get_session_handle_shape(op):
    return [()]


@get_session_handle_op.kernel
def get_session_handle_kernel(node):
    kept = node.runtime.object(TENSOR_STORE, TensorStore)
    dtype: DType = node.inputs[0].dtype.base_dtype
    kind = "GPU" if node.device.type == "cuda" else "CPU"
    where = f"/job:localhost/replica:0/task:0/device:{kind}:{node.device.index or 0}"

    def keep(value):
        # Others may change the memory, of a variable for one, in a later run.
        own = value.clone() if isinstance(value, torch.Tensor) else boxed(value).copy()
        return boxed(kept.keep(node.name, where, own, dtype).encode())

    return keep


@get_session_tensor_op.shape
@ranked(0)
def get_session_tensor_shape(op):
    return [None]


@get_session_tensor_op.kernel
def get_session_tensor_kernel(node):
    kept = node.runtime.object(TENSOR_STORE, TensorStore)
    expected: DType = node.attrs["dtype"]

    def read(handle):
        value, dtype = kept.get(_text(handle))
        if dtype != expected:
            raise errors.InternalError(
                None,
                None,
                f"Output 0 of type {dtype.name} does not match declared output type {expected.name} for node {node.name}",
            )
        return value

    return read


@delete_session_tensor_op.shape
@ranked(0)
def delete_session_tensor_shape(op):
    return []


@delete_session_tensor_op.kernel
def delete_session_tensor_kernel(node):
    kept = node.runtime.object(TENSOR_STORE, TensorStore)

    def delete(handle):
        if not kept.drop(_text(handle)):
            raise errors.InvalidArgumentError(
                None, None, f"Failed to delete a tensor with handle '{_text(handle)}' in the session store."
            )
        return ()

    return delete


def get_session_handle(data: TensorLike, name: str | None = None) -> Tensor:
    """Keeps a value in the session when it is run.

    Args:
        data: a tensor of any type and shape.
        name: a name for the operation.

    Returns:
        a string scalar. Fetching it gives a `TensorHandle`, which may be fed for tensors of the type of `data`; the value
        goes with it.

    Raises:
        TypeError: if `data` is not a tensor.

    Example:
        >>> h = sess.run(tf.get_session_handle(tf.constant(2.0) * 3.0))
        >>> p, c = tf.get_session_tensor(h.handle, tf.float32)
        >>> sess.run(c * 10.0, {p: h.handle})
        60.0
    """
    if not isinstance(data, Tensor):
        raise TypeError(f"`data` must be of type Tensor, got {type(data).__name__}.")
    with colocate_with(data):
        return raw.GetSessionHandle(data, name=name)


def get_session_tensor(handle: str, dtype: DTypeLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The value that a session keeps under a handle that will be fed.

    Args:
        handle: a handle's text; says on which device the value lies.
        dtype: the type of the value.
        name: a name for the operation.

    Returns:
        (holder, tensor): a string placeholder for the text of a handle, and the value, of unknown shape.
    """
    with device(_device_of(handle)):
        holder = raw.Placeholder(dtype=string_type)
        return holder, raw.GetSessionTensor(holder, dtype=as_dtype(dtype), name=name)


def delete_session_tensor(handle: str, name: str | None = None) -> tuple[Tensor, Operation]:
    """An operation that deletes the value a session keeps under a handle that will be fed.

    Args:
        handle: a handle's text; says on which device the value lies.
        name: a name for the operation.

    Returns:
        (holder, operation): a string placeholder for the text of a handle, and the operation.
    """
    with device(_device_of(handle)):
        holder = raw.Placeholder(dtype=string_type)
        return holder, raw.DeleteSessionTensor(holder, name=name)


def _device_of(handle: str) -> str:
    text = handle.decode() if isinstance(handle, bytes) else str(handle)
    return canonical_name(text.rpartition(";")[2])


get_session_handle_op.accepts([2, 3], varies="handles are names")
for _op in (get_session_tensor_op, delete_session_tensor_op):
    _op.no_case("It takes what an earlier step gave: tests/programs/sessions/handles_servers_and_devices.py.")
