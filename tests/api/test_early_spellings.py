"""Names and argument orders of TensorFlow 0.6 to 0.12 that 1.15 no longer has."""

import numpy as np
import pytest

import headrace as tf

MATRIX = [[2.0, 1.0], [1.0, 3.0]]
BATCH = [MATRIX]


@pytest.mark.parametrize(
    ("old", "new", "arguments"),
    [
        ("batch_cholesky", "cholesky", (BATCH,)),
        ("batch_cholesky_solve", "cholesky_solve", (BATCH, BATCH)),
        ("batch_matrix_band_part", "matrix_band_part", (BATCH, 0, -1)),
        ("batch_matrix_determinant", "matrix_determinant", (BATCH,)),
        ("batch_matrix_diag", "matrix_diag", (MATRIX,)),
        ("batch_matrix_diag_part", "matrix_diag_part", (BATCH,)),
        ("batch_matrix_inverse", "matrix_inverse", (BATCH,)),
        ("batch_matrix_set_diag", "matrix_set_diag", (BATCH, [[5.0, 6.0]])),
        ("batch_matrix_solve", "matrix_solve", (BATCH, BATCH)),
        ("batch_matrix_solve_ls", "matrix_solve_ls", (BATCH, BATCH)),
        ("batch_matrix_transpose", "matrix_transpose", (BATCH,)),
        ("batch_matrix_triangular_solve", "matrix_triangular_solve", (BATCH, BATCH, True, False)),
        ("batch_self_adjoint_eigvals", "self_adjoint_eigvals", (BATCH,)),
        *((f"batch_{name}", name, (np.ones([1, 2, 2, 2], np.complex64),)) for name in ("fft", "fft2d", "fft3d")),
        *((f"batch_{name}", name, (np.ones([1, 2, 2, 2], np.complex64),)) for name in ("ifft", "ifft2d", "ifft3d")),
    ],
)
def test_the_linear_algebra_of_batches(old, new, arguments):
    with tf.Session() as sess:
        was, now = sess.run([getattr(tf, old)(*arguments), getattr(tf, new)(*arguments)])
    np.testing.assert_array_equal(was, now)


@pytest.mark.parametrize("name", ["batch_svd", "batch_self_adjoint_eig"])
def test_the_decompositions_of_batches(name):
    with tf.Session() as sess:
        assert sess.run(getattr(tf, name)(BATCH))[0].shape == (1, 2)


def test_resize_images_takes_height_and_width():
    images = tf.reshape(tf.range(8.0), [1, 2, 4, 1])
    method = tf.image.ResizeMethod
    with tf.Session() as sess:
        for old, new in [
            (tf.image.resize_images(images, 4, 6), tf.image.resize_images(images, [4, 6])),
            (
                tf.image.resize_images(images, 4, 6, method.NEAREST_NEIGHBOR, True),
                tf.image.resize_images(images, [4, 6], method.NEAREST_NEIGHBOR, align_corners=True),
            ),
        ]:
            assert old.shape == new.shape
            np.testing.assert_array_equal(*sess.run([old, new]))


@pytest.mark.parametrize("loss", ["sampled_softmax_loss", "nce_loss"])
def test_sampled_losses_take_the_inputs_before_the_labels(loss):
    function = getattr(tf.nn, loss)
    weights, biases = tf.reshape(tf.range(6.0), [3, 2]), tf.zeros([3])
    inputs, labels = tf.constant([[1.0, 2.0]]), tf.constant([[1]], tf.int64)
    sampled = (tf.constant([0, 2], tf.int64), tf.constant([[0.5]]), tf.constant([0.5, 0.5]))
    old = function(weights, biases, inputs, labels, 2, 3, sampled_values=sampled)
    new = function(weights, biases, labels, inputs, 2, 3, sampled_values=sampled)
    with tf.Session() as sess:
        np.testing.assert_array_equal(*sess.run([old, new]))


def test_a_sparse_tensor_has_a_shape():
    sparse = tf.SparseTensor(indices=[[1]], values=[7], shape=[3])
    with tf.Session() as sess:
        assert sess.run(tf.sparse_tensor_to_dense(sparse)).tolist() == [0, 7, 0]
    with pytest.raises(TypeError, match="dense_shape"):
        tf.SparseTensor([[1]], [7])
