"""Types that arrays keep eagerly, flags that are none, and types that operations allow without a kernel for them."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
C = tf.constant
# TensorFlow takes the arguments of its first operation another way.
C(0)
pixel = [[1, 2, 3]]
image = np.ones((1, 4, 4, 3), np.float32)
half = np.eye(2, dtype=np.float16)

EAGERLY = {
    "hues of integers": lambda: tf.image.rgb_to_hsv(np.array(pixel, np.int64)),
    "hues of a list": lambda: tf.image.rgb_to_hsv(pixel),
    "hues of doubles": lambda: tf.image.rgb_to_hsv(np.array(pixel, np.float64)).dtype.name,
    "largest of integers": lambda: tf.nn.max_pool(np.ones((1, 3, 3, 1), np.int32), 2, 2, "SAME").dtype.name,
    "largest of complex numbers": lambda: tf.nn.max_pool(np.ones((1, 3, 3, 1), np.complex64), 2, 2, "SAME"),
    "picture of doubles": lambda: tf.image.encode_png(np.ones((2, 2, 3))),
    "picture of 16 bits": lambda: tf.image.decode_png(
        tf.image.encode_png(np.full((1, 1, 3), 300, np.uint16)), dtype=tf.uint16
    ),
    "spectrum of numbers": lambda: tf.signal.fft(np.ones(3, np.float32)),
    "neighbours of integers": lambda: tf.nn.lrn(np.ones((1, 3, 3, 1), np.int32)).dtype.name,
    "boxes on integers": lambda: (
        tf.image.draw_bounding_boxes(np.ones((1, 4, 4, 3), np.int32), [[[0.0, 0.0, 1.0, 1.0]]]).dtype.name
    ),
    "boxes of arrays on integers": lambda: tf.image.draw_bounding_boxes(
        np.ones((1, 4, 4, 3), np.int32), np.ones((1, 1, 4), np.float32)
    ),
    "flag and a list": lambda: tf.image.resize_bilinear(image, [2, 2], align_corners="a"),
    "number and a list": lambda: tf.image.resize_bilinear(image, [2, 2], align_corners=1),
    "flag and a tensor": lambda: tf.image.resize_bilinear(image, C([2, 2]), align_corners="a"),
    "flag and text": lambda: tf.io.encode_base64("a", pad="b"),
    "flag and a tensor of text": lambda: tf.io.encode_base64(C("a"), pad="b"),
    "picture as other numbers": lambda: tf.image.decode_png("a", dtype=tf.int32),
    "columns of flags": lambda: tf.io.decode_csv("1", [[True]]),
    "sparse features of 32 bits": lambda: tf.io.parse_example([""], {"x": tf.io.VarLenFeature(tf.int32)}),
    "shape as fractions": lambda: tf.shape([1], out_type=tf.float32),
    "size as text": lambda: tf.size([1], out_type=tf.string),
}
EVERYWHERE = {
    "diagonal of texts": lambda: tf.linalg.diag(["a"]),
    "diagonal part of texts": lambda: tf.linalg.diag_part([["a"]]),
    "texts on a diagonal": lambda: tf.linalg.set_diag([["a"]], ["b"]),
    "band of texts": lambda: tf.linalg.band_part([["a"]], 0, 0),
    "band of flags": lambda: tf.linalg.band_part([[True]], 0, 0),
    "reversed texts": lambda: tf.reverse_sequence([["a"]], [1], 1),
    "texts to space": lambda: tf.batch_to_space([[[["a"]]]], [[0, 0], [0, 0]], 1),
    "texts added": lambda: tf.tensor_scatter_add(["a"], [[0]], ["a"]),
    "texts searched": lambda: tf.searchsorted(["a"], ["a"]),
    "determinant of halves": lambda: tf.linalg.det(half),
    "solution of halves": lambda: tf.linalg.solve(half, half),
    "logarithm of a determinant of halves": lambda: tf.linalg.slogdet(half)[1],
}


def in_session(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


def outcome(make):
    """The class of the error, or what is made."""
    try:
        made = make()
    except Exception as error:
        return type(error).__name__
    return made if isinstance(made, str) else np.asarray(made)


for name in sorted(EAGERLY):
    results[name] = outcome(EAGERLY[name])
for name in sorted(EVERYWHERE):
    make = EVERYWHERE[name]
    results[name + ", eagerly"] = outcome(make)
    results[name + ", in a function"] = outcome(lambda make=make: tf.function(make, autograph=False)())
    results[name + ", in a session"] = outcome(lambda make=make: in_session(make))
