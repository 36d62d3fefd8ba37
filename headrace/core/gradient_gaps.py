"""The op types for which 1.x registers neither a gradient nor that there is none.

A gradient that reaches one of them is a LookupError rather than nothing, and a program may register its own.
"""

from __future__ import annotations

UNREGISTERED = frozenset(
    """
    AdjustContrastv2 AdjustHsvInYiq AdjustHue AdjustSaturation AllCandidateSampler ApplyAdaMax
    ApplyAdadelta ApplyAdagrad ApplyAdagradDA ApplyAdagradV2 ApplyAdam ApplyAddSign ApplyCenteredRMSProp
    ApplyFtrl ApplyFtrlV2 ApplyGradientDescent ApplyMomentum ApplyPowerSign ApplyProximalAdagrad
    ApplyProximalGradientDescent ApplyRMSProp AssignAddVariableOp AssignSubVariableOp AssignVariableOp
    AudioSpectrogram BatchSelfAdjointEig Bitcast BlockLSTMGrad BlockLSTMGradV2 BroadcastArgs
    CombinedNonMaxSuppression ComputeAccidentalHits ControlTrigger CountUpTo CropAndResizeGradBoxes
    CropAndResizeGradImage CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3 DeepCopy Dequantize
    DestroyResourceOp DestroyTemporaryVariable DrawBoundingBoxesV2 Empty FakeQuantWithMinMaxArgsGradient
    FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannelGradient
    FixedUnigramCandidateSampler FractionalAvgPoolGrad FractionalMaxPoolGrad FusedPadConv2D
    FusedResizeAndPadConv2D GRUBlockCellGrad IgammaGradA InTopK InTopKV2 InplaceAdd InplaceSub
    InplaceUpdate IsFinite IsInf IsNan IsVariableInitialized LSTMBlockCellGrad
    LearnedUnigramCandidateSampler ListDiff LogUniformCandidateSampler LowerBound Mfcc NoOp
    NonMaxSuppressionV4 NonMaxSuppressionV5 ParallelConcat PeriodicResampleOpGrad Placeholder PrintV2
    QuantizeV2 RandomGammaGrad RandomPoisson RandomPoissonV2 RandomShuffle RandomUniformInt
    RegexFullMatch ResizeArea ResizeBicubicGrad ResizeBilinearGrad ResizeNearestNeighborGrad
    ResourceApplyAdaMax ResourceApplyAdadelta ResourceApplyAdagrad ResourceApplyAdagradDA
    ResourceApplyAdagradV2 ResourceApplyAdam ResourceApplyAdamWithAmsgrad ResourceApplyAddSign
    ResourceApplyCenteredRMSProp ResourceApplyFtrl ResourceApplyFtrlV2 ResourceApplyGradientDescent
    ResourceApplyKerasMomentum ResourceApplyMomentum ResourceApplyPowerSign ResourceApplyProximalAdagrad
    ResourceApplyProximalGradientDescent ResourceApplyRMSProp ResourceCountUpTo ResourceScatterAdd
    ResourceScatterDiv ResourceScatterMax ResourceScatterMin ResourceScatterMul ResourceScatterNdAdd
    ResourceScatterNdSub ResourceScatterNdUpdate ResourceScatterSub ResourceScatterUpdate
    ResourceSparseApplyAdadelta ResourceSparseApplyAdagrad ResourceSparseApplyAdagradDA
    ResourceSparseApplyAdagradV2 ResourceSparseApplyCenteredRMSProp ResourceSparseApplyFtrl
    ResourceSparseApplyFtrlV2 ResourceSparseApplyKerasMomentum ResourceSparseApplyMomentum
    ResourceSparseApplyProximalAdagrad ResourceSparseApplyProximalGradientDescent
    ResourceSparseApplyRMSProp ResourceStridedSliceAssign ScaleAndTranslateGrad ScatterMax ScatterMin
    ScatterUpdate SelfAdjointEig Snapshot SoftsignGrad SparseApplyAdadelta SparseApplyAdagrad
    SparseApplyAdagradDA SparseApplyAdagradV2 SparseApplyCenteredRMSProp SparseApplyFtrl
    SparseApplyFtrlV2 SparseApplyMomentum SparseApplyProximalAdagrad SparseApplyProximalGradientDescent
    SparseApplyRMSProp SparseCross SparseReshape StaticRegexFullMatch StaticRegexReplace
    StridedSliceAssign StringFormat StringLength StringLower StringSplitV2 StringStrip StringUpper
    Substr TemporaryVariable TensorStridedSliceUpdate ThreadUnsafeUnigramCandidateSampler TileGrad
    UniformCandidateSampler Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2 UnravelIndex UpperBound
    VarHandleOp Variable VariableV2 Where
    """.split()  # noqa: SIM905 (a table of names reads better than quotes)
)
