"""The op types for which 1.x registers neither a gradient nor that there is none.

A gradient that reaches one of them is a LookupError rather than nothing, and a program may register its own.
"""

from __future__ import annotations

UNREGISTERED = frozenset(
    """
    AllCandidateSampler ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradDA ApplyAdagradV2 ApplyAdam
    ApplyAddSign ApplyCenteredRMSProp ApplyFtrl ApplyFtrlV2 ApplyGradientDescent ApplyMomentum
    ApplyPowerSign ApplyProximalAdagrad ApplyProximalGradientDescent ApplyRMSProp AssignAddVariableOp
    AssignSubVariableOp AssignVariableOp Bitcast BroadcastArgs ComputeAccidentalHits ControlTrigger
    CountUpTo DeepCopy DestroyResourceOp DestroyTemporaryVariable Empty FakeQuantWithMinMaxArgsGradient
    FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannelGradient FixedUnigramCandidateSampler
    IgammaGradA InTopK InTopKV2 IsFinite IsInf IsNan IsVariableInitialized LearnedUnigramCandidateSampler
    ListDiff LogUniformCandidateSampler LowerBound NoOp ParallelConcat Placeholder PrintV2 RandomGammaGrad
    RandomPoisson RandomPoissonV2 RandomShuffle RandomUniformInt RegexFullMatch ResourceApplyAdaMax
    ResourceApplyAdadelta ResourceApplyAdagrad ResourceApplyAdagradDA ResourceApplyAdagradV2
    ResourceApplyAdam ResourceApplyAdamWithAmsgrad ResourceApplyAddSign ResourceApplyCenteredRMSProp
    ResourceApplyFtrl ResourceApplyFtrlV2 ResourceApplyGradientDescent ResourceApplyKerasMomentum
    ResourceApplyMomentum ResourceApplyPowerSign ResourceApplyProximalAdagrad
    ResourceApplyProximalGradientDescent ResourceApplyRMSProp ResourceCountUpTo ResourceScatterAdd
    ResourceScatterDiv ResourceScatterMax ResourceScatterMin ResourceScatterMul ResourceScatterNdAdd
    ResourceScatterNdSub ResourceScatterNdUpdate ResourceScatterSub ResourceScatterUpdate
    ResourceSparseApplyAdadelta ResourceSparseApplyAdagrad ResourceSparseApplyAdagradDA
    ResourceSparseApplyAdagradV2 ResourceSparseApplyCenteredRMSProp ResourceSparseApplyFtrl
    ResourceSparseApplyFtrlV2 ResourceSparseApplyKerasMomentum ResourceSparseApplyMomentum
    ResourceSparseApplyProximalAdagrad ResourceSparseApplyProximalGradientDescent
    ResourceSparseApplyRMSProp ResourceStridedSliceAssign ScatterMax ScatterMin ScatterUpdate Snapshot
    SoftsignGrad SparseApplyAdadelta SparseApplyAdagrad SparseApplyAdagradDA SparseApplyAdagradV2
    SparseApplyCenteredRMSProp SparseApplyFtrl SparseApplyFtrlV2 SparseApplyMomentum
    SparseApplyProximalAdagrad SparseApplyProximalGradientDescent SparseApplyRMSProp SparseCross
    SparseReshape StaticRegexFullMatch StaticRegexReplace StridedSliceAssign StringFormat StringLength
    StringLower StringSplitV2 StringStrip StringUpper Substr TemporaryVariable TensorStridedSliceUpdate
    ThreadUnsafeUnigramCandidateSampler TileGrad UniformCandidateSampler Unique UniqueV2 UniqueWithCounts
    UniqueWithCountsV2 UnravelIndex UpperBound VarHandleOp Variable VariableV2 Where
    """.split()  # noqa: SIM905 (a table of names reads better than quotes)
)
