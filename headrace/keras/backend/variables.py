"""Making variables, constants and placeholders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.composite import SparseTensor
from headrace.core.composite_types import TakingComposites
from headrace.core.dtypes import as_dtype
from headrace.core.eager import executing_eagerly
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.values import require_shape
from headrace.functions.math.matrices import eye as identity_matrix
from headrace.functions.ragged.factory import placeholder as ragged_placeholder
from headrace.functions.ragged.tensor import RaggedTensor
from headrace.functions.sparse.building import sparse_placeholder
from headrace.keras.backend.sessions import batch_get_value as batch_get_value
from headrace.keras.backend.sessions import batch_set_value as batch_set_value
from headrace.keras.backend.sessions import get_value as get_value
from headrace.keras.backend.sessions import set_value as set_value
from headrace.keras.backend.sessions import track_variable
from headrace.keras.backend_config import floatx
from headrace.kernels.composing import filling as fillings
from headrace.layers.context import get_graph
from headrace.ops.array.constant import constant as constant_tensor
from headrace.ops.array.constant import placeholder as dense_placeholder
from headrace.state.initializers import RandomNormal, RandomUniform
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import ArrayLike, Constraint, DTypeLike, ShapeLike, TensorLike

# Ragged tensors are taken where the functions of the root take them.
filling = TakingComposites(fillings)


def _name_of_type(dtype: DTypeLike | None) -> DTypeLike:
    return floatx() if dtype is None else dtype


def variable(
    value: Any, dtype: DTypeLike | None = None, name: str | None = None, constraint: Constraint | None = None
) -> Any:
    """A variable, which `get_session` initializes.

    Args:
        value: its first value; a sparse matrix of SciPy gives a sparse tensor.
        dtype: its type, `floatx()` by default.
        name: its name.
        constraint: a function that projects it after updates.

    Returns:
        a resource variable.

    Example:
        >>> tf.keras.backend.variable([[1.0, 2.0]], name="w").shape.as_list()
        [1, 2]
    """
    dtype = _name_of_type(dtype)
    if hasattr(value, "tocoo"):
        matrix = value.tocoo()
        indices = np.stack([matrix.row, matrix.col], axis=1).astype(np.int64)
        sparse = SparseTensor(indices=indices, values=matrix.data, dense_shape=matrix.shape)
        sparse._keras_shape = matrix.shape  # type: ignore[attr-defined]  # what programs of Keras read
        return sparse
    made = Variable(value, dtype=as_dtype(dtype), name=name, constraint=constraint, use_resource=True)
    if isinstance(value, (np.ndarray, np.generic)):
        made._keras_shape = value.shape  # type: ignore[attr-defined]  # what programs of Keras read
    elif hasattr(value, "shape"):
        made._keras_shape = tuple(value.shape.as_list())  # type: ignore[attr-defined]  # as above
    track_variable(made)
    return made


def constant(
    value: ArrayLike, dtype: DTypeLike | None = None, shape: ShapeLike | None = None, name: str | None = None
) -> Tensor:
    """A constant tensor.

    Args:
        value: its value.
        dtype: its type, `floatx()` by default.
        shape: its shape; a single number is repeated.
        name: that of the operation.

    Raises:
        TypeError: for neither one number nor as many as the shape has.
    """
    if shape is not None:
        require_shape(np.asarray(value).shape, tuple(TensorShape(shape).as_list()), spread=True)
    return constant_tensor(value, dtype=_name_of_type(dtype), shape=shape, name=name or "Const")


def placeholder(
    shape: ShapeLike | None = None,
    ndim: int | None = None,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
    name: str | None = None,
    ragged: bool = False,
) -> Any:
    """A tensor whose value is fed.

    Args:
        shape: its shape, with None for axes of any size.
        ndim: the number of axes, where `shape` is not given.
        dtype: its type, `floatx()` by default.
        sparse: whether it is a sparse tensor.
        name: that of the operation.
        ragged: whether it is a ragged tensor: the axes of unknown size after the first, as far as one follows another.

    Raises:
        ValueError: if it should be both sparse and ragged.

    Example:
        >>> tf.keras.backend.placeholder(shape=(2, None)).shape.as_list()
        [2, None]
    """
    if sparse and ragged:
        raise ValueError("Cannot set both sparse and ragged to True when creating a placeholder.")
    dtype = _name_of_type(dtype)
    dims: Any = shape
    if not shape and ndim:
        dims = (None,) * ndim
    with get_graph().as_default():
        if sparse:
            return sparse_placeholder(dtype, shape=dims, name=name)
        if not ragged:
            return dense_placeholder(dtype, shape=dims, name=name)
        rank = 0
        while rank + 1 < len(dims) and dims[rank + 1] is None:
            rank += 1
        return ragged_placeholder(dtype=dtype, ragged_rank=rank, value_shape=dims[rank + 1 :], name=name)


def is_placeholder(x: Any) -> bool:
    """Whether a tensor is fed: made by `placeholder`."""
    if isinstance(x, (RaggedTensor, SparseTensor)):
        parts = [x.values] if isinstance(x, SparseTensor) else [x.flat_values]
        return any(is_placeholder(part) for part in parts)
    operation = getattr(x, "op", None) if not executing_eagerly() or not isinstance(x, Variable) else None
    return operation is not None and operation.type == "Placeholder"


def is_keras_tensor(x: Any) -> bool:
    """Whether a tensor was given by `Input` or by a layer.

    Raises:
        ValueError: if it is no tensor.
    """
    if not isinstance(x, (Tensor, Variable, SparseTensor, RaggedTensor)):
        raise ValueError(f"Unexpectedly found an instance of type `{type(x)}`. Expected a symbolic tensor instance.")
    return getattr(x, "_keras_history", None) is not None


def _or_tracked(value: Tensor, shape: Any, dtype: DTypeLike, name: str | None) -> Any:
    """A variable of the value if its shape is known, else the value."""
    if all(isinstance(dim, int) for dim in value.dims or (None,)) or value.dims == ():
        return variable(value, dtype=dtype, name=name)
    return value


def zeros(shape: Any, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """A variable of zeros; a tensor if `shape` is known only when it runs.

    Args:
        shape: the sizes.
        dtype: the type, `floatx()` by default.
        name: the variable's name.
    """
    dtype = _name_of_type(dtype)
    return _or_tracked(filling.zeros(shape, dtype=as_dtype(dtype), name=name), shape, dtype, name)


def ones(shape: Any, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """A variable of ones; a tensor if `shape` is known only when it runs.

    Args:
        shape: the sizes.
        dtype: the type, `floatx()` by default.
        name: the variable's name.
    """
    dtype = _name_of_type(dtype)
    return _or_tracked(filling.ones(shape, dtype=as_dtype(dtype), name=name), shape, dtype, name)


def eye(size: int, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """A variable of the identity matrix.

    Args:
        size: the number of rows.
        dtype: the type, `floatx()` by default.
        name: the variable's name.
    """
    return variable(identity_matrix(size, dtype=as_dtype(_name_of_type(dtype))), _name_of_type(dtype), name)


def zeros_like(x: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """A tensor of zeros in the shape of another."""
    return filling.zeros_like(x, dtype=dtype, name=name)


def ones_like(x: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """A tensor of ones in the shape of another."""
    return filling.ones_like(x, dtype=dtype, name=name)


def random_uniform_variable(
    shape: ShapeLike,
    low: float,
    high: float,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """A variable of uniformly drawn numbers.

    Args:
        shape: the sizes.
        low, high: the bounds.
        dtype: the type, `floatx()` by default.
        name: the variable's name.
        seed: that of the numbers; drawn by NumPy by default.
    """
    dtype = _name_of_type(dtype)
    # Drawn from NumPy, so that its seed decides, as Keras has it.
    seed = np.random.randint(10**9) if seed is None else seed
    value = RandomUniform(low, high, dtype=as_dtype(dtype), seed=seed)(shape)
    return variable(value, dtype=dtype, name=name)


def random_normal_variable(
    shape: ShapeLike,
    mean: float,
    scale: float,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """A variable of normally distributed numbers.

    Args:
        shape: the sizes.
        mean: their mean.
        scale: their standard deviation.
        dtype: the type, `floatx()` by default.
        name: the variable's name.
        seed: that of the numbers; drawn by NumPy by default.
    """
    dtype = _name_of_type(dtype)
    seed = np.random.randint(10**9) if seed is None else seed
    value = RandomNormal(mean, scale, dtype=as_dtype(dtype), seed=seed)(shape)
    return variable(value, dtype=dtype, name=name)
