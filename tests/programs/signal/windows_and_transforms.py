"""tf.signal: windows, frames, short-time and cosine transforms, mel spectra; values, shapes, gradients, errors."""

import numpy as np
import tensorflow as tf

results = {}
rng = np.random.RandomState(3)
wave = np.sin(np.arange(100) * 0.31).astype(np.float32) + rng.randn(2, 100).astype(np.float32) * 0.1


def late(value):
    """A value of which nothing is known while the graph is built."""
    return tf.placeholder_with_default(tf.constant(value), None)


def outcome(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            made = make()
            return [sess.run(made), str(made.get_shape())]
        except (ValueError, NotImplementedError, TypeError) as error:
            return type(error).__name__


def gradient_of(function, value):
    x = tf.constant(value)
    y = function(x)
    return tf.gradients(tf.reduce_sum(tf.abs(y) * tf.abs(y)), x)[0]


def there_and_back(length, step, window):
    spectra = tf.signal.stft(wave, length, step, window_fn=window)
    return tf.signal.inverse_stft(
        spectra, length, step, window_fn=tf.signal.inverse_stft_window_fn(step, forward_window_fn=window)
    )


cases = {
    "hann": lambda: tf.signal.hann_window(7),
    "hann even": lambda: tf.signal.hann_window(8),
    "hann symmetric": lambda: tf.signal.hann_window(8, periodic=False, dtype=tf.float64),
    "hann of one": lambda: tf.signal.hann_window(1),
    "hann late": lambda: tf.signal.hann_window(late(6)),
    "hann late one": lambda: tf.signal.hann_window(late(1)),
    "hamming": lambda: tf.signal.hamming_window(6),
    "hamming half": lambda: tf.signal.hamming_window(5, dtype=tf.float16),
    "window int": lambda: tf.signal.hann_window(6, dtype=tf.int32),
    "window vector": lambda: tf.signal.hann_window([6]),
    "frame": lambda: tf.signal.frame(wave, 30, 20),
    "frame padded": lambda: tf.signal.frame(wave, 30, 20, pad_end=True, pad_value=2.0),
    "frame axis 0": lambda: tf.signal.frame(tf.reshape(tf.range(24), [8, 3]), 3, 2, axis=0),
    "frame axis 0 padded": lambda: tf.signal.frame(tf.reshape(tf.range(24), [8, 3]), 3, 3, True, axis=0),
    "frame axis -2": lambda: tf.signal.frame(tf.reshape(tf.range(24), [2, 4, 3]), 2, 1, axis=-2),
    "frame late": lambda: tf.signal.frame(late(wave), late(30), late(20), pad_end=True, axis=late(-1)),
    "frame too long": lambda: tf.signal.frame(wave, 200, 20),
    "frame too long padded": lambda: tf.signal.frame([1.0, 2.0], 3, 2, pad_end=True),
    "frame scalar": lambda: tf.signal.frame(1.0, 3, 2),
    "overlap": lambda: tf.signal.overlap_and_add(tf.reshape(tf.range(24.0), [2, 3, 4]), 2),
    "overlap uneven": lambda: tf.signal.overlap_and_add(tf.reshape(tf.range(24.0), [2, 3, 4]), 3),
    "overlap none": lambda: tf.signal.overlap_and_add(tf.reshape(tf.range(24.0), [2, 3, 4]), 4),
    "overlap gaps": lambda: tf.signal.overlap_and_add(tf.reshape(tf.range(12), [3, 4]), 5),
    "overlap late": lambda: tf.signal.overlap_and_add(late(np.ones([2, 3, 4], np.float32)), late(1)),
    "overlap float": lambda: tf.signal.overlap_and_add(tf.ones([2, 3]), 2.0),
    "overlap vector": lambda: tf.signal.overlap_and_add(tf.ones([3]), 2),
    "stft": lambda: tf.signal.stft(wave, 30, 20),
    "stft length": lambda: tf.signal.stft(wave, 30, 20, fft_length=40, pad_end=True),
    "stft plain": lambda: tf.signal.stft(wave, 16, 8, window_fn=None),
    "stft late": lambda: tf.signal.stft(late(wave), late(30), late(20)),
    "stft gradient": lambda: gradient_of(lambda x: tf.signal.stft(x, 16, 8), wave),
    "back": lambda: there_and_back(16, 8, tf.signal.hann_window),
    "back hamming": lambda: there_and_back(30, 7, tf.signal.hamming_window),
    "inverse plain": lambda: tf.signal.inverse_stft(tf.signal.stft(wave, 16, 16), 16, 16),
    "inverse short": lambda: tf.signal.inverse_stft(tf.signal.stft(wave, 16, 8), 12, 8, fft_length=16),
    "inverse long": lambda: tf.signal.inverse_stft(tf.signal.stft(wave, 16, 8), 20, 8, fft_length=16),
    "mel": lambda: tf.signal.linear_to_mel_weight_matrix(10, 33, 8000, 80.0, 3600.0),
    "mel double": lambda: tf.signal.linear_to_mel_weight_matrix(5, 17, tf.constant(4000.0), 80.0, 1800.0, tf.float64),
    "mel edges": lambda: tf.signal.linear_to_mel_weight_matrix(10, 33, 8000, 80.0, 4600.0),
    "mel bins": lambda: tf.signal.linear_to_mel_weight_matrix(0, 33, 8000, 80.0, 3600.0),
    "mel late rate": lambda: tf.signal.linear_to_mel_weight_matrix(10, 33, late(8000.0)),
    "mfccs": lambda: tf.signal.mfccs_from_log_mel_spectrograms(tf.log(np.abs(wave[:, :20]) + 0.1)),
    "dct n": lambda: tf.signal.dct(wave[:, :9], n=5),
    "dct n more": lambda: tf.signal.dct(wave[:, :9], n=12, norm="ortho"),
    "dct late": lambda: tf.signal.dct(late(wave[:, :9])),
    "dct axis": lambda: tf.signal.dct(wave, axis=0),
    "dct type": lambda: tf.signal.dct(wave, type=4),
    "dct norm": lambda: tf.signal.dct(wave, norm="other"),
    "dct 1 ortho": lambda: tf.signal.dct(wave, type=1, norm="ortho"),
    "dct gradient": lambda: gradient_of(lambda x: tf.signal.dct(x, norm="ortho"), wave[:, :9]),
}
for kind in (1, 2, 3):
    cases["dct %d" % kind] = lambda kind=kind: tf.signal.dct(wave[:, :9], type=kind)
    cases["idct %d" % kind] = lambda kind=kind: tf.spectral.idct(wave[:, :9], type=kind)
    if kind > 1:
        cases["dct %d ortho" % kind] = lambda kind=kind: tf.spectral.dct(wave[:, :9], type=kind, norm="ortho")
for name in sorted(cases):
    results[name] = outcome(cases[name])
