"""Sparse tensors and dense ones, element by element."""

import numpy as np

import headrace as tf
from headrace.functions.sparse.elementwise import sparse_dense_cwise_add


def test_sum_has_the_places_of_the_sparse_tensor():
    with tf.Graph().as_default(), tf.Session() as session:
        sparse = tf.SparseTensor([[0, 0], [1, 1]], [1, 2], (2, 2))
        for dense, expected in (([[1, 5], [6, 3]], [2, 5]), ([10], [11, 12])):
            found = session.run(sparse_dense_cwise_add(sparse, tf.constant(dense)))
            assert found.indices.tolist() == [[0, 0], [1, 1]]
            assert found.values.tolist() == expected


def test_static_shape_of_a_permutation_of_one_axis():
    # As in 1.15: less than two axes are no permutation, so the shape is that of the input.
    with tf.Graph().as_default():
        unknown = tf.placeholder(tf.int32)
        assert tf.transpose(unknown, [0]).shape.ndims is None
        assert tf.transpose(unknown, [1, 0]).shape.ndims == 2


def test_sums_of_quantized_numbers_keep_their_type():
    with tf.Graph().as_default(), tf.Session() as session:
        numbers = tf.bitcast(tf.constant(np.int8([[1, 2], [3, 4]])), tf.qint8)
        found = session.run(tf.bitcast(tf.raw_ops.Sum(input=numbers, axis=0), tf.int8))
        assert found.tolist() == [4, 6]
