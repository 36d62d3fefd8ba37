"""Packed sparse tensors, tables, ragged tensors and images: what fits, what is refused, and internal modules' names."""

import zlib

import tensorflow as tf
from tensorflow.python.ops import image_ops, lookup_ops, sparse_ops
from tensorflow.python.ops.ragged import (
    ragged_array_ops,
    ragged_config,
    ragged_conversion_ops,
    ragged_getitem,
    ragged_string_ops,
    ragged_tensor,
    ragged_where_op,
)

results = {}
session = tf.Session()


def outcome(make):
    try:
        value = session.run(make())
    except Exception as error:
        return type(error).__name__ + ": " + str(error).splitlines()[0].partition("\t")[0].strip()
    if isinstance(value, tf.compat.v1.ragged.RaggedTensorValue):
        return value.to_list()
    return list(value) if isinstance(value, tuple) else value


# Sparse tensors packed and kept, and what does not fit.
sparse = tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2])
packed = sparse_ops.serialize_sparse(sparse)
results["unpacked"] = outcome(lambda: sparse_ops.deserialize_sparse(packed, tf.int32))
results["unpacked as floats"] = outcome(lambda: sparse_ops.deserialize_sparse(packed, tf.float32).values)[:30]
results["unpacked nonsense"] = outcome(lambda: sparse_ops.deserialize_many_sparse([["a", "b", "c"]], tf.int32).values)
kept = sparse_ops._add_many_sparse_to_tensors_map(sparse)
results["kept"] = outcome(lambda: sparse_ops._take_many_sparse_from_tensors_map(kept.op, kept))
results["few axes"] = outcome(lambda: tf.sparse.transpose(sparse, [0]).values)
results["outside"] = outcome(lambda: tf.sparse_to_dense([[0, 0], [3, 1]], [2, 2], 1))
results["split"] = outcome(lambda: tf.sparse_split(sp_input=sparse, num_split=2, axis=2)[0].values)
for dtype in (tf.float32, tf.string):
    results["dtype %s" % dtype.name] = outcome(lambda: tf.convert_to_tensor_or_sparse_tensor(sparse, dtype))

# Tables.
dense = tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1)
for keys in ([[5, 2]], [[5], [2]], 5):
    results["dense %s" % keys] = outcome(lambda: dense.lookup(tf.constant(keys, tf.int64)))
pairs = tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=[1, 2], deleted_key=[3, 4])
for keys in ([7, 8], [[7, 8]], [1, 2, 3], [[[7, 8], [0, 0]]]):
    results["pairs %s" % keys] = outcome(lambda: pairs.lookup(tf.constant(keys, tf.int64)))
results["default"] = outcome(
    lambda: tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, tf.constant([[1]], tf.int64)).size()
)
results["key of three"] = outcome(lambda: tf.contrib.lookup.StrongHashSpec([1, 2, 3]))
results["numbers of lines"] = outcome(
    lambda: tf.lookup.TextFileInitializer("words", tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER, tf.int64, -2)
)
static = lookup_ops.StaticHashTableV1(lookup_ops.KeyValueTensorInitializer(["a"], [1]), -1)
session.run(static.initializer)
results["static"] = outcome(lambda: static.lookup(tf.constant(["a", "b"])))

# Ragged tensors by the names of their internal modules.
rows = tf.ragged.constant([[1, 2], [], [3]])
results["rows"] = [
    outcome(make)
    for make in (
        lambda: ragged_conversion_ops.to_tensor(rows, 9),
        lambda: ragged_conversion_ops.ragged_to_dense(rows, default_value=7, shape=[2, 3]),
        lambda: ragged_conversion_ops.ragged_to_dense(tf.ragged.constant([["a"], []])),
        lambda: ragged_conversion_ops.from_tensor([[1, 0], [0, 0]], padding=0),
        lambda: tuple(ragged_conversion_ops.to_sparse(rows).indices.shape.as_list() and [tf.constant(0)]),
        lambda: ragged_array_ops.ragged_one_hot(rows, 4),
        lambda: ragged_getitem.ragged_tensor_getitem(rows, slice(1, None)),
        lambda: ragged_where_op.where(tf.ragged.constant([[True], [False, True]])),
        lambda: ragged_string_ops.string_bytes_split(["ab", "c"]),
        lambda: ragged_string_ops.string_split_v2(["a b", "c"]),
        lambda: ragged_string_ops.strings_split_v1(["a b"], result_type="RaggedTensor"),
    )
]
results["ragged"] = [ragged_config.auto_cast_partition_dtype(), ragged_tensor.is_ragged(rows)]

# Images.
results["same size"] = [
    tf.image.resize_image_with_pad(tf.zeros([2, 4, 1], tf.uint8), *size).dtype.name for size in ([2, 4], [3, 3])
] + [tf.image.resize_images(tf.zeros([2, 4, 1], tf.uint8), [2, 4]).dtype.name]
results["methods"] = [image_ops.ResizeMethod.AREA, image_ops.ResizeMethodV1.AREA]
results["windows"] = [
    outcome(lambda: tf.image.extract_image_patches(tf.ones([1, 4, 5, 1]), [1, k, k, 1], [1, s, s, 1], [1] * 4, "VALID"))
    for k, s in ((6, 1), (5, 1), (5, 2))
]
results["inflated"] = outcome(lambda: tf.io.decode_compressed([zlib.compress(b"abc")], "ZLIB"))

# Modules of contrib that have the names of functions in them, and what a resampler refuses.
from tensorflow.contrib.image.ops import gen_image_ops  # noqa: E402
from tensorflow.contrib.image.python.ops import dense_image_warp, sparse_image_warp  # noqa: E402
from tensorflow.contrib.nn.python.ops import alpha_dropout  # noqa: E402
from tensorflow.contrib.resampler.ops import gen_resampler_ops  # noqa: E402

grid = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
results["bilinear"] = [
    outcome(lambda: dense_image_warp._interpolate_bilinear(grid, [[[0.5, 1.0], [5.0, -1.0]]], indexing=order))
    for order in ("ij", "xy")
]
results["edges"] = outcome(lambda: tf.constant(sparse_image_warp._get_boundary_locations(5, 6, 1)))
results["warped"] = outcome(lambda: dense_image_warp.dense_image_warp(grid, tf.ones([1, 3, 3, 2])))
results["projected"] = outcome(
    lambda: gen_image_ops.image_projective_transform_v2(grid, [[1.0, 0, 1, 0, 1, 0, 0, 0]], [3, 3], "NEAREST")
)
results["kept all"] = outcome(lambda: alpha_dropout.alpha_dropout(tf.ones([2]), 1.0))
for shapes in (([1, 3, 3, 1], [1, 2, 2]), ([3, 3, 1], [1, 2]), ([1, 3, 3, 1], [1, 2, 3]), ([2, 3, 3, 1], [1, 2, 2]),
               ([1, 3, 3, 1], [2])):  # fmt: skip
    results["resampled %s %s" % shapes] = outcome(
        lambda: gen_resampler_ops.resampler(tf.ones(shapes[0]), tf.ones(shapes[1]))
    )
ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 2, 3], tf.int64), [2, 2])
results["looked up"] = outcome(
    lambda: tf.compat.v2.nn.embedding_lookup_sparse(tf.ones([4, 2]), ids, None, combiner="sum")
)
