"""Descriptions of tensors, sparse tensors and slices: what they have in common, and of values."""

import tensorflow as tf

results = {}


def outcome(make):
    try:
        return str(make())
    except (ValueError, TypeError) as error:
        return type(error).__name__


dense = tf.TensorSpec([2, 3], tf.float32)
sparse = tf.SparseTensorSpec([2, 3], tf.float32)
value = tf.SparseTensor([[0, 0]], [1.0], [2, 3])
slices = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 4]), tf.constant([5, 3]))

results["dense"] = [
    outcome(lambda other=other: dense.most_specific_compatible_type(other).shape)
    for other in (
        dense,
        tf.TensorSpec([4, 3], tf.float32),
        tf.TensorSpec([4], tf.float32),
        tf.TensorSpec(None, tf.float32),
    )
]
results["dense type"] = outcome(lambda: dense.most_specific_compatible_type(tf.TensorSpec([2, 3], tf.int32)))
results["dense and sparse"] = outcome(lambda: dense.most_specific_compatible_type(sparse))
results["dense name"] = outcome(
    lambda: dense.most_specific_compatible_type(tf.TensorSpec([2, 3], tf.float32, "x")).name
)
named = tf.TensorSpec([1], tf.float32, "x")
results["same name"] = outcome(lambda: named.most_specific_compatible_type(named).name)
results["sparse"] = outcome(
    lambda: sparse.most_specific_compatible_type(tf.SparseTensorSpec([None, 3], tf.float32)).shape
)
results["of sparse"] = [
    str(tf.SparseTensorSpec.from_value(value).shape),
    tf.SparseTensorSpec.from_value(value).dtype.name,
]
results["consumers"] = [op.type for op in slices.consumers()]
used = tf.convert_to_tensor(slices)
results["consumers after"] = sorted(op.type for op in slices.consumers())
ragged = tf.RaggedTensorSpec([2, None], tf.int32)
results["ragged"] = outcome(
    lambda: ragged.most_specific_compatible_type(tf.RaggedTensorSpec([3, None], tf.int32))._shape
)
results["ragged levels"] = outcome(
    lambda: ragged.most_specific_compatible_type(tf.RaggedTensorSpec([3, None, None], tf.int32))
)
