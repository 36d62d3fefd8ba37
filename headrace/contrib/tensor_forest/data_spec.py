"""What the features of a forest are: dense columns and sparse ones, as the forest's ops take them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import DType, float32, float64, int32, int64, string
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.sparse.building import sparse_tensor_to_dense
from headrace.functions.sparse.join import sparse_concat
from headrace.kernels.composing.shapes import expand_dims
from headrace.ops.array.join import concat
from headrace.ops.math.cast import cast
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike

DATA_FLOAT, DATA_CATEGORICAL = 0, 1
DTYPE_TO_FTYPE: dict[DType, int] = {
    string: DATA_CATEGORICAL,
    int32: DATA_CATEGORICAL,
    int64: DATA_CATEGORICAL,
    float32: DATA_FLOAT,
    float64: DATA_FLOAT,
}


class DataColumn:
    """A column: its name, what its values were, and how many columns of the matrix it has."""

    def __init__(self) -> None:
        self.name: Any = ""
        self.original_type: Any = ""
        self.size: Any = 0

    def SerializeToString(self) -> str:
        """The column as text."""
        return f"{{name: {self.name} original_type: {self.original_type} size: {self.size}}}"


class DataColumnCollection:
    """A list of columns."""

    def __init__(self) -> None:
        self.cols: list[DataColumn] = []

    def add(self) -> DataColumn:
        """A new column at the end."""
        self.cols.append(DataColumn())
        return self.cols[-1]

    def size(self) -> int:
        """How many columns there are."""
        return len(self.cols)

    def SerializeToString(self) -> str:
        """The columns as text."""
        return "".join(column.SerializeToString() for column in self.cols)


class TensorForestDataSpec:
    """The columns of a forest's features."""

    def __init__(self) -> None:
        self.sparse, self.dense = DataColumnCollection(), DataColumnCollection()
        self.dense_features_size = 0

    def SerializeToString(self) -> str:
        """The columns as text, which the forest's ops take as `input_spec`."""
        return (
            f"dense_features_size: {self.dense_features_size} dense: [{self.dense.SerializeToString()}] "
            f"sparse: [{self.sparse.SerializeToString()}]"
        )


def CastToFloat(tensor: TensorLike) -> Tensor:
    """Whole numbers as float32, words as numbers that stand for them; others as they are."""
    found = convert_to_tensor(tensor)
    if found.dtype == string:
        return raw.ReinterpretStringToFloat(found)
    return raw.Cast(found, DstT=float32) if found.dtype.is_integer else found


def GetColumnName(column_key: Any, col_num: int) -> str:
    """The name of a column: its key, or its number."""
    return column_key if isinstance(column_key, str) else getattr(column_key, "column_name", str(col_num))


def ParseDataTensorOrDict(data: Any) -> tuple[Tensor | None, SparseTensor | None, TensorForestDataSpec]:
    """The features as one dense matrix and one sparse one.

    Args:
        data: a tensor, a sparse one, or a dict of such by column.

    Returns:
        the dense matrix or None, the sparse one or None, and the columns of both. In a dict, whole numbers become float32,
        and sparse columns of float32 are left out.

    Example:
        >>> from headrace.contrib.tensor_forest.python.ops import data_ops
        >>> dense, sparse, spec = data_ops.ParseDataTensorOrDict({"b": tf.ones([3, 2]), "a": tf.ones([3])})
        >>> dense.shape, spec.dense_features_size
        (TensorShape([Dimension(3), Dimension(3)]), 3)
    """
    spec = TensorForestDataSpec()
    if not isinstance(data, (Mapping, SparseTensor)):
        data = convert_to_tensor(data)
    if not isinstance(data, Mapping):
        is_sparse = isinstance(data, SparseTensor)
        column = (spec.sparse if is_sparse else spec.dense).add()
        column.name = "sparse_features" if is_sparse else "dense_features"
        column.original_type = DTYPE_TO_FTYPE[data.dtype]
        if is_sparse:
            column.size = -1
            return None, data, spec
        column.size = spec.dense_features_size = int(data.shape[1])
        return data, None, spec
    dense: list[Tensor] = []
    sparse: list[SparseTensor] = []
    for key in sorted(data, key=str):
        tensor = data[key]
        if isinstance(tensor, SparseTensor):
            if tensor.dtype == float32:
                tf_logging.info(
                    "Sparse columns of float32 are left out: a forest takes those of words and whole numbers."
                )
                continue
            if not spec.sparse.cols:
                column = spec.sparse.add()
                column.name, column.original_type, column.size = "all_sparse", DATA_CATEGORICAL, -1
            sparse.append(SparseTensor(tensor.indices, CastToFloat(tensor.values), tensor.dense_shape))
        else:
            tensor = convert_to_tensor(tensor)
            column = spec.dense.add()
            shaped = expand_dims(tensor, 1) if tensor.shape.ndims == 1 else tensor
            column.name, column.original_type = GetColumnName(key, len(dense)), DTYPE_TO_FTYPE[tensor.dtype]
            column.size = int(shaped.shape[1])
            spec.dense_features_size += column.size
            dense.append(CastToFloat(shaped))
    tf_logging.info(
        "dense_features_size: %d dense: [%s] sparse: [%s]",
        spec.dense_features_size,
        *(
            ", ".join(
                f"{{name: {each.name} original_type: {each.original_type} size: {each.size}}}" for each in kind.cols
            )
            for kind in (spec.dense, spec.sparse)
        ),
    )
    return (
        concat(dense, 1, name="dense_features") if dense else None,
        sparse_concat(1, sparse, name="sparse_features") if sparse else None,
        spec,
    )


def ParseLabelTensorOrDict(labels: Any) -> Tensor:
    """The labels as one tensor of float32.

    Args:
        labels: a tensor, or a dict of tensors, which become the columns of a matrix by their names' order. Where a sparse
            tensor has nothing, the label is -1.
    """
    if not isinstance(labels, Mapping):
        dense = sparse_tensor_to_dense(labels, default_value=-1) if isinstance(labels, SparseTensor) else labels
        return cast(dense, float32)
    columns = [cast(labels[name], float32) for name in sorted(labels)]
    return concat([expand_dims(column, 1) if column.shape.ndims == 1 else column for column in columns], 1)
