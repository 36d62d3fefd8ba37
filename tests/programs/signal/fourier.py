"""Fourier transforms: values, lengths, static shapes, gradients, names, errors."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(9)
results = {}
sess = tf.Session()


def names(make):
    with tf.Graph().as_default() as graph:
        make()
        return [[o.name, o.type] for o in graph.get_operations()]


def fails(make):
    try:
        sess.run(make())
    except Exception as error:
        return type(error).__name__
    return None


x = random.normal(size=[2, 3, 4, 3]).astype(np.float32)
z = (x + 1j * x[::-1]).astype(np.complex64)
values, slopes = {}, {}
for rank, suffix in ((1, ""), (2, "2d"), (3, "3d")):
    for prefix in ("", "i"):
        f = getattr(tf.signal, prefix + "fft" + suffix)
        for source in (tf.constant(z), tf.constant(z.astype(np.complex128))):
            y = f(source)
            values["%s %s" % (y.op.type, y.dtype.name)] = [sess.run(y), str(y.get_shape())]
            slopes["%s %s" % (y.op.type, y.dtype.name)] = sess.run(tf.gradients(tf.abs(y), source)[0])
    rfft, irfft = getattr(tf.signal, "rfft" + suffix), getattr(tf.signal, "irfft" + suffix)
    for length in (None, [2] * rank, [5] * rank):
        for open_shape in (False, True):
            real = tf.placeholder_with_default(x, [None] * 4) if open_shape else tf.constant(x)
            half = tf.placeholder_with_default(z, [None] * 4) if open_shape else tf.constant(z)
            y, back = rfft(real, length), irfft(half, length)
            key = "%d %s %s" % (rank, length, open_shape)
            values["rfft " + key] = [sess.run(y), str(y.get_shape())]
            values["irfft " + key] = [sess.run(back), str(back.get_shape())]
            if rank < 3 and length != [2] * rank:
                slopes["rfft " + key] = sess.run(tf.gradients(tf.abs(y), real)[0])
                if length is None:
                    slopes["irfft " + key] = sess.run(tf.gradients(back * back, half)[0])
values["shifted"] = sess.run([tf.signal.fftshift(x), tf.signal.ifftshift(x, 1), tf.signal.fftshift(x, [0, 2])])
results["values"], results["gradients"] = values, slopes


def gradient_of(make, dtype, shape):
    def build():
        source = tf.placeholder(dtype, shape)
        tf.gradients(tf.abs(make(source)), source)

    return build


results["created"] = {
    "fft": names(gradient_of(tf.fft, tf.complex64, [3])),
    "ifft2d": names(gradient_of(tf.ifft2d, tf.complex64, [3, 4])),
    "rfft": names(gradient_of(tf.signal.rfft, tf.float32, [4])),
    "rfft2d": names(gradient_of(tf.signal.rfft2d, tf.float32, [4, 4])),
    "irfft open": names(gradient_of(tf.signal.irfft, tf.complex64, [None])),
    "padded": names(lambda: tf.signal.rfft(tf.ones([3]), [8])),
}
results["errors"] = [
    fails(lambda: tf.fft2d(z[0, 0, 0])),
    fails(lambda: tf.fft(x)),
    fails(lambda: tf.signal.rfft(x, [4, 4])),
]
