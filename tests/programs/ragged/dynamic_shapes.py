"""Shapes of ragged tensors known when the graph runs; broadcasting; the ops that operators and keys make."""

import tensorflow as tf
from tensorflow.python.ops.ragged import ragged_tensor_shape
from tensorflow.python.ops.ragged.ragged_tensor_shape import RaggedTensorDynamicShape as Shape

results = {}


def run(value):
    with tf.Session() as session:
        value = session.run(value)
    return value.to_list() if hasattr(value, "to_list") else value


def sizes(shape):
    return [run(size).tolist() for size in shape.partitioned_dim_sizes] + [run(shape.inner_dim_sizes).tolist()]


def facts(shape):
    axes = [shape.is_ragged(axis) for axis in range(shape.rank)]
    counts = (shape.rank, shape.num_partitioned_dimensions, shape.num_inner_dimensions)
    return [sizes(shape), list(counts), axes, shape.dim_size_dtype.name]


def value_or_error(function):
    try:
        return str(run(function()))
    except Exception as caught:
        return type(caught).__name__


flat = tf.ragged.constant([[1, 2], [], [3, 4, 5]])
deep = tf.ragged.constant([[[1, 2], [3]], [[4, 5]]])
inner = tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1)
narrow = flat.with_row_splits_dtype(tf.int32)
for name, value in [("flat", flat), ("deep", deep), ("inner", inner), ("dense", [[1, 2, 3]]), ("narrow", narrow)]:
    results["shape of " + name] = facts(Shape.from_tensor(value))

made = {
    "of sizes": Shape.from_dim_sizes([2, [1, 2], 3]),
    "of two ragged": Shape.from_dim_sizes([2, [1, 2], [4, 5, 6]]),
    "uniform": Shape.from_dim_sizes([2, 3]),
    "uniform between": Shape.from_dim_sizes([2, 3, [1, 2, 3, 4, 5, 6]]),
    "of parts": Shape([2, [2, 1]], [5]),
    "int32": Shape.from_dim_sizes([2, [1, 2]]).with_dim_size_dtype(tf.int32),
    "to rank": Shape.from_tensor(flat).broadcast_to_rank(4),
    "dense to rank": Shape.from_tensor([1, 2]).broadcast_to_rank(3),
    "ragged from one": Shape.from_dim_sizes([3, 1]).broadcast_dimension(1, [2, 0, 3]),
    "outer from one": Shape.from_tensor(deep[:1]).broadcast_dimension(0, 3),
    "inner from one": Shape.from_dim_sizes([2, [1, 2], 1]).broadcast_dimension(2, 4),
}
for name in sorted(made):
    results["shape " + name] = facts(made[name])

pairs = {
    "rows and a column": (flat, [[10], [20], [30]]),
    "rows and a number": (flat, 10),
    "rows and one of a row": (flat, [[10]]),
    "rows of rows and a column": (deep, [[[10]], [[20]]]),
    "rows of rows and rows": (deep, tf.ragged.constant([[[1], [2]], [[3]]], ragged_rank=1)),
    "rows of pairs and a pair": (inner, [10, 20]),
    "rows of pairs and one": (inner, [[[10]], [[20]]]),
}
for name in sorted(pairs):
    x, y = pairs[name]
    shapes = [Shape.from_tensor(item) for item in (x, y)]
    both = ragged_tensor_shape.broadcast_dynamic_shape(*shapes)
    results["both: " + name] = [value_or_error(lambda: size) for size in both.partitioned_dim_sizes]
    for i, item in enumerate((x, y)):
        for whole in (True, False):
            results["%s, %d, %s" % (name, i, whole)] = value_or_error(
                lambda: ragged_tensor_shape.broadcast_to(item, both, broadcast_inner_dimensions=whole)
            )
    results["sum: " + name] = value_or_error(lambda: x + y)


results["errors"] = [
    value_or_error(lambda: Shape([[1, 2]], []).inner_dim_sizes),
    value_or_error(lambda: Shape([2, 1], []).inner_dim_sizes),
    value_or_error(lambda: Shape.from_dim_sizes([[[1]]]).inner_dim_sizes),
    value_or_error(lambda: made["uniform"].is_ragged(-1)),
    value_or_error(lambda: made["uniform"].is_ragged(5)),
    value_or_error(lambda: made["uniform"].dimension_size(1.5)),
    value_or_error(lambda: made["uniform"].broadcast_to_rank(1).inner_dim_sizes),
    value_or_error(lambda: made["uniform"].with_dim_size_dtype(tf.float32).inner_dim_sizes),
    value_or_error(lambda: ragged_tensor_shape.broadcast_to(flat, [3])),
    value_or_error(lambda: ragged_tensor_shape.broadcast_to(flat, made["uniform"])),
    value_or_error(lambda: ragged_tensor_shape.broadcast_to(deep, made["of sizes"])),
    value_or_error(lambda: ragged_tensor_shape.broadcast_to(narrow, Shape.from_tensor(flat))),
    value_or_error(lambda: ragged_tensor_shape.broadcast_dynamic_shape(made["uniform"], [2])),
    value_or_error(lambda: made["uniform"].broadcast_dimension(0, 5).inner_dim_sizes),
    value_or_error(lambda: made["uniform"].broadcast_dimension(0, [[1]])),
]

uses = {
    "sum of rows": lambda x: x + x,
    "product with a column": lambda x: x * tf.constant([[1.0], [2.0]]),
    "sum with a number": lambda x: 1.0 + x,
    "comparison": lambda x: x > 1.0,
    "absolute": lambda x: abs(x),
    "row": lambda x: x[0],
    "later rows": lambda x: x[1:],
    "every other row": lambda x: x[::2],
    "columns": lambda x: x[:, 1:],
    "last columns": lambda x: x[:, -1:],
    "new axis": lambda x: x[:, tf.newaxis],
    "tiled": lambda x: tf.tile(x, [2, 3]),
    "kept rows": lambda x: tf.ragged.boolean_mask(x, [True, False]),
    "kept values": lambda x: tf.ragged.boolean_mask(x, tf.ragged.constant([[True, False], [True]])),
    "sums of rows": lambda x: tf.reduce_sum(x, axis=1),
    "sums of both": lambda x: tf.reduce_sum(x, axis=[0, 1]),
    "side by side": lambda x: tf.concat([x, x], axis=1),
    "expanded": lambda x: tf.expand_dims(x, 0),
    "partitioned": lambda x: tf.ragged.stack_dynamic_partitions(x, [1, 0], 2),
    "ids": lambda x: tf.ragged.segment_ids_to_row_splits([0, 0, 2], 4),
}
for name in sorted(uses):
    with tf.Graph().as_default() as graph:
        x = tf.ragged.constant([[1.0, 2.0], [3.0]])
        result = uses[name](x)
        names = [op.name for op in graph.get_operations()]
        results["ops: " + name] = names if len(names) < 60 else [len(names), names[-1]]
        results["value: " + name] = run(result)
