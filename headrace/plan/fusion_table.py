"""What fusions look for: groups of op types, of each of which one must be there.

Made by tools/make_op_index.py from the files of `plan.fusions`, so that one is imported only where there is work for it.
"""

GROUPS: dict[str, str] = {
    "adam of rows": (
        "Assign AssignVariableOp | AssignSub AssignSubVariableOp | ResourceScatterAdd ScatterAdd | Sqrt | RealDiv"
    ),
    "bias": "Conv2D Conv3D DepthwiseConv2dNative MatMul | Add AddV2 BiasAdd",
    "broadcast gradients": "BroadcastGradientArgs",
    "clipped gradients": "Select | GreaterEqual LessEqual | Fill ZerosLike",
    "concat gradients": "ConcatOffset",
    "convolutions of one image": "_PackedConv2D",
    "counts": "Fill RealDiv Tile | Prod Shape",
    "decided branches": "Merge Switch",
    "dropout": "RandomUniform | GreaterEqual | Cast",
    "kept ids": "SparseFillEmptyRows | Where | Unique",
    "keras updates": "AssignVariableOp | Sqrt | Square | RealDiv | Sub",
    "logistic losses": "Log1p | Exp | Select",
    "loop invariants": "Enter _While | ReadVariableOp",
    "loop shapes": "Stack StackV2 | BroadcastGradientArgs",
    "lstm": "ConcatV2 Split | Sigmoid SigmoidGrad",
    "max pooling": "MaxPoolGrad",
    "one hot vectors": "OneHot | Add AddV2 Maximum Minimum Mul Pow RealDiv Sub",
    "packed convolutions": "Conv2D DepthwiseConv2dNative",
    "partial products": "MatMul | Add AddV2 Slice",
    "pooled relus": "MaxPool | Relu Relu6",
    "pooled sums": "MaxPoolGrad",
    "products": "AddN | BiasAddGrad MatMul",
    "products of parts": "Split StridedSlice | MatMul | Enter _While",
    "row sums": "Add AddV2 | StridedSlice Unpack",
    "shapes of others": "Fill Reshape Tile | Shape",
    "sizes": "Shape Size Slice StridedSlice",
    "slice gradients": "AddN | Pad StridedSliceGrad",
    "sparse gradients": "Size UnsortedSegmentSum",
    "sparse shapes": "SparseReshape",
    "updates": (
        "ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradV2 ApplyAdam ApplyGradientDescent ApplyMomentum "
        "ApplyRMSProp ResourceApplyAdaMax ResourceApplyAdadelta ResourceApplyAdagrad ResourceApplyAdagradV2 "
        "ResourceApplyAdam ResourceApplyGradientDescent ResourceApplyKerasMomentum ResourceApplyMomentum "
        "ResourceApplyRMSProp"
    ),
    "vocabulary buckets": "StringToHashBucket StringToHashBucketFast StringToHashBucketStrong | SelectV2 | NotEqual",
}
