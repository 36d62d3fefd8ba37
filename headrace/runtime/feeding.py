"""Fed values on their way in: checked against the placeholder and wrapped without copying where dtype and layout allow."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import compatible_dims, dims_text
from headrace.core.errors import InternalError
from headrace.core.tensor import Tensor
from headrace.plan.values import to_torch
from headrace.runtime.session_handles import TensorHandle

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_from_numpy = torch.from_numpy


def feeder(tensor: Tensor, as_arrays: bool = False) -> Callable[[Any], Any]:
    """A function that turns what is fed for `tensor` into the kernels' value, or into an array of its type.

    It raises TypeError for values of a wrong kind and ValueError for a wrong shape, naming the tensor.
    """
    dtype = tensor.dtype.base_dtype
    numpy_dtype = np.dtype(dtype.as_numpy_dtype)
    dims = tensor.dims
    name = tensor.name
    plain = numpy_dtype.kind in "fiubc" and dtype.torch is not None and dtype.name != "bfloat16"
    is_object = numpy_dtype.kind == "O"
    rank = None if dims is None else len(dims)
    known = () if dims is None else tuple((i, d) for i, d in enumerate(dims) if d is not None)

    def feed(value: TensorLike | TensorHandle | type | None) -> np.ndarray | torch.Tensor:
        # Arrays of objects may hold text beside bytes.
        if type(value) is np.ndarray and value.dtype == numpy_dtype and not is_object:
            array = value
        else:
            array = as_array(value, tensor, numpy_dtype)
        shape = array.shape
        if rank is not None:
            if len(shape) != rank:
                raise _wrong_shape(shape, name, dims)
            for i, d in known:
                if shape[i] != d:
                    raise _wrong_shape(shape, name, dims)
        if as_arrays:
            return array
        if plain:
            try:
                return _from_numpy(array)
            except ValueError:
                # Negative strides: torch has none.
                return _from_numpy(np.ascontiguousarray(array))
        return to_torch(array, dtype)

    return feed


_NOT_OF_SHAPE = "Cannot feed value of shape "


def _wrong_shape(shape: tuple[int, ...], name: str, dims: Any) -> ValueError:
    assert not compatible_dims(shape, dims)
    return ValueError(f"{_NOT_OF_SHAPE}{shape!r} for Tensor {name!r}, which has shape {dims_text(dims)!r}")


def is_about_shape(error: ValueError) -> bool:
    """Whether a feed was refused because its shape is not the tensor's."""
    return str(error).startswith(_NOT_OF_SHAPE)


def as_array(value: Any, tensor: Tensor, numpy_dtype: np.dtype) -> np.ndarray:
    """The array of a fed value, of the tensor's type.

    Raises:
        TypeError: for a tensor, or a number the type cannot hold.
        ValueError: for values that do not form an array of that type.
    """
    if isinstance(value, Tensor):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, "
            f"lists, numpy ndarrays, or TensorHandles. For reference, the tensor object was {value} which was passed to "
            f"the feed with key {tensor}."
        )
    if isinstance(value, TensorHandle):
        return value.fed(tensor)
    if numpy_dtype.kind == "O":
        return _fed_texts(value, tensor)
    if isinstance(value, int) and not isinstance(value, bool) and numpy_dtype.kind in "iufb":
        try:
            same = numpy_dtype.type(value).item() == value
        except OverflowError:
            same = False
        if not same:
            raise TypeError(
                f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type {numpy_dtype} of "
                f"{tensor.name!r}. Try explicitly setting the type of the feed tensor to a larger type (e.g. int64)."
            )
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu().numpy()
    try:
        return np.asarray(value, dtype=numpy_dtype)
    except OverflowError:
        # A list of integers of which some are too large keeps their last bits, as with the NumPy of TensorFlow 1.
        try:
            return np.asarray(value, dtype=np.int64).astype(numpy_dtype)
        except OverflowError as error:
            raise OverflowError(
                f"Cannot feed {_short(value)} for Tensor {tensor.name!r} of type {tensor.dtype.name}: {error}"
            ) from None
    except TypeError as error:
        raise TypeError(
            f"Cannot feed {_short(value)} for Tensor {tensor.name!r} of type {tensor.dtype.name}: {error}"
        ) from None
    except ValueError as error:
        raise ValueError(
            f"Cannot feed {_short(value)} for Tensor {tensor.name!r} of type {tensor.dtype.name}: {error}"
        ) from None


def _fed_texts(value: object, tensor: Tensor) -> np.ndarray:
    """An array of bytes that is fed.

    Raises:
        ValueError: if it has another shape than the tensor.
        TypeError: for a Python number that stands alone; InternalError: for other elements that are no text.
    """
    try:
        return bytes_array(value)
    except TypeError as error:
        if isinstance(value, int):
            raise
        shape = np.shape(np.asarray(value, dtype=object))
        if not compatible_dims(shape, tensor.dims):
            raise _wrong_shape(shape, tensor.name, tensor.dims) from None
        raise InternalError(None, None, f"{error} Fed for Tensor {tensor.name!r}.") from None


def bytes_array(value: object) -> np.ndarray:
    """An object array of bytes from strings, nested lists of them or a NumPy string array.

    Raises:
        TypeError: if an element is neither text nor bytes.
    """
    array = np.asarray(value, dtype=object)
    # The quickest way to ask whether all are bytes.
    if array is value and operator.countOf(map(type, array.ravel().tolist()), bytes) == array.size:
        return array
    result = np.empty(array.shape, dtype=object)
    flat = result.reshape(-1)
    for i, item in enumerate(array.reshape(-1)):
        flat[i] = _as_bytes(item)
    return result


def _as_bytes(item: bytes | int | str) -> bytes:
    if isinstance(item, bytes):
        return bytes(item)
    if isinstance(item, str):
        return item.encode()
    raise TypeError(
        f"Type of feed value {item!r} with type {type(item)} is not compatible with Tensor type string. It is fed text or bytes."
    )


def _short(value: str | type | Sequence[int | Sequence[float]] | None) -> str:
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."
