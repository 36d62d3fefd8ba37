"""Op types that no function of the library makes any more, but old graphs hold: applied by type."""

import numpy as np
import tensorflow as tf

raw = tf.raw_ops
results = {}
rng = np.random.RandomState(5)
x = tf.constant(rng.rand(2, 3).astype(np.float32))
image = tf.constant(rng.rand(1, 4, 4, 2).astype(np.float32))
session = tf.Session()


def note(name, *tensors):
    results[name] = [session.run(t) for t in tensors]
    results[name + " shapes"] = [str(t.get_shape()) for t in tensors]


a = tf.constant(rng.rand(2, 2, 3).astype(np.float32))
b = tf.constant(rng.rand(2, 3, 2).astype(np.float32))
note("BatchMatMul", raw.BatchMatMul(x=a, y=b), raw.BatchMatMul(x=a, y=a, adj_y=True))
note("BiasAddV1", raw.BiasAddV1(value=x, bias=tf.constant([1.0, 2.0, 3.0])))
note("Concat", raw.Concat(concat_dim=1, values=[x, x]))
note("Gather", raw.Gather(params=x, indices=[1, 0, 1]))
note("Inv", raw.Inv(x=x), raw.InvGrad(y=x, dy=x))
note("OnesLike", raw.OnesLike(x=x))
note("Reverse", raw.Reverse(tensor=x, dims=[False, True]))
note("Snapshot", raw.Snapshot(input=x), raw.GuaranteeConst(input=x), raw.DeepCopy(x=x))
note("SoftplusGrad", raw.SoftplusGrad(gradients=x, features=x - 0.5))
note("InTopK", raw.InTopK(predictions=x, targets=[0, 2], k=1))
note("UniqueV2", *raw.UniqueV2(x=tf.constant([3, 1, 3, 2]), axis=tf.constant([0])))
note("UniqueWithCountsV2", *raw.UniqueWithCountsV2(x=tf.constant([3, 1, 3, 2]), axis=tf.constant([0])))
note("ScatterNdNonAliasingAdd", raw.ScatterNdNonAliasingAdd(input=x, indices=[[0], [1]], updates=x))
note(
    "QuantizeAndDequantizeV3",
    raw.QuantizeAndDequantizeV3(input=x, input_min=0.0, input_max=1.0, num_bits=8, range_given=True),
)
blocks = raw.SpaceToBatch(input=image, paddings=[[0, 0], [0, 0]], block_size=2)
note("SpaceToBatch", blocks, raw.BatchToSpace(input=blocks, crops=[[0, 0], [0, 0]], block_size=2))

matrix = rng.rand(3, 3)
factor = tf.constant(np.linalg.cholesky(matrix.dot(matrix.T) + 3 * np.eye(3)))
note("CholeskyGrad", raw.CholeskyGrad(l=factor, grad=tf.constant(rng.rand(3, 3))))

scale, offset = tf.constant([1.5, 0.5]), tf.constant([0.1, -0.2])
empty = tf.constant([], tf.float32)
normed = raw.FusedBatchNormV2(x=image, scale=scale, offset=offset, mean=empty, variance=empty, is_training=True)
note("FusedBatchNormV2", normed[0], normed[1], normed[2])
note(
    "FusedBatchNormGradV2",
    *raw.FusedBatchNormGradV2(
        y_backprop=image, x=image, scale=scale, reserve_space_1=normed[3], reserve_space_2=normed[4], is_training=True
    )[:3],
)

volume = tf.constant(rng.rand(1, 3, 3, 3, 1).astype(np.float32))
steps = [1, 1, 1, 1, 1]

window = [1, 2, 2, 1]
pooled = tf.nn.max_pool(image, window, window, "VALID")
note(
    "MaxPoolGradGrad",
    raw.MaxPoolGradGradV2(
        orig_input=image, orig_output=pooled, grad=image, ksize=window, strides=window, padding="VALID"
    ),
)
window3 = [1, 2, 2, 2, 1]
pooled3 = raw.MaxPool3D(input=volume, ksize=window3, strides=steps, padding="VALID")
note(
    "MaxPool3DGradGrad",
    raw.MaxPool3DGradGrad(
        orig_input=volume, orig_output=pooled3, grad=volume, ksize=window3, strides=steps, padding="VALID"
    ),
)

handle = raw.VarHandleOp(dtype=tf.int64, shape=[2], shared_name="counted")
scalar = raw.VarHandleOp(dtype=tf.int32, shape=[], shared_name="limit")
session.run(
    [raw.AssignVariableOp(resource=handle, value=np.array([4, 5])), raw.AssignVariableOp(resource=scalar, value=2)]
)
note("VariableShape", raw.VariableShape(input=handle))
note("ResourceCountUpTo", raw.ResourceCountUpTo(resource=scalar, limit=3, T=tf.int32))
session.run(raw.DestroyResourceOp(resource=handle))
results["destroyed"] = bool(session.run(raw.VarIsInitializedOp(resource=handle)))

drawn = raw.ParameterizedTruncatedNormal(
    shape=[40], means=[1.0], stdevs=[2.0], minvals=[-1.0], maxvals=[3.0], seed=3, seed2=4
)
note("ParameterizedTruncatedNormal", drawn)
results["Timestamp is a recent second count"] = bool(session.run(raw.Timestamp()) > 1e9)
with tf.control_dependencies([raw.ControlTrigger()]):
    note("ControlTrigger", tf.identity(x))
results["Empty"] = str(raw.Empty(shape=[2, 3], dtype=tf.float32).get_shape())
note("Print", raw.Print(input=x, data=[x], message="seen: "))
