"""Ragged tensors: made, taken apart, indexed, joined, reduced, masked, fed and fetched."""

import numpy as np
import tensorflow as tf

results = {}
ragged = tf.ragged
RT = tf.RaggedTensor


def plain(value):
    if isinstance(value, tf.ragged.RaggedTensorValue):
        return ["ragged", value.to_list(), str(value.dtype), str(value.row_splits.dtype)]
    if isinstance(value, tf.SparseTensorValue):
        return ["sparse"] + list(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def static(made):
    if isinstance(made, (list, tuple)):
        return [static(item) for item in made]
    return made.shape.ndims


def outcome(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            made = make()
            if made is None:
                return None
            value = sess.run(made, feed_dict=feeds())
            return [plain(value), static(made)]
        except (ValueError, TypeError, IndexError, NotImplementedError, tf.errors.OpError) as error:
            return type(error).__name__


late_values = []


def feeds():
    found = {}
    for tensor, value in late_values:
        if tensor.graph is tf.get_default_graph():
            found[tensor] = value
    return found


def late(value):
    tensor = tf.placeholder(tf.as_dtype(np.asarray(value).dtype), None)
    late_values.append((tensor, value))
    return tensor


def rows():
    return ragged.constant([[3, 1, 4], [], [5, 9, 2], [6], []])


def deep():
    return ragged.constant([[[1, 2], [3]], [], [[4, 5, 6], [], [7]]])


def inner():
    return ragged.constant([[[1, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1)


def words():
    return ragged.constant([["a", "bc"], [], ["def"]])


cases = {
    # made
    "splits": lambda: RT.from_row_splits([3, 1, 4, 1], [0, 2, 2, 4]),
    "splits bad": lambda: RT.from_row_splits(tf.constant([3, 1, 4, 1]), late([0, 2, 5])),
    "splits empty": lambda: RT.from_row_splits([3, 1], []),
    "splits 32": lambda: RT.from_row_splits([3, 1], np.array([0, 2], np.int32)),
    "splits float": lambda: RT.from_row_splits([3, 1], [0.0, 2.0]),
    "rowids": lambda: RT.from_value_rowids([3, 1, 4, 1], [0, 0, 2, 2], nrows=5),
    "rowids alone": lambda: RT.from_value_rowids([3, 1, 4, 1], [0, 0, 2, 2]),
    "rowids late": lambda: RT.from_value_rowids([3, 1, 4, 1], late([0, 0, 2, 2])),
    "rowids too few": lambda: RT.from_value_rowids([3, 1, 4, 1], [0, 0, 2, 2], nrows=1),
    "rowids negative": lambda: RT.from_value_rowids([3, 1, 4, 1], [0, 0, 2, 2], nrows=-1),
    "lengths": lambda: RT.from_row_lengths([3, 1, 4, 1], [1, 0, 3]),
    "lengths bad": lambda: RT.from_row_lengths([3, 1, 4, 1], late([1, 0, 4])),
    "lengths not checked": lambda: RT.from_row_lengths([3, 1, 4, 1], [1, 0, 3], validate=False),
    "starts": lambda: RT.from_row_starts([3, 1, 4, 1], [0, 2, 2]),
    "limits": lambda: RT.from_row_limits([3, 1, 4, 1], [2, 2, 4]),
    "nested splits": lambda: RT.from_nested_row_splits([3, 1, 4, 1], [[0, 1, 3], [0, 2, 2, 4]]),
    "nested rowids": lambda: RT.from_nested_value_rowids([3, 1, 4, 1], [[0, 0, 2], [0, 0, 1, 2]], [4, 3]),
    "nested lengths": lambda: RT.from_nested_row_lengths([3, 1, 4, 1], [[1, 2], [2, 0, 2]]),
    "nested tensor": lambda: RT.from_nested_row_splits([3], tf.constant([[0, 1]])),
    "tensor": lambda: RT.from_tensor([[5, 7, 0], [0, 3, 0], [6, 0, 0]]),
    "tensor lengths": lambda: RT.from_tensor([[5, 7, 0], [0, 3, 0], [6, 0, 0]], lengths=[1, 0, 9]),
    "tensor padding": lambda: RT.from_tensor([[5, 7, 0], [0, 3, 0], [6, 0, 0]], padding=0),
    "tensor both": lambda: RT.from_tensor([[5, 7, 0]], padding=0, lengths=[1]),
    "tensor deep": lambda: RT.from_tensor(np.arange(24).reshape(2, 3, 4), ragged_rank=2),
    "tensor deep padding": lambda: RT.from_tensor([[[1, 0], [0, 0]], [[2, 3], [4, 0]]], padding=0, ragged_rank=2),
    "tensor inner padding": lambda: RT.from_tensor([[[1, 0], [0, 0]], [[2, 3], [0, 0]]], padding=[0, 0]),
    "tensor levels": lambda: RT.from_tensor(np.arange(12).reshape(2, 3, 2), lengths=([2, 1], [1, 2, 0])),
    "tensor vector": lambda: RT.from_tensor([1, 2]),
    "sparse": lambda: RT.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [3, 1, 4], [3, 4])),
    "sparse gaps": lambda: RT.from_sparse(tf.SparseTensor([[0, 0], [0, 2], [2, 0]], [3, 1, 4], [3, 4])),
    "sparse no": lambda: RT.from_sparse(tf.constant([1])),
    "constant rank": lambda: ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1),
    "constant inner": lambda: ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], inner_shape=(2,), dtype=tf.float32),
    "constant empty": lambda: ragged.constant([[], []]),
    "constant uneven": lambda: ragged.constant([1, [2]]),
    "constant scalar": lambda: ragged.constant(5),
    "constant vector": lambda: ragged.constant([5, 6]),
    "constant int32": lambda: ragged.constant([[1], []], row_splits_dtype=tf.int32),
    "constant bad rank": lambda: ragged.constant([[1], []], ragged_rank=3),
    "private": lambda: RT(tf.constant([1]), tf.constant([0, 1])),
    # taken apart
    "parts": lambda: [rows().values, rows().row_splits, deep().flat_values] + list(deep().nested_row_splits),
    "value rowids": lambda: [rows().value_rowids()] + list(deep().nested_value_rowids()),
    "row lengths": lambda: [rows().row_lengths()] + list(deep().nested_row_lengths()),
    "row lengths axis": lambda: [deep().row_lengths(axis=2), inner().row_lengths(axis=2), deep().row_lengths(axis=0)],
    "row lengths bad": lambda: rows().row_lengths(axis=2),
    "nrows": lambda: [rows().nrows(), rows().nrows(out_type=tf.int32), rows().row_starts(), rows().row_limits()],
    "bounding": lambda: [deep().bounding_shape(), inner().bounding_shape(), rows().bounding_shape(axis=1)],
    "bounding axes": lambda: [deep().bounding_shape(axis=0), deep().bounding_shape(axis=[0, 2])],
    "with values": lambda: rows().with_values(tf.range(7) * 10),
    "with flat values": lambda: deep().with_flat_values(tf.range(7) * 10),
    "with wrong values": lambda: rows().with_values(tf.range(6)),
    "with splits": lambda: rows().with_row_splits_dtype(tf.int32),
    "with float splits": lambda: rows().with_row_splits_dtype(tf.float32),
    "to tensor": lambda: [rows().to_tensor(), deep().to_tensor(), inner().to_tensor(), words().to_tensor()],
    "to tensor default": lambda: [rows().to_tensor(-1), deep().to_tensor(-1), words().to_tensor("?")],
    "to tensor inner default": lambda: inner().to_tensor([8, 9]),
    "to sparse": lambda: [rows().to_sparse(), deep().to_sparse(), inner().to_sparse(), words().to_sparse()],
    "boolean": lambda: bool(rows()),
    # indexed
    "row": lambda: [rows()[0], rows()[1], rows()[-2], deep()[2]],
    "row and column": lambda: [rows()[2, 1], deep()[2, 0], deep()[2, 0, 1]],
    "row slices": lambda: [rows()[1:3], rows()[:-1], rows()[::2], rows()[::-1], rows()[3:3], rows()[9:]],
    "columns": lambda: [rows()[:, 1:], rows()[:, :2], rows()[:, -2:], rows()[:, :-1], rows()[:, ::2], rows()[:, 0:1]],
    "columns zero": lambda: rows()[:, :0],
    "columns late": lambda: rows()[:, late(-2) :],
    "columns both": lambda: [rows()[1:, 1:2], deep()[:, :1], deep()[:, :, 1:], deep()[1:, 1:, ::2]],
    "column": lambda: rows()[:, 0],
    "inner column": lambda: [inner()[:, :, 0], inner()[..., 1], inner()[0, 1], inner()[:, 1:, 1:]],
    "new axes": lambda: [rows()[tf.newaxis], rows()[:, tf.newaxis], rows()[..., tf.newaxis], deep()[:, tf.newaxis, :1]],
    "row late": lambda: rows()[late(2)],
    "ellipsis": lambda: [rows()[...], rows()[..., 1:], deep()[..., 1:]],
    "too many": lambda: rows()[0, 0, 0],
    # joined
    "concat 0": lambda: tf.concat([rows(), rows()[:2]], 0),
    "concat 1": lambda: tf.concat([rows(), rows() * 10, [[1], [2], [3], [4], [5]]], 1),
    "concat deep": lambda: [tf.concat([deep(), deep()], axis) for axis in (0, 1, 2)],
    "concat mixed": lambda: tf.concat([deep(), [[[9]]]], 0),
    "concat late": lambda: tf.concat([rows(), rows()[:2]], 1),
    "concat dense": lambda: ragged.stack([tf.constant([1, 2]), tf.constant([3])]),
    "stack": lambda: [tf.stack([rows(), rows()]), ragged.stack([rows(), rows()], axis=1), ragged.stack([[1], [2, 3]])],
    "stack 2": lambda: ragged.stack([rows(), rows()], axis=2),
    "stack one": lambda: [ragged.stack([rows()]), ragged.stack(rows(), axis=1)],
    "stack ranks": lambda: ragged.stack([rows(), deep()]),
    "tile": lambda: [tf.tile(rows(), [2, 1]), tf.tile(rows(), [1, 2]), tf.tile(rows(), late(np.array([2, 2])))],
    "tile deep": lambda: [tf.tile(deep(), [2, 1, 2]), tf.tile(deep(), [1, 2, 2]), tf.tile(inner(), [2, 2, 2])],
    "tile none": lambda: [tf.tile(rows(), [0, 1]), tf.tile(deep(), [1, 0, 2])],
    "expand": lambda: [tf.expand_dims(rows(), axis) for axis in (0, 1, 2, -1)],
    "expand far": lambda: tf.expand_dims(rows(), 3),
    "squeeze": lambda: [tf.squeeze(tf.expand_dims(rows(), 1), 1), tf.squeeze(tf.expand_dims(rows(), 0), [0])],
    "squeeze none": lambda: tf.squeeze(rows()),
    "squeeze bad": lambda: tf.squeeze(rows(), 1),
    # gathered
    "gather": lambda: [tf.gather(rows(), [2, 0, 2]), tf.gather(deep(), [2, 1]), tf.gather(inner(), [[0], [2]])],
    "gather ragged": lambda: [
        tf.gather(rows(), ragged.constant([[2], [], [0, 3]])),
        tf.gather([7, 8, 9], ragged.constant([[2], [0, 1]])),
    ],
    "gather far": lambda: tf.gather(rows(), [5]),
    "gather axis": lambda: tf.gather(rows(), [0], axis=1),
    "gather nd": lambda: [
        tf.gather_nd(rows(), [[0, 1], [2, 2]]),
        tf.gather_nd(rows(), [[2], [0]]),
        tf.gather_nd(deep(), [[2, 0], [0, 1]]),
    ],
    "gather nd deep": lambda: [tf.gather_nd(deep(), [[2, 0, 1], [0, 1, 0]]), tf.gather_nd(inner(), [[0, 1, 1]])],
    "gather nd batch": lambda: tf.gather_nd(rows(), [[[0, 1]], [[2, 2]]]),
    "batch gather": lambda: [
        tf.batch_gather(rows()[:3], ragged.constant([[2, 0], [], [1]])),
        tf.batch_gather([[1, 2], [3, 4]], ragged.constant([[1], [0, 0]])),
    ],
    "one hot": lambda: tf.one_hot(ragged.constant([[1], [0, 2]]), 3),
    "size": lambda: [tf.size(rows()), tf.rank(deep()), tf.size(deep(), out_type=tf.int64), tf.rank(inner())],
    # reduced
    "reduce axis": lambda: [
        f(rows(), axis) for f in (tf.reduce_sum, tf.reduce_max, tf.reduce_min, tf.reduce_prod) for axis in (0, 1)
    ],
    "reduce all": lambda: [f(rows()) for f in (tf.reduce_sum, tf.reduce_max, tf.reduce_mean)],
    "reduce mean": lambda: [tf.reduce_mean(tf.cast(rows(), tf.float32), axis) for axis in (0, 1)],
    "reduce deep": lambda: [tf.reduce_sum(deep(), axis) for axis in (0, 1, 2, -1, [0, 1], [1, 2], [0, 2], [])],
    "reduce inner": lambda: [tf.reduce_sum(inner(), axis) for axis in (0, 1, 2, [0, 2])],
    "reduce bool": lambda: [f(rows() > 2, axis) for f in (tf.reduce_all, tf.reduce_any) for axis in (0, 1)],
    "reduce keep": lambda: tf.reduce_sum(rows(), 1, keepdims=True),
    "reduce far": lambda: tf.reduce_sum(rows(), 2),
    "reduce join": lambda: [tf.strings.reduce_join(words(), 1, separator="-"), tf.strings.reduce_join(words(), 0)],
    "segment sum": lambda: tf.unsorted_segment_sum(rows(), [0, 1, 0, 2, 2], 4),
    "segment mean": lambda: tf.unsorted_segment_mean(tf.cast(rows(), tf.float32), [0, 0, 0, 1, 1], 2),
    "segment deep": lambda: [
        tf.unsorted_segment_max(deep(), [1, 0, 1], 2),
        tf.unsorted_segment_sum(rows(), rows() % 3, 3),
    ],
    # masked and chosen
    "mask": lambda: [
        ragged.boolean_mask(rows(), rows() > 2),
        ragged.boolean_mask(rows(), [True, False, True, True, False]),
    ],
    "mask deep": lambda: [
        ragged.boolean_mask(deep(), deep() > 3),
        ragged.boolean_mask(deep(), ragged.constant([[True, False], [], [False, True, True]])),
    ],
    "mask dense": lambda: [
        ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]),
        ragged.boolean_mask([1, 2], [True, False]),
    ],
    "mask dense 3": lambda: ragged.boolean_mask(np.arange(8).reshape(2, 2, 2), np.arange(8).reshape(2, 2, 2) % 3 == 0),
    "mask scalar": lambda: ragged.boolean_mask(rows(), True),
    "where": lambda: [tf.where(rows() > 2, rows(), -rows()), tf.where(rows() > 2)],
    "where rows": lambda: tf.where(
        [True, False, True, False, True], rows(), ragged.constant([[1], [2], [3], [4], [5]])
    ),
    "where one": lambda: tf.where(rows() > 2, rows()),
    "partition": lambda: tf.dynamic_partition(rows(), [1, 0, 1, 0, 0], 2),
    "partitions": lambda: [
        ragged.stack_dynamic_partitions(["a", "b", "c"], [1, 0, 1], 3),
        ragged.stack_dynamic_partitions(rows(), rows() % 2, 2),
    ],
    "partitions far": lambda: ragged.stack_dynamic_partitions(["a", "b", "c"], [1, 0, 3], 3),
    "range": lambda: [
        ragged.range([0, 5, 8], [3, 3, 12]),
        ragged.range([3, 0, 2]),
        ragged.range([0, 5], 9, [2, 3]),
        ragged.range(0.0, [1.0, 0.5], 0.25),
    ],
    "range down": lambda: ragged.range([5, 0], [0, 5], -2),
    "range zero": lambda: ragged.range([5, 0], [0, 5], 0),
    "segment ids": lambda: [
        ragged.row_splits_to_segment_ids([0, 3, 3, 5]),
        ragged.segment_ids_to_row_splits([0, 0, 2]),
        ragged.segment_ids_to_row_splits([0, 2], 5),
    ],
    "segment ids none": lambda: ragged.row_splits_to_segment_ids([]),
    # functions and operators
    "operators": lambda: [
        rows() + 1,
        2 * rows(),
        rows() - rows(),
        rows() // 2,
        rows() % 2,
        -rows(),
        abs(-rows()),
        rows() ** 2,
        10 - rows(),
        rows() / 2,
    ],
    "comparisons": lambda: [rows() > 2, rows() <= 2, tf.equal(rows(), 4), ~(rows() > 2), (rows() > 2) & (rows() < 6)],
    "functions": lambda: [
        tf.cast(rows(), tf.float32),
        tf.identity(rows()),
        tf.ones_like(rows()),
        tf.maximum(rows(), 3),
        tf.add(x=rows(), y=1),
        tf.square(x=rows()),
    ],
    "lists": lambda: [tf.add_n([rows(), rows()]), tf.strings.join([words(), words()], "+")],
    "strings": lambda: [
        tf.strings.length(words()),
        tf.strings.substr(words(), 0, 1),
        tf.as_string(rows()),
        tf.strings.to_hash_bucket_fast(words(), 9),
    ],
    "spread rows": lambda: [rows() + [[10], [20], [30], [40], [50]], tf.constant([[100]]) + rows()],
    "spread deep": lambda: [
        deep() + [[[10]], [[20]], [[30]]],
        deep() * ragged.constant([[[1], [2]], [], [[3], [4], [5]]], ragged_rank=1),
    ],
    "spread inner": lambda: [inner() + [10, 20], inner() * [[[1]], [[2]], [[3]]]],
    "spread wrong": lambda: rows() + [[1, 2], [1, 2], [1, 2], [1, 2], [1, 2]],
    "map": lambda: [
        ragged.map_flat_values(tf.multiply, rows(), 2),
        ragged.map_flat_values(tf.one_hot, rows(), depth=3),
        ragged.map_flat_values(tf.add, 1, 2),
    ],
    "map differ": lambda: ragged.map_flat_values(tf.add, rows(), deep()),
    "refused": lambda: tf.matmul(rows(), rows()),
    "refused too": lambda: tf.reshape(rows(), [-1]),
}
for name in sorted(cases):
    results[name] = outcome(cases[name])

