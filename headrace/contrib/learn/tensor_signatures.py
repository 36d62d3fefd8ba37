"""What is known of tensors before they are there: their types and shapes, and whether they are sparse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from headrace.core.composite import SparseTensor
from headrace.core.dtypes import DType, int32, int64
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.parsing.example import parse_example
from headrace.functions.parsing.features import FixedLenFeature, VarLenFeature
from headrace.functions.sparse.building import sparse_placeholder
from headrace.ops.array.constant import placeholder


class _Fields(NamedTuple):
    dtype: DType
    shape: TensorShape | None
    is_sparse: bool


class TensorSignature(_Fields):
    """The type and shape of a tensor; the first axis is that of examples.

    Args:
        tensor: the tensor; a sparse one has no `shape` here.

    Example:
        >>> TensorSignature(tf.zeros([3, 2])).is_compatible_with(TensorSignature(tf.ones([3, 2])))
        True
    """

    __slots__ = ()

    def __new__(cls, tensor: Any) -> TensorSignature:
        sparse = isinstance(tensor, SparseTensor)
        return super().__new__(cls, tensor.dtype, None if sparse else tensor.get_shape(), sparse)

    def is_compatible_with(self, other: TensorSignature) -> bool:
        """Whether a tensor of the other signature may stand where one of this is expected."""
        if self.is_sparse or other.is_sparse:
            return self.is_sparse and other.is_sparse and self.dtype.is_compatible_with(other.dtype)
        shape = TensorShape(None) if self.shape is None else self.shape
        return self.dtype.is_compatible_with(other.dtype) and shape.is_compatible_with(other.shape)

    def get_placeholder(self) -> Any:
        """A placeholder for any number of examples."""
        if self.is_sparse or self.shape is None:
            return sparse_placeholder(dtype=self.dtype)
        return placeholder(dtype=self.dtype, shape=[None, *list(self.shape[1:])])

    def get_feature_spec(self) -> FixedLenFeature | VarLenFeature:
        """How `tf.parse_example` reads it; integers of 32 bits are 64 there."""
        dtype = int64 if self.dtype == int32 else self.dtype
        if self.is_sparse or self.shape is None:
            return VarLenFeature(dtype=dtype)
        return FixedLenFeature(shape=self.shape[1:], dtype=dtype)


def _for_all(function: Callable[[Any], Any], of: Any) -> Any:
    """The function of each member of a dict, or of what is none; of None, None."""
    if of is None:
        return None
    return {key: function(value) for key, value in of.items()} if isinstance(of, dict) else function(of)


def tensors_compatible(tensors: Any, signatures: Any) -> bool:
    """Whether tensors are what signatures say.

    Args:
        tensors: a dict of tensors, or one; it may hold more than there are signatures.
        signatures: a dict of signatures, or one.

    Returns:
        True if all that have a signature are there and fit it.
    """
    if tensors is None or signatures is None:
        return tensors is None and signatures is None
    if isinstance(signatures, dict) != isinstance(tensors, dict):
        return False
    if not isinstance(signatures, dict):
        tensors, signatures = {"": tensors}, {"": signatures}
    return all(
        key in tensors and TensorSignature(tensors[key]).is_compatible_with(signature)
        for key, signature in signatures.items()
    )


def create_signatures(tensors: Any) -> Any:
    """The signatures of a dict of tensors, or of one.

    Args:
        tensors: a dict of tensors, a tensor, or None.

    Returns:
        a dict of signatures, a signature, or None.
    """
    return _for_all(TensorSignature, tensors)


def create_placeholders_from_signatures(signatures: Any) -> Any:
    """Placeholders for tensors of signatures.

    Args:
        signatures: a dict of signatures, a signature, or None.

    Returns:
        a dict of placeholders, a placeholder, or None.
    """
    return _for_all(TensorSignature.get_placeholder, signatures)


def create_example_parser_from_signatures(
    signatures: Any, examples_batch: Tensor, single_feature_name: str = "feature"
) -> Any:
    """The tensors of signatures, read from serialized examples.

    Args:
        signatures: a dict of signatures, or one.
        examples_batch: a vector of serialized `tf.train.Example` messages.
        single_feature_name: the name of the feature where there is one signature.

    Returns:
        a dict of tensors, or a tensor.
    """
    if isinstance(signatures, dict):
        return parse_example(examples_batch, _for_all(TensorSignature.get_feature_spec, signatures))
    return parse_example(examples_batch, {single_feature_name: signatures.get_feature_spec()})[single_feature_name]
