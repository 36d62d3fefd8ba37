"""Element types that the signatures of ops allow but that TensorFlow 1.15 has no kernel for on CPUs.

A program that uses one builds its graph; the operation is refused when it is to run. Halves that only CPUs lack are left
out: they are computed here.
"""

from __future__ import annotations

# By the attribute for the type: the types, and the ops that take them without a kernel.
_LACKING: dict[str, dict[str, str]] = {
    "T": {
        "bfloat16 float16 uint16 uint32 uint64 uint8": "SparseAdd",
        "bool complex128 complex64 int16 int32 int64 int8 string uint16 uint32 uint64 uint8": (
            "QuantizedConcat QuantizedReshape"
        ),
        "bool complex128 complex64 string uint32 uint64": "LowerBound UpperBound",
        "bool complex128 complex64 uint32 uint64": "ListDiff",
        "bool int16 int32 int64 int8 string uint16 uint32 uint64 uint8": "Einsum",
        "bool int16 int64 int8 string uint16 uint32 uint64 uint8": "SparseTensorDenseMatMul",
        "bool string uint32 uint64": "BatchMatrixBandPart MirrorPadGrad SparseFillEmptyRowsGrad",
        "complex128 complex64 int16 int32 int64 int8 uint16 uint32 uint64 uint8": (
            "ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradDA ApplyAdagradV2 ApplyAdam ApplyAddSign "
            "ApplyCenteredRMSProp ApplyFtrl ApplyFtrlV2 ApplyGradientDescent ApplyMomentum ApplyPowerSign "
            "ApplyProximalAdagrad ApplyProximalGradientDescent ApplyRMSProp BatchNormWithGlobalNormalization "
            "BatchNormWithGlobalNormalizationGrad ResourceApplyAdaMax ResourceApplyAdadelta ResourceApplyAdagrad "
            "ResourceApplyAdagradDA ResourceApplyAdagradV2 ResourceApplyAdam ResourceApplyAdamWithAmsgrad "
            "ResourceApplyAddSign ResourceApplyCenteredRMSProp ResourceApplyFtrl ResourceApplyFtrlV2 "
            "ResourceApplyGradientDescent ResourceApplyKerasMomentum ResourceApplyMomentum ResourceApplyPowerSign "
            "ResourceApplyProximalAdagrad ResourceApplyProximalGradientDescent ResourceApplyRMSProp "
            "ResourceSparseApplyAdadelta ResourceSparseApplyAdagrad ResourceSparseApplyAdagradDA "
            "ResourceSparseApplyAdagradV2 ResourceSparseApplyCenteredRMSProp ResourceSparseApplyFtrl "
            "ResourceSparseApplyFtrlV2 ResourceSparseApplyKerasMomentum ResourceSparseApplyMomentum "
            "ResourceSparseApplyProximalAdagrad ResourceSparseApplyProximalGradientDescent "
            "ResourceSparseApplyRMSProp SparseApplyAdadelta SparseApplyAdagrad SparseApplyAdagradDA "
            "SparseApplyAdagradV2 SparseApplyCenteredRMSProp SparseApplyFtrl SparseApplyFtrlV2 "
            "SparseApplyMomentum SparseApplyProximalAdagrad SparseApplyProximalGradientDescent SparseApplyRMSProp"
        ),
        "complex128 complex64 uint32 uint64": (
            "SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul SparseSparseMinimum Unique UniqueV2 "
            "UniqueWithCounts UniqueWithCountsV2"
        ),
        "float16": (
            "CholeskyGrad LogMatrixDeterminant Lu MatrixDeterminant MatrixExponential MatrixSolve MatrixSolveLs "
            "MatrixSquareRoot SelfAdjointEig"
        ),
        "int16 int32 int64 int8 uint16 uint32 uint64 uint8": "MaxPool3DGradGrad StatelessMultinomial",
        "int16 uint16": "ApproximateEqual Multinomial RealDiv",
        "string": (
            "BatchToSpace BatchToSpaceND MatrixBandPart MatrixDiag MatrixDiagPart MatrixDiagPartV2 MatrixDiagV2 "
            "MatrixSetDiag MatrixSetDiagV2 ResourceScatterNdAdd ResourceScatterNdSub ResourceScatterNdUpdate "
            "ReverseSequence Snapshot SpaceToBatch SpaceToBatchND TensorScatterAdd TensorScatterSub"
        ),
        "string uint32 uint64": "BatchMatrixDiag BatchMatrixDiagPart BatchMatrixSetDiag ScatterNdUpdate",
        "uint16": "Greater GreaterEqual Less LessEqual",
        "uint16 uint32 uint64 uint8": "SparseAddGrad",
        "uint32 uint64": (
            "AddManySparseToTensorsMap Assign AssignAdd AssignSub BarrierInsertMany Cumprod Cumsum Dilation2D "
            "Dilation2DBackpropFilter Dilation2DBackpropInput DynamicPartition EditDistance EuclideanNorm "
            "ExtractVolumePatches HistogramSummary MaxPoolGradGrad MaxPoolGradGradV2 MaxPoolGradWithArgmax "
            "MaxPoolWithArgmax NthElement ParallelConcat PopulationCount RefSelect ScalarSummary ScatterAdd "
            "ScatterDiv ScatterMul ScatterNdAdd ScatterNdNonAliasingAdd ScatterNdSub ScatterSub ScatterUpdate "
            "SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum SerializeManySparse SerializeTensor "
            "SparseConcat SparseFillEmptyRows SparseReduceMax SparseReduceMaxSparse SparseReduceSum "
            "SparseReduceSumSparse SparseReorder SparseSegmentSum SparseSegmentSumWithNumSegments SparseSlice "
            "SparseSliceGrad SparseSparseMaximum SparseSplit SparseTensorDenseAdd TensorArrayScatterV2 "
            "TensorArraySplitV2 TensorArrayWriteV2 TensorSummary TensorSummaryV2 TopK Where"
        ),
        "uint64": "TopKV2",
    },
    "Tidx": {
        "int64": (
            "SparseSegmentMean SparseSegmentMeanGrad SparseSegmentMeanWithNumSegments SparseSegmentSqrtN "
            "SparseSegmentSqrtNGrad SparseSegmentSqrtNWithNumSegments SparseSegmentSum "
            "SparseSegmentSumWithNumSegments"
        ),
    },
    "Tvalues": {
        "uint32 uint64": "SparseTensorSliceDataset",
    },
    "dtype": {
        "bool complex128 complex64 int16 int8 string uint16 uint8": "StatefulUniformInt",
        "bool string": "AssignAddVariableOp AssignSubVariableOp",
    },
    "element_dtype": {
        "uint32 uint64": (
            "TensorListPushBackBatch TensorListScatter TensorListScatterIntoExistingList TensorListScatterV2 "
            "TensorListSplit"
        ),
    },
}

_BY_TYPE: dict[str, tuple[str, frozenset[str]]] = {
    op_type: (attr, frozenset(types.split()))
    for attr, ops_of in _LACKING.items()
    for types, ops in ops_of.items()
    for op_type in ops.split()
}


def types_without_kernel(op_type: str) -> tuple[str, frozenset[str]] | None:
    """The attribute of an op that tells an element type, and the types that are refused where it runs; None if none are."""
    return _BY_TYPE.get(op_type)
