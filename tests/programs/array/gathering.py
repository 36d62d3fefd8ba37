"""Picking and placing elements by index, by condition and by set."""

import numpy as np
import tensorflow as tf

results = {}


def case(name, build, *arrays, **options):
    """One expression in a graph of its own: the operations made, static shapes, values, and gradients if asked for.

    `dims` are the static shapes of the placeholders that `arrays` are fed to, their own by default.
    """
    dims = options.get("dims") or [array.shape for array in arrays]
    with tf.Graph().as_default() as graph:
        inputs = [tf.placeholder(array.dtype, shape, "x") for array, shape in zip(arrays, dims)]
        try:
            outputs = build(*inputs)
        except (TypeError, ValueError) as error:
            results[name] = type(error).__name__
            return
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        said = {"made": ["%s %s" % (op.name, op.type) for op in graph.get_operations()]}
        said["shapes"] = [str(output.get_shape()) for output in outputs]
        said["types"] = [output.dtype.name for output in outputs]
        feed = dict(zip(inputs, arrays))
        with tf.Session() as session:
            try:
                values = said["values"] = session.run(outputs, feed)
            except tf.errors.OpError as error:
                said["values"] = type(error).__name__
            if options.get("gradient"):
                weights = [np.arange(1, v.size + 1).reshape(v.shape).astype(v.dtype) for v in values]
                count = len(graph.get_operations())
                wanted = [x for x in inputs if x.dtype.is_floating]
                gradients = tf.gradients(outputs, wanted, [tf.constant(w, name="w") for w in weights])
                made = graph.get_operations()[count:]
                said["gradient made"] = ["%s %s" % (op.name, op.type) for op in made]
                parts = [g for g in gradients if g is not None]
                dense = [tf.convert_to_tensor(g) for g in parts]
                said["gradients"] = [type(g).__name__ for g in gradients]
                said["gradient values"] = session.run(dense, feed)
        results[name] = said


def numbers(*shape):
    return np.arange(1, np.prod(shape, dtype=int) + 1).reshape(shape).astype(np.float32)


words = np.array([[b"a", b"bb", b""], [b"ccc", b"a", b"\xff"]], dtype=object)


def index(*values):
    return np.array(values, np.int32)


