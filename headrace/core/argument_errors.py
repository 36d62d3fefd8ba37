"""The errors of an op's arguments, in the words of graphs and those of eager execution."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from headrace.core.dtypes import DType, dtype_text
from headrace.core.errors import InvalidArgumentError, NotFoundError, OpError
from headrace.core.registry import OpDecl
from headrace.core.signature import Arg, Attr

if TYPE_CHECKING:
    from headrace.core.typing import NodeView

_E = TypeVar("_E", bound=Exception)

# What an op says eagerly of a type that no kernel takes.
NO_DEVICE = "Could not find valid device for node."


def wrong_tensor_type(
    message: str, decl: OpDecl, arg: Arg, got: DType, expected: DType, attrs: dict[str, Any], place: int = 0
) -> TypeError:
    """The error of a tensor that is not of the type that the op, or another of its inputs, asks for.

    Args:
        message: what graphs say.
        decl, arg, attrs: the op, its argument and the attributes known so far.
        got, expected: the types.
        place: that of the tensor in an argument that is a list.
    """
    for other in itertools.takewhile(lambda other: other is not arg, decl.signature.inputs):
        place += attrs.get(other.number_attr, 1) if other.number_attr is not None else 1
    eagerly = (
        f"cannot compute {decl.type} as input #{place}(zero-based) was expected to be a {dtype_text(expected)} tensor but "
        f"is a {dtype_text(got)} tensor"
    )
    return complaint(TypeError(message), InvalidArgumentError, eagerly)


def complaint(error: _E, when_eager: type[OpError], eagerly: str | None = None) -> _E:
    """An error in an op's arguments; while executing eagerly it is the op that complains, with an error of its own kind."""
    error.when_eager = when_eager, eagerly or str(error)  # type: ignore[attr-defined]  # ours, on exceptions of any class
    return error


def not_taken(message: str) -> ValueError:
    """The error of a value that the op does not take: too small a number, too short a list, an unknown word."""
    return complaint(ValueError(message), InvalidArgumentError)


# Attributes for types and the ops of which no kernel of TensorFlow's for the CPU asks about them: there it is the op that
# refuses types it does not allow.
_OF_ANY_KERNEL = {
    "Index": "ResourceStridedSliceAssign Slice StridedSlice StridedSliceAssign StridedSliceGrad TensorStridedSliceUpdate",
    "OUT_TYPE": "DecodeCSV",
    "S": "RandomGamma RandomPoisson RandomPoissonV2 StatefulRandomBinomial",
    "T": "AsString Bitcast CollectiveBcastSend CollectiveGather CollectiveReduce EncodePng ImageSummary "
    "ParameterizedTruncatedNormal RandomStandardNormal RandomUniform RandomUniformInt StatelessRandomNormal "
    "StatelessRandomUniform StatelessRandomUniformInt StatelessTruncatedNormal TruncatedNormal "
    "WriteHistogramSummary WriteImageSummary WriteScalarSummary",
    "T_threshold": "NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4",
    "Taxis": "GatherV2 UniqueV2 UniqueWithCountsV2",
    "Tblock_shape": "BatchToSpaceND SpaceToBatchND",
    "Tcomplex": "FFT FFT2D FFT3D IFFT IFFT2D IFFT3D",
    "Tcontext_dense": "ParseSequenceExample ParseSingleSequenceExample",
    "Tcrops": "BatchToSpaceND",
    "Tdense": "ParseExample ParseExampleDataset ParseSingleExample",
    "Tidx": "ArgMax ArgMin BatchToSpace BroadcastTo ConcatV2",
    "Tindex": "MatrixBandPart",
    "Tnumsegments": "SparseSegmentMeanWithNumSegments SparseSegmentSqrtNWithNumSegments SparseSegmentSumWithNumSegments "
    "UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum",
    "Tout": "ComplexAbs",
    "Tpaddings": "SpaceToBatch SpaceToBatchND",
    "Tperm": "ConjugateTranspose Transpose",
    "Treal": "SparseAdd",
    "Tseed": "StatelessMultinomial StatelessRandomNormal StatelessRandomUniform StatelessRandomUniformInt "
    "StatelessTruncatedNormal",
    "Tshape": "Conv3DBackpropInputV2 QuantizedReshape RaggedTensorToTensor",
    "context_sparse_types": "ParseSequenceExample ParseSingleSequenceExample",
    "dense_types": "SparseCross",
    "dtype": "AccumulatorApplyGradient AccumulatorTakeGradient DecodePng ResourceAccumulatorApplyGradient "
    "ResourceAccumulatorTakeGradient SparseAccumulatorApplyGradient SparseAccumulatorTakeGradient",
    "feature_list_dense_types": "ParseSequenceExample ParseSingleSequenceExample",
    "feature_list_sparse_types": "ParseSequenceExample ParseSingleSequenceExample",
    "output_types": "CSVDataset ExperimentalCSVDataset",
    "shape_type": "EmptyTensorList TensorListConcatV2 TensorListElementShape TensorListFromTensor TensorListReserve "
    "TensorListScatter TensorListScatterV2 TensorListSplit",
    "sparse_types": "ParseExample ParseExampleDataset ParseSingleExample SparseCross",
    "type": "Bitcast",
}  # fmt: skip


def check_allowed(arg: Arg | Attr, dtype: DType, allowed: Sequence[DType], op_type: str) -> None:
    """Raises the TypeError of a type that an argument does not allow.

    Args:
        arg, dtype, allowed: the argument, what it is given, and what it takes.
        op_type: the type of the op.
    """
    if dtype not in allowed:
        error = TypeError(
            f"Value passed to parameter '{arg.name}' has DataType {dtype.name} not in list of allowed values: "
            f"{', '.join(d.name for d in allowed)}"
        )
        attr = arg.name if isinstance(arg, Attr) else arg.type_attr or arg.type_list_attr
        if attr is not None and op_type in _OF_ANY_KERNEL.get(attr, "").split():
            raise complaint(error, InvalidArgumentError)
        # Eagerly it is a kernel that is not there.
        raise complaint(error, NotFoundError, f"{NO_DEVICE}\n{error}")


def not_a_list(decl: OpDecl, name: str, shown: str) -> TypeError:
    """The error of a single value where an argument is a list."""
    # `Conv2D` is what the wrapper `conv2d` adds to the graph; it is the wrapper that complains.
    wrapper = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", decl.type)
    wrapper = re.sub(r"([a-z])([A-Z])", r"\1_\2", wrapper).lower()
    return TypeError(f"Expected list for '{name}' argument to '{wrapper}' Op, not {shown}.")


def no_kernel(node: NodeView, place: int = 0) -> Exception:
    """The error of an element type, that of the input at `place`, which the signature allows but TensorFlow has no kernel for."""
    return no_kernel_of(node.type, "T", node.inputs[place].dtype)


def no_kernel_of(op_type: str, attr: str, dtype: DType, operation: Any = None) -> Exception:
    """The error of an element type that an attribute allows but TensorFlow has no kernel for, in an operation of a graph."""
    message = f"No OpKernel was registered to support Op '{op_type}' with {attr}={dtype.name}"
    return complaint(InvalidArgumentError(None, operation, message), NotFoundError, message)
