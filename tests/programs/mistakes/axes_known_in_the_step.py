"""What kernels refuse when shapes and axes become known in the step alone, and small things they compute."""

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_array_ops, gen_image_ops, gen_math_ops, gen_nn_ops, gen_string_ops

results = {}


def fed(value, dtype=None):
    """A placeholder that tells nothing but its type, and what it is fed."""
    array = np.asarray(value)
    holder = tf.placeholder(dtype or array.dtype)
    feeds[holder] = array
    return holder


def numbers(*shape):
    return (np.arange(int(np.prod(shape)), dtype=np.float32) / 7 - 1).reshape(shape)


def cut(message):
    return message.split("\n")[0].split("[")[0].split(" for '")[0].rstrip(". :")


def record(name, build):
    global feeds
    feeds = {}
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            value = build()
            results[name + " shape"] = str(value.shape)
            results[name] = session.run(value, feeds)
        except tf.errors.OpError as error:
            results[name] = [type(error).__name__, cut(error.message)]
        except ValueError as error:
            results[name] = ["ValueError", cut(str(error))]


text = np.array([[[[b"a"], [b"b"]], [[b"c"], [b"d"]]]], object)
words = np.array([[b"a", b"b"]], object)
record("text to depth", lambda: tf.space_to_depth(fed(text, tf.string), 2))
record("text to space", lambda: tf.depth_to_space(fed(text.reshape(1, 1, 1, 4), tf.string), 2))
record(
    "no stride",
    lambda: tf.nn.dilation2d(tf.constant(numbers(1, 3, 3, 1)), numbers(2, 2, 1), [1, 0, 1, 1], [1] * 4, "SAME"),
)
record(
    "depths differ",
    lambda: tf.nn.dilation2d(fed(numbers(1, 3, 3, 2)), fed(numbers(2, 2, 1)), [1] * 4, [1] * 4, "VALID"),
)
record(
    "no patches",
    lambda: tf.extract_image_patches(tf.constant(numbers(1, 3, 3, 1)), [1, 2, 2, 1], [1, 1, 0, 1], [1] * 4, "SAME"),
)
record(
    "no rate",
    lambda: tf.extract_image_patches(tf.constant(numbers(1, 3, 3, 1)), [1, 2, 2, 1], [1] * 4, [1, 0, 1, 1], "SAME"),
)
record("three windows", lambda: gen_nn_ops.max_pool_v2(fed(numbers(1, 4, 4, 1)), [1, 2, 2], [1, 2, 2, 1], "VALID"))
record("permuted scalar", lambda: gen_nn_ops.data_format_vec_permute(fed(np.int32(1))))
record("permuted three", lambda: gen_nn_ops.data_format_vec_permute(fed(np.array([1, 2, 3], np.int32))))
record("split beyond", lambda: tf.split(fed(numbers(4)), [1, 3], 7)[0])
record("gathered scalar", lambda: gen_array_ops.gather(fed(np.float32(1)), [0]))
record("nth of scalar", lambda: tf.contrib.nn.nth_element(fed(np.float32(1)), 0))
record("solved vector", lambda: tf.matrix_solve(fed(numbers(2, 2)), fed(numbers(2))))
record("solved oblong", lambda: tf.matrix_triangular_solve(fed(numbers(2, 3)), fed(numbers(2, 2))))
record("normalized scalar", lambda: tf.nn.fused_batch_norm(fed(np.float32(1)), [1.0], [1.0])[0])
record("scaled by matrix", lambda: tf.nn.fused_batch_norm(fed(numbers(1, 2, 2, 2)), fed(numbers(1, 2)), [1.0, 1.0])[0])
record("joined beyond", lambda: tf.reduce_join(fed(words, tf.string), 7))
record("padding vector", lambda: tf.pad(fed(numbers(2, 2)), fed(np.array([1, 1], np.int32))))
record("padding threes", lambda: tf.pad(fed(numbers(2, 2)), fed(np.array([[1, 1, 1]], np.int32))))
record(
    "padding by vector",
    lambda: tf.pad(fed(numbers(2, 2)), [[1, 1], [1, 1]], constant_values=fed(np.array([1], np.float32))),
)
record("mirrored vector", lambda: tf.pad(fed(numbers(2, 2)), fed(np.array([1, 1], np.int32)), "REFLECT"))
record("band of vectors", lambda: tf.matrix_band_part(fed(numbers(2, 2)), fed(np.array([1])), fed(np.int64(0))))
record("band of vector", lambda: tf.matrix_band_part(fed(numbers(2)), 1, 1))
record("diagonal of vector", lambda: tf.matrix_diag_part(fed(numbers(3))))
record("diagonal set", lambda: tf.matrix_set_diag(fed(numbers(2, 3)), fed(numbers(3))))
record("in top vector", lambda: tf.nn.in_top_k(fed(numbers(2, 3)), [0, 1], fed(np.array([1], np.int32))))
record("segments vector", lambda: tf.unsorted_segment_sum(fed(numbers(3)), [0, 1, 1], fed(np.array([3], np.int32))))
record("searched rows", lambda: gen_array_ops.lower_bound(fed(numbers(2, 3)), fed(numbers(3, 3))))
record(
    "searched uint16",
    lambda: gen_array_ops.upper_bound(fed(np.array([[1, 2, 3]], np.uint16)), fed(np.array([[2]], np.uint16))),
)
record("unique", lambda: tf.unique(tf.constant(numbers(2, 2)))[1])
record("unique counted", lambda: tf.unique_with_counts(tf.constant(numbers(2, 2)))[1])
record("unique beyond", lambda: gen_array_ops.unique_v2(fed(numbers(2, 2)), tf.constant([2]))[1])
record("near", lambda: gen_math_ops.approximate_equal(fed(numbers(2, 1)), fed(numbers(2))))
record(
    "two channels",
    lambda: tf.image.draw_bounding_boxes(tf.constant(numbers(1, 4, 4, 2)), tf.constant(numbers(1, 1, 4))),
)
record("two channels fed", lambda: tf.image.draw_bounding_boxes(fed(numbers(1, 4, 4, 2)), fed(numbers(1, 1, 4))))
record(
    "color vector",
    lambda: gen_image_ops.draw_bounding_boxes_v2(fed(numbers(1, 4, 4, 3)), fed(numbers(1, 1, 4)), fed(numbers(3))),
)
record("empty matrix", lambda: gen_array_ops.empty(tf.constant([[1]]), tf.float32, init=True))
record(
    "parallel", lambda: gen_array_ops.parallel_concat([tf.placeholder(tf.float32), tf.constant(numbers(1, 2))], [2, 2])
)
record(
    "ngrams",
    lambda: gen_string_ops.string_n_grams(fed(words[0], tf.string), fed(np.array([0, 2])), "", [1], "", "", 0, False)[
        1
    ],
)
record("serialized float", lambda: tf.serialize_sparse(tf.SparseTensor([[0, 1]], [1.5], [2, 3])))
record("serialized bool", lambda: tf.serialize_many_sparse(tf.SparseTensor([[0, 1]], [True], [1, 3])))
for kind in (np.uint16, np.uint32, np.uint64):
    whole, part = np.array([1, 5], kind), np.array([7], kind)
    record("update %s" % kind.__name__, lambda: tf.tensor_scatter_sub(fed(whole), [[0]], fed(part)))