x = numbers(4, 3)
case("gather", lambda i, x: tf.gather(x, i), index(3, 0, 3), x, gradient=True)
case("gather matrix", lambda i, x: tf.gather(x, i), index([3, 0], [1, 1]), x, gradient=True)
case("gather scalar", lambda i, x: tf.gather(x, i), np.int32(2), x, gradient=True)
case("gather axis", lambda i, x: tf.gather(x, i, axis=1), index([2, 0]), x, gradient=True)
case("gather last", lambda i, x: tf.gather(x, i, axis=-1), np.int64(1), x, gradient=True)
case(
    "gather batches",
    lambda i, x: tf.gather(x, i, batch_dims=1),
    index([2, 0], [1, 1], [0, 0], [2, 2]),
    x,
    gradient=True,
)
case(
    "gather batches axis",
    lambda i, x: tf.gather(x, i, axis=2, batch_dims=1),
    index([1], [0]),
    numbers(2, 3, 2),
    gradient=True,
)
case("gather unknown", lambda i, x: tf.gather(x, i), index(3, 0), x, dims=[[None], [None, 3]], gradient=True)
case("gather rank unknown", lambda i, x: tf.gather(x, i, axis=1), index(2, 0), x, dims=[None, None])
case("gather fed axis", lambda a, i, x: tf.gather(x, i, axis=a), np.int32(1), index(2, 0), x)
case("gather out", lambda i, x: tf.gather(x, i), index(1, 4), x)
case("gather below", lambda i, x: tf.gather(x, i, axis=1), index(-1), x)
case("gather axis out", lambda i, x: tf.gather(x, i, axis=2), index(0), x)
case("gather text", lambda i, x: [tf.gather(x, i), tf.gather(x, i, axis=1), tf.gather(x, 1)], index(1, 0), words)
case("gather none", lambda i, x: tf.gather(x, i), np.zeros([0], np.int32), x)
case("batch_gather", lambda i, x: tf.batch_gather(x, i), index([2, 0], [1, 1], [0, 0], [2, 2]), x, gradient=True)
case("gather_nd", lambda i, x: tf.gather_nd(x, i), index([3, 0], [1, 2]), x, gradient=True)
case("gather_nd rows", lambda i, x: tf.gather_nd(x, i), index([3], [1]), x, gradient=True)
case(
    "gather_nd deep",
    lambda i, x: tf.gather_nd(x, i),
    index([[3], [1]]),
    x,
    dims=[[None, None, 1], [None, 3]],
    gradient=True,
)
case("gather_nd batches", lambda i, x: tf.gather_nd(x, i, batch_dims=1), index([2], [1], [0], [2]), x, gradient=True)
case("gather_nd out", lambda i, x: tf.gather_nd(x, i), index([3, 0], [1, 3]), x)
case("gather_nd too deep", lambda i, x: tf.gather_nd(x, i), index([3, 0, 0]), x)
case("gather_nd text", lambda i, x: tf.gather_nd(x, i), index([1, 0], [0, 2]), words)
case("scatter_nd", lambda i, u: tf.scatter_nd(i, u, [4, 3]), index([1], [3], [1]), numbers(3, 3), gradient=True)
case("scatter_nd fed", lambda s, i, u: tf.scatter_nd(i, u, s), index(5), index([1], [3]), numbers(2))
case("scatter_nd out", lambda i, u: tf.scatter_nd(i, u, [3]), index([1], [3]), numbers(2))
case("scatter_nd wrong", lambda i, u: tf.scatter_nd(i, u, [4]), index([1], [3]), numbers(3))
case("update", lambda i, u, x: tf.tensor_scatter_update(x, i, u), index([1], [3]), numbers(2, 3), x, gradient=True)
case("add", lambda i, u, x: tf.tensor_scatter_add(x, i, u), index([1], [1]), numbers(2, 3), x, gradient=True)
case("sub", lambda i, u, x: tf.tensor_scatter_sub(x, i, u), index([1, 2], [1, 2]), numbers(2), x, gradient=True)
case("dense", lambda i, v: tf.sparse_to_dense(i, [5], v, -1.0), index(1, 3), numbers(2))
case("dense matrix", lambda i, v: tf.sparse_to_dense(i, [2, 3], v), index([0, 1], [1, 2]), index(7, 8))
case("dense scalar", lambda i: tf.sparse_to_dense(i, [4], 1), np.int32(2))
case("dense unordered", lambda i, v: tf.sparse_to_dense(i, [5], v), index(3, 1), index(7, 8))
case("dense unchecked", lambda i, v: tf.sparse_to_dense(i, [5], v, validate_indices=False), index(3, 1), index(7, 8))
case("dense out", lambda i, v: tf.sparse_to_dense(i, [2], v), index(1, 3), index(7, 8))
case("dense text", lambda i: tf.sparse_to_dense(i, [3], "w", ""), index(0, 2))
case("where", lambda x: tf.where(x > 5.0), x)
case("where numbers", lambda x: tf.where(x), index(0, 3, 0, 4), dims=[None])
case("where choose", lambda c, x: tf.where(c > 2.0, x, -x), x, x, gradient=True)
case("where rows", lambda c, x: tf.where(c, x, tf.zeros_like(x)), np.array([True, False, True, False]), x)
case("where text", lambda c, x: tf.where(c, x, tf.zeros_like(x)), words == b"a", words)
case("where half", lambda x: tf.where(x > 1.0, x), x)
case("where_v2", lambda c, x: tf.where_v2(c, x, 1.0), np.array([True, False, True]), x)
case("mask", lambda m, x: tf.boolean_mask(x, m), np.array([True, False, True, False]), x, gradient=True)
case(
    "mask axis",
    lambda m, x: tf.boolean_mask(x, m, axis=1),
    np.array([True, False, True]),
    x,
    dims=[[None], [None, None]],
)
case("mask elements", lambda m, x: tf.boolean_mask(x, m), np.arange(12).reshape(4, 3) % 2 == 0, x)
case("mask text", lambda m, x: tf.boolean_mask(x, m), np.array([True, False]), words)
case("mask scalar", lambda x: tf.boolean_mask(x, True), x)
case("mask shape", lambda x: tf.boolean_mask(x, [True, False]), x)
case("one_hot", lambda i: tf.one_hot(i, 3), index(0, 2, -1, 5))
case("one_hot axis", lambda i: tf.one_hot(i, 3, axis=0), index([0, 2], [1, 1]), dims=[[None, 2]])
case("one_hot middle", lambda i: tf.one_hot(i, 3, 5, -1, axis=1), index([0, 2], [1, 1]))
case("one_hot type", lambda i: tf.one_hot(i, 3, dtype=tf.int64), np.array([1, 0], np.uint8))
case("one_hot bool", lambda i: tf.one_hot(i, 3, True, False), np.array([1, 0]))
case("one_hot text", lambda i: tf.one_hot(i, 3, "on", "off"), index(1))
case("one_hot fed", lambda d, i: tf.one_hot(i, d), np.int32(4), index(1, 2), dims=[[], None])
case("one_hot mismatch", lambda i: tf.one_hot(i, 3, 1.0, 0), index(1))
case("one_hot negative", lambda i: tf.one_hot(i, -3), index(1))
case("sequence_mask", lambda n: tf.sequence_mask(n), index(1, 3, 0))
case("sequence_mask length", lambda n: tf.sequence_mask(n, 4, tf.float32), index([1, 3], [0, 4]))
case("sequence_mask unknown", lambda m, n: tf.sequence_mask(n, m), np.int32(3), np.int64([1, 2]), dims=[[], None])
case("unique", lambda x: list(tf.unique(x)), np.float32([3, 1, 3, 2, 1]))
case("unique counts", lambda x: list(tf.unique_with_counts(x, tf.int64)), index(5, 5, 1), dims=[[None]])
case("unique text", lambda x: list(tf.unique_with_counts(tf.reshape(x, [-1]))), words)
case("unique matrix", lambda x: list(tf.unique(x)), x)
case("setdiff", lambda x, y: list(tf.setdiff1d(x, y)), index(1, 2, 3, 4, 2), index(1, 4))
case("setdiff text", lambda x: list(tf.setdiff1d(x[0], x[1], tf.int64)), words)
case("unravel", lambda i: tf.unravel_index(i, [7, 6]), index(22, 41, 37))
case("unravel scalar", lambda i: tf.unravel_index(i, [7, 6]), np.int32(22))
case("unravel out", lambda i: tf.unravel_index(i, [2, 2]), index(4))
case("partition", lambda p, x: tf.dynamic_partition(x, p, 3), index(2, 0, 2, 0), x, gradient=True)
case(
    "partition elements",
    lambda p, x: tf.dynamic_partition(x, p, 2),
    index([1, 0], [0, 1]),
    numbers(2, 2),
    dims=[None, None],
)
case("partition out", lambda p, x: tf.dynamic_partition(x, p, 2), index(2, 0, 2, 0), x)
case("partition text", lambda p, x: tf.dynamic_partition(x, p, 2), index(1, 0), words)
case(
    "stitch", lambda x, y: tf.dynamic_stitch([[0, 2], [1, 3, 2]], [x, y]), numbers(2, 2), -numbers(3, 2), gradient=True
)
stitched = lambda i, j, x: tf.dynamic_stitch([i, j], [x, x[0]])
case("stitch fed", stitched, index(4, 0), np.int32(2), numbers(2, 2), dims=[[None], [], None])
case("stitch text", lambda x: tf.dynamic_stitch([[1], [0]], [x[:1], x[1:]]), words)
case("sort", lambda x: [tf.sort(x), tf.sort(x, axis=0), tf.sort(x, direction="DESCENDING")], -x)
case("argsort", lambda x: [tf.argsort(x), tf.argsort(x, 0, "DESCENDING")], np.float32([[3, 1, 2], [1, 1, 0]]))
case("sort unknown", lambda x: tf.sort(x, axis=0), -x, dims=[None])
case("sort gradient", lambda x: tf.sort(x, axis=0), -x, gradient=True)
case("sort way", lambda x: tf.sort(x, direction="UP"), x)
case("range", lambda: [tf.range(5), tf.range(3, 18, 3), tf.range(0.0, 1.0, 0.1), tf.range(3, 1, -0.5)])
case("range type", lambda: tf.range(2, dtype=tf.int64))
case("range fed", lambda n: tf.range(n), np.int32(4))
case("range wrong", lambda: tf.range(3, 1))
case("range wrong fed", lambda n: tf.range(n, 1), np.int32(4))
case("range mixed", lambda n: tf.range(n, 5.0), np.int32(2))
case("linspace", lambda: [tf.linspace(10.0, 12.0, 5), tf.lin_space(1.0, 0.0, 1)])
case("linspace fed", lambda n: tf.linspace(0.0, 1.0, n), np.int32(3))
