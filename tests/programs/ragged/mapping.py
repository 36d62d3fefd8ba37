"""Functions mapped over the rows of ragged tensors, and values picked within rows where there may be none."""

import tensorflow as tf
from tensorflow.python.ops.ragged import ragged_batch_gather_ops, ragged_batch_gather_with_default_op, ragged_map_ops
from tensorflow.python.ops.ragged.ragged_tensor import RaggedTensorType

results = {}
session = tf.Session()
words = tf.ragged.constant([["to", "be"], [], ["or", "not", "to"]])
numbers = tf.ragged.constant([[3, 1], [4], [1, 5, 9]])
pages = tf.ragged.constant([[[1, 2], [3]], [[4, 5, 6]], [[], [7]]])


def value(item):
    item = session.run(item)
    if isinstance(item, dict):
        return {key: part.to_list() for key, part in item.items()}
    return item.to_list() if hasattr(item, "to_list") else item


def outcome(make):
    try:
        return value(make())
    except Exception as error:
        return type(error).__name__ + ": " + str(error).splitlines()[0].partition("\t")[0].strip()


def rows(rank, dtype=tf.int32):
    return RaggedTensorType(dtype=dtype, ragged_rank=rank)


mapped = ragged_map_ops.map_fn
results["sums"] = outcome(lambda: mapped(tf.reduce_sum, numbers, dtype=tf.int32))
results["pairs"] = outcome(lambda: mapped(lambda x: tf.stack([x[0], x[-1]]), numbers, dtype=tf.int32))
results["joined"] = outcome(lambda: mapped(lambda x: tf.reduce_join(x, separator=" "), words, dtype=tf.string))
results["doubled"] = outcome(lambda: mapped(lambda x: x * 2, numbers, dtype=rows(1), infer_shape=False))
results["marked"] = outcome(
    lambda: mapped(lambda x: tf.strings.join([x, "!"]), words, dtype=rows(1, tf.string), infer_shape=False)
)
results["counted"] = outcome(lambda: mapped(tf.range, tf.constant([2, 0, 3]), dtype=rows(1), infer_shape=False))
results["triangles"] = outcome(
    lambda: mapped(lambda n: tf.ragged.range(tf.range(n)), tf.constant([3, 0, 2]), dtype=rows(2), infer_shape=False)
)
results["lines"] = outcome(lambda: mapped(lambda x: x + 1, pages, dtype=rows(2), infer_shape=False))
results["line sums"] = outcome(
    lambda: mapped(lambda x: tf.reduce_sum(x, axis=1), pages, dtype=rows(1), infer_shape=False)
)
results["dense rows"] = outcome(lambda: mapped(lambda x: x, tf.ragged.constant([[1, 2], [3, 4]])))
results["two"] = outcome(
    lambda: mapped(
        lambda f: {"sum": f["a"] + f["b"], "first": f["a"][:1]},
        {"a": numbers, "b": numbers * 10},
        dtype={"first": rows(1), "sum": rows(1)},
        infer_shape=False,
    )
)
results["beside"] = outcome(
    lambda: mapped(lambda x: x[0] + x[1], (tf.constant([10, 20, 30]), numbers), dtype=rows(1), infer_shape=False)
)
results["too deep"] = outcome(lambda: mapped(lambda x: x, numbers, dtype=rows(3)))
results["not deep enough"] = outcome(lambda: mapped(lambda x: x, pages, dtype=rows(1)))
results["no function"] = outcome(lambda: mapped(3, numbers))
flat = tf.constant([1.0, 2.0, 3.0])
squares = mapped(
    lambda x: x * x,
    tf.RaggedTensor.from_row_splits(flat, [0, 2, 3]),
    dtype=rows(1, tf.float32),
    infer_shape=False,
)
results["gradient"] = outcome(lambda: tf.gradients(squares.flat_values, flat)[0])

with_default = ragged_batch_gather_with_default_op.batch_gather_with_default
results["picked"] = outcome(lambda: with_default(words, tf.ragged.constant([[1, -1], [-1], [2, 0, -1]]), "?"))
results["picked dense"] = outcome(lambda: with_default([["a", "b"], ["c", "d"]], [[1, -1], [0, 1]], "?"))
results["picked by rows"] = outcome(lambda: with_default([["a", "b"], ["c", "d"]], tf.ragged.constant([[1, -1], [0]])))
results["both dense"] = outcome(lambda: ragged_batch_gather_ops.batch_gather([[1, 2], [3, 4]], [[1], [0]]))
