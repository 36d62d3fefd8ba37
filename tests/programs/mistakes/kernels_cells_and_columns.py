"""Types without a kernel, sequences out of order, sizes beyond their scale, cells and columns of other arguments."""

import numpy as np
import tensorflow as tf

results = {}
C = tf.constant
rnn = tf.nn.rnn_cell
pixels = np.arange(64, dtype=np.float32).reshape(1, 8, 8, 1)
picture = np.arange(192, dtype=np.float32).reshape(8, 8, 3) / 192
boxes = np.float32([[[[0, 0, 1, 1]], [[2, 2, 3, 3]]]])
scores = np.float32([[[0.5], [0.7]]])


def of(values, dtype):
    return tf.cast(C(values), dtype)


def words(places, values, shape):
    return tf.SparseTensor(places, values, shape)


def sparse_sum(dtype):
    one = tf.SparseTensor([[0], [2]], of([1, 2], dtype), [3])
    return tf.sparse.add(one, one).values


def patches(sizes=(1, 2, 2, 1), strides=(1, 1, 1, 1), rates=(1, 1, 1, 1)):
    return tf.extract_image_patches(pixels, list(sizes), list(strides), list(rates), "VALID")


def suppressed(each=2, most=2, limit=0.5):
    return tf.image.combined_non_max_suppression(boxes, scores, each, most, limit)[1]


def quality(value):
    return tf.reduce_sum(tf.cast(tf.round(tf.image.adjust_jpeg_quality(picture, value) * 255), tf.int32))


def scope_of(name):
    with tf.name_scope(name):
        return tf.no_op()


def sharded():
    cell = rnn.LSTMCell(3, num_unit_shards=2, initializer=tf.ones_initializer())
    cell(tf.ones([2, 4]), (tf.ones([2, 3]), tf.ones([2, 3])))
    return [cell.trainable_variables[0].name, str(len(cell.weights)), str(len(cell.non_trainable_variables))]


def called(wrapper, **arguments):
    return wrapper(rnn.GRUCell(3))(tf.ones([2, 3]), tf.ones([2, 3]), **arguments)[0].shape.as_list()


CASES = {
    **{f"less of {d}": lambda d=d: tf.less(of([1, 2], d), of([2, 1], d)) for d in ("uint8", "uint16", "uint32")},
    **{f"sums so far of {d}": lambda d=d: tf.cumsum(of([1, 2], d)) for d in ("uint8", "uint16", "uint32", "uint64")},
    **{f"segments of {d}": lambda d=d: tf.segment_sum(of([1, 2], d), [0, 0]) for d in ("uint16", "uint32", "uint64")},
    **{f"sparse sum of {d}": lambda d=d: sparse_sum(d) for d in ("float16", "uint8", "int8", "float32")},
    **{f"tiles of {d}": lambda d=d: tf.tile(of([1], d), [2]) for d in ("uint8", "uint16", "uint32", "uint64")},
    "unique of complex": lambda: tf.unique(C([1j, 1j]))[0],
    "places of uint32": lambda: tf.where(of([1, 0], tf.uint32)),
    "places of a scalar": lambda: tf.where(True),
    "partition of uint64": lambda: tf.dynamic_partition(of([1, 2], tf.uint64), [0, 1], 2)[0],
    "places of uint32 in order": lambda: tf.searchsorted(of([1, 2], tf.uint32), of([2], tf.uint32)),
    "hypothesis out of order": lambda: tf.edit_distance(
        words([[1, 0], [0, 0]], ["a", "b"], [2, 1]), words([[0, 0], [1, 0]], ["a", "b"], [2, 1])
    ),
    "truth out of order": lambda: tf.edit_distance(
        words([[0, 0], [1, 0]], ["a", "b"], [2, 1]), words([[1, 0], [0, 0]], ["a", "b"], [2, 1]), normalize=False
    ),
    "letters out of order": lambda: tf.edit_distance(
        words([[0, 1], [0, 0]], ["a", "b"], [1, 2]), words([[0, 0]], ["a"], [1, 1])
    ),
    "patches of nothing": lambda: patches(sizes=(1, 0, 2, 1)),
    "patches of less": lambda: patches(sizes=(1, -1, 2, 1)),
    "patches in place": lambda: patches(strides=(1, 0, 1, 1)),
    "patches of one place": lambda: patches(rates=(1, 0, 1, 1)),
    "more than all quality": lambda: quality(200),
    "less than no quality": lambda: quality(-1),
    "less than no boxes of a class": lambda: suppressed(each=-1),
    "no boxes of a class": lambda: suppressed(each=0),
    "less than no boxes": lambda: suppressed(most=-1),
    "no boxes": lambda: suppressed(most=0),
    "overlap of two": lambda: suppressed(limit=2.0),
    "scope of a tensor": lambda: scope_of(C([1.0, 2.0])),
    "scope of an array": lambda: scope_of(np.ones(2)),
    "cell of no activation": lambda: type(rnn.GRUCell(3, activation={})).__name__,
    "cell of a tensor's activation": lambda: rnn.BasicLSTMCell(3, activation=C([1.0, 2.0])),
    "layer of no type": lambda: tf.layers.Dense(3, dtype="")(tf.ones([2, 4])).dtype.name,
    "layer of a tensor's type": lambda: tf.layers.Dense(3, dtype=C(1.0)),
    "weight of a tensor's type": lambda: tf.layers.Layer().add_weight("a", [2], dtype=C(1.0)),
    "shards": sharded,
    "dropout of more arguments": lambda: called(rnn.DropoutWrapper, training=True),
    "residual of more arguments": lambda: called(rnn.ResidualWrapper, training=True),
    "dropout": lambda: called(rnn.DropoutWrapper),
    "mode of a list": lambda: tf.variance_scaling_initializer(mode=["fan_in"]),
    "sampled rows of a list": lambda: tf.nn.nce_loss(
        np.ones((5, 2), np.float32), np.ones(5, np.float32), C([[0]], tf.int64), [[1.0, 2.0]], 2, 5
    ),
    "pairs of one label": lambda: tf.contrib.losses.metric_learning.npairs_loss(1, tf.ones([1, 2]), tf.ones([1, 2])),
    "scaled by a name of a type": lambda: tf.contrib.layers.variance_scaling_initializer(dtype="float32"),
    "column of a name of a type": lambda: tf.contrib.layers.real_valued_column("x", dtype="float32"),
    "ids of a name of a type": lambda: tf.contrib.layers.sparse_column_with_hash_bucket("x", 4, dtype="int32"),
    "columns of a number": lambda: tf.contrib.layers.input_from_feature_columns(
        5, [tf.contrib.layers.real_valued_column("x")]
    ),
    "sum of columns of a number": lambda: tf.contrib.layers.weighted_sum_from_feature_columns(
        5, [tf.contrib.layers.real_valued_column("x")], 2
    ),
    "hours that are no number": lambda: tf.estimator.RunConfig(keep_checkpoint_every_n_hours=float("nan")),
}


def outcome(make):
    """The class of the error, or what is made and computed."""
    try:
        with tf.Graph().as_default(), tf.Session() as sess:
            made = make()
            if isinstance(made, tf.Tensor):
                made = sess.run(made)
    except Exception as error:
        return type(error).__name__
    return made if made is None or isinstance(made, (bool, str, list)) else np.asarray(made)


for name in sorted(CASES):
    results[name] = outcome(CASES[name])
