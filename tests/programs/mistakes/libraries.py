"""What functions of the libraries refuse, and when: while the graph is built (class and first words) or when it runs."""

import numpy as np
import tensorflow as tf

results = {}


def tried(name, function, run=False):
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            made = function()
            if run:
                made = session.run(made)
            results[name] = "fine"
        except Exception as error:
            results[name] = type(error).__name__


def ones(*shape):
    return tf.ones(shape)


def unknown(*shape):
    return tf.placeholder_with_default(np.ones(shape, np.float32), None)


BOOLS = {"text": "a", "number": 1, "none": None, "list": [], "true": True}
for name, value in sorted(BOOLS.items()):
    tried("matmul " + name, lambda: tf.matmul([[1.0]], [[1.0]], transpose_a=value))
    tried("matmul of batches " + name, lambda: tf.matmul([[[1.0]]], [[[1.0]]], adjoint_b=value))
    tried("reduce_join " + name, lambda: tf.reduce_join(["a", "b"], 0, keep_dims=value))

DIAGONALS = {
    "fitting": ([1, 4], [1, 4], [1, 4], [4, 2]),
    "batches": ([3, 1, 4], [3, 1, 4], [3, 1, 4], [3, 4, 2]),
    "vector": ([1, 4], [1, 4], [1, 4], [4]),
    "scalar": ([1, 4], [1, 4], [1, 4], []),
    "one a vector": ([4], [1, 4], [1, 4], [4, 2]),
    "one shorter": ([1, 3], [1, 4], [1, 4], [4, 2]),
    "more rows": ([1, 4], [1, 4], [1, 4], [5, 2]),
    "two at once": ([2, 4], [2, 4], [2, 4], [4, 2]),
    "other batches": ([2, 1, 4], [3, 1, 4], [3, 1, 4], [3, 4, 2]),
    "batches of right sides": ([1, 4], [1, 4], [1, 4], [3, 4, 2]),
}
for name, (above, main, below, right) in sorted(DIAGONALS.items()):
    tried(
        "product of diagonals, " + name,
        lambda: tf.raw_ops.TridiagonalMatMul(
            superdiag=ones(*above), maindiag=ones(*main), subdiag=ones(*below), rhs=ones(*right)
        ),
    )
SYSTEMS = {
    "fitting": ([3, 4], [4, 2]),
    "vector": ([3, 4], [4]),
    "vector of diagonals": ([4], [4, 2]),
    "two diagonals": ([2, 4], [4, 2]),
    "more rows": ([3, 4], [5, 2]),
    "other batches": ([2, 3, 4], [3, 4, 2]),
    "batches of diagonals": ([2, 3, 4], [4, 2]),
}
for name, (diagonals, right) in sorted(SYSTEMS.items()):
    tried("system, " + name, lambda: tf.raw_ops.TridiagonalSolve(diagonals=ones(*diagonals), rhs=ones(*right)))

for shape in ([], [3], [3, 3]):
    tried("band of rank %d" % len(shape), lambda: tf.matrix_band_part(ones(*shape), 1, 1))
    tried("band of rank %d, run" % len(shape), lambda: tf.matrix_band_part(ones(*shape), 1, 1), run=True)
for name, images, boxes in [
    ("fitting", [1, 4, 4, 3], [1, 2, 4]),
    ("other batch", [1, 4, 4, 3], [2, 2, 4]),
    ("five numbers", [1, 4, 4, 3], [1, 2, 5]),
    ("two channels", [1, 4, 4, 2], [1, 2, 4]),
    ("matrix", [1, 4, 4, 3], [2, 4]),
]:
    tried("boxes, " + name, lambda: tf.image.draw_bounding_boxes(ones(*images), ones(*boxes)))
    tried("boxes, %s, run" % name, lambda: tf.image.draw_bounding_boxes(ones(*images), ones(*boxes)), run=True)
tried("negative radius", lambda: tf.nn.lrn(ones(1, 2, 2, 3), depth_radius=-1), run=True)
tried("negative radius, not run", lambda: tf.nn.lrn(ones(1, 2, 2, 3), depth_radius=-1))
tried(
    "padding of unknown rank", lambda: tf.RaggedTensor.from_tensor(ones(2, 3), padding=unknown()).row_splits, run=True
)
tried("a vector of files", lambda: tf.contrib.lookup.index_table_from_file(tf.constant(["a", "b"])))

for name, value in [("none", None), ("tuple", (1.0,)), ("text", "ab"), ("number", 5), ("tensor", [1.0])]:
    given = (lambda: tf.constant(value)) if name == "tensor" else (lambda: value)
    tried(
        "weights of classes, " + name,
        lambda: tf.nn.fixed_unigram_candidate_sampler(tf.zeros([2, 1], tf.int64), 1, 2, True, 5, unigrams=given()),
    )
for name, value in [("text", "unheard"), ("number", -1), ("list", []), ("settings", {"class_name": "None"})]:
    tried("activation, " + name, lambda: tf.layers.dense(ones(2, 3), 2, activation=value))
for name, value in [("none", None), ("empty", {}), ("settings", {"first_step": 0.1})]:
    tried(
        "options of odeint, " + name,
        lambda: tf.contrib.integrate.odeint(lambda y, t: y, 1.0, [0.0, 1.0], options=value),
    )


def batched(**changes):
    given = {
        "input_key": tf.constant("key"),
        "input_sequences": {"a": ones(4, 2)},
        "input_context": {},
        "input_length": tf.constant(4),
        "initial_states": {"state": ones(2)},
        "num_unroll": 2,
        "batch_size": 2,
    }
    given.update(changes)
    return tf.contrib.training.batch_sequences_with_states(**given)


tried("sequences", batched)
for name, value in [("text", "abc"), ("half", 2.5), ("list", [1, 2]), ("none", None)]:
    tried("num_unroll, " + name, lambda: batched(num_unroll=value))
    tried("input_key, " + name, lambda: batched(input_key=value))
    tried("input_length, " + name, lambda: batched(input_length=value))
tried("sequences by number", lambda: batched(input_sequences={1: ones(4, 2)}))
tried("sequences with colons", lambda: batched(input_sequences={"a:b": ones(4, 2)}))

numbers = tf.constant([[1.0, 2.0], [3.0, 5.0]])
with tf.Session() as session:
    results["moments of all"] = session.run(tf.nn.moments(numbers, None))
    results["weighted moments of all"] = session.run(tf.nn.weighted_moments(numbers, None, [[1.0], [2.0]]))
for name, value in sorted(BOOLS.items()):
    sparse = lambda: tf.SparseTensor([[0, 0], [1, 2]], [1.0, 2.0], [2, 3])
    tried("sum of sparse, " + name, lambda: tf.sparse.reduce_sum(sparse(), 0, keepdims=value))
for name, value in [("list", [1, 2]), ("tuple", (1, 2)), ("none", None), ("text", "ab"), ("number", 5)]:
    tried("key, " + name, lambda: tf.strings.to_hash_bucket_strong(["a"], 10, key=value))
tried("key, tensor", lambda: tf.strings.to_hash_bucket_strong(["a"], 10, key=tf.constant([1, 2])))