record(
    "update uint16 place",
    lambda: tf.tensor_scatter_update(fed(np.array([1, 5], np.uint16)), [[0]], fed(np.array([7], np.uint16))),
)
record("one bit", lambda: gen_array_ops.quantize_and_dequantize_v2(tf.constant(numbers(3)), -1.0, 1.0, num_bits=1))
record("many bits", lambda: gen_array_ops.quantize_and_dequantize_v3(tf.constant(numbers(3)), -1.0, 1.0, 62))
record("bits", lambda: gen_math_ops.compare_and_bitpack(tf.constant([1.0, -1, 2, 3, -5, 6, 7, 8]), 2.0))
record("bits of rows", lambda: gen_math_ops.compare_and_bitpack(tf.constant(numbers(2, 16)), fed(np.float32(0.5))))
record("bits of booleans", lambda: gen_math_ops.compare_and_bitpack(tf.constant([True, False] * 8), False))
record("bits left", lambda: gen_math_ops.compare_and_bitpack(fed(numbers(2, 9)), 0.0))
record("bits left static", lambda: gen_math_ops.compare_and_bitpack(tf.constant(numbers(2, 9)), 0.0))
record("bits of a number", lambda: gen_math_ops.compare_and_bitpack(fed(np.float32(1)), 0.0))
alpha = np.array([0.5, 2.0, 0.5, 3.0, 1e10, 40.0])
sample = np.array([100.0, 0.001, 1e10, 2.5, 1.0, 90.0])
record("gamma samples", lambda: tf.raw_ops.RandomGammaGrad(alpha=alpha, sample=sample))