# Gradients go through the values.
with tf.Graph().as_default(), tf.Session() as sess:
    values = tf.constant([1.0, 2.0, 3.0, 4.0])
    made = RT.from_row_splits(values, [0, 3, 3, 4])
    y = tf.reduce_sum(tf.square(made.to_tensor())) + tf.reduce_sum(tf.reduce_max(made[:1], 1) * 5.0)
    results["gradient"] = sess.run(tf.gradients(y, values)[0])
    y = tf.reduce_sum(tf.gather(made, [0, 0, 2]).values * [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    results["gradient of gather"] = sess.run(tf.convert_to_tensor(tf.gradients(y, values)[0]))
    sparse = made.to_sparse()
    results["gradient of sparse"] = sess.run(tf.gradients(sparse.values * [1.0, 2.0, 3.0, 4.0], values)[0])

# Fed and fetched.
with tf.Graph().as_default(), tf.Session() as sess:
    given = ragged.placeholder(tf.int32, 2, value_shape=[])
    value = ragged.constant_value([[[1, 2], []], [[3]]], dtype=np.int32)
    results["placeholder"] = [str(given.shape), str(given.dtype), [t.name for t in given.nested_row_splits]]
    results["fed"] = plain(sess.run([given, given + 1, given.to_tensor()], {given: value}))
    results["nested fetch"] = plain(sess.run({"a": given, "b": [given.values]}, {given: value})["b"])
    results["repr"] = repr(given)
    results["value"] = [repr(value.row_splits.tolist()), list(value.shape), value.ragged_rank, value.to_list()]
    results["value text"] = str(value)
    results["spec"] = [
        str(tf.RaggedTensorSpec([2, None], tf.int32).is_compatible_with(tf.RaggedTensorSpec([None, None], tf.int32))),
        tf.RaggedTensorSpec([2, None], tf.int32) == tf.RaggedTensorSpec([2, None], tf.int32),
        tf.RaggedTensorSpec([2, None, 3], tf.int32, ragged_rank=1).value_type is tf.RaggedTensor,
    ]
    results["is ragged"] = [isinstance(given, tf.RaggedTensor), given.ragged_rank]
