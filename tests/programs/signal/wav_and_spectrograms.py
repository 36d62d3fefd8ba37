"""WAV files, spectrograms and cepstral coefficients."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.framework.python.ops import audio_ops

results = {}
sess = tf.Session()


def outcome(fetches, feed=None):
    try:
        value = sess.run(fetches, feed)
    except tf.errors.OpError as error:
        return type(error).__name__
    return list(value) if isinstance(value, tuple) else value


sound = np.array([[0.0, 0.5], [1.0, -1.0], [2.0, -3.0], [0.1, 0.00002]], np.float32)
wav = sess.run(tf.audio.encode_wav(sound, 8000))
mono = sess.run(tf.audio.encode_wav(sound[:, :1], 44100))
results["written"] = [wav, mono]
for channels in (-1, 0, 1, 2, 3):
    for samples in (-1, 2, 6):
        decoded = tf.audio.decode_wav(wav, desired_channels=channels, desired_samples=samples)
        results["read %d %d" % (channels, samples)] = outcome(decoded)
        results["shape %d %d" % (channels, samples)] = str(decoded.audio.shape)
results["mono as stereo"] = outcome(tf.audio.decode_wav(mono, 2))
contents = tf.placeholder(tf.string)
fed = tf.audio.decode_wav(contents)
results["names"] = [fed.audio.name, fed.sample_rate.name, tf.audio.encode_wav(sound, 8000).name]
for name, data in {
    "other": b"not a sound file",
    "empty": b"",
    "cut": wav[:50],
    "cut in header": wav[:30],
    "more": wav + b"xyz",
    "compressed": wav[:20] + b"\3\0" + wav[22:],
    "8 bits": wav[:34] + b"\x08\0" + wav[36:],
    "other chunks": wav[:36] + b"LIST\4\0\0\0abcd" + wav[36:],
    "no data": wav[:36],
    "two": [wav, wav],
}.items():
    results["read " + name] = outcome(fed, {contents: data})
for name, arguments in {
    "rate": (sound, -1),
    "nothing": (np.zeros((0, 2), np.float32), 8000),
}.items():
    results["written " + name] = outcome(tf.audio.encode_wav(*arguments))
for arguments in ((sound[0], 8000), (sound, [8000])):
    try:
        tf.audio.encode_wav(*arguments)
    except ValueError as error:
        results["written ranks %d" % np.ndim(arguments[0])] = type(error).__name__

time = np.arange(1000.0) / 8000
# One channel: TensorFlow begins the next one with what the first left over.
waves = np.sin(2 * np.pi * 440 * time + 9000 * time * time).astype(np.float32)[:, np.newaxis]
for window, stride, squared in ((100, 60, False), (64, 50, True), (33, 20, True), (1000, 1, False)):
    spectrogram = audio_ops.audio_spectrogram(waves, window, stride, magnitude_squared=squared)
    key = "%d %d" % (window, stride)
    results["spectrogram " + key] = sess.run(spectrogram)
    results["spectrogram shape " + key] = [str(spectrogram.shape), spectrogram.name]
results["spectrogram short"] = sess.run(audio_ops.audio_spectrogram(waves[:50], 100, 60))
results["spectrogram window"] = outcome(audio_ops.audio_spectrogram(waves, 1, 60))

spectrogram = audio_ops.audio_spectrogram(waves, 256, 100, magnitude_squared=True)
for name, options in {
    "plain": {},
    "many": {"dct_coefficient_count": 40},
    "narrow": {"upper_frequency_limit": 2000, "lower_frequency_limit": 300, "filterbank_channel_count": 20},
    "too high": {"upper_frequency_limit": 9000},
}.items():
    coefficients = audio_ops.mfcc(spectrogram, 8000, **options)
    results["mfcc " + name] = sess.run(coefficients)
    results["mfcc shape " + name] = [str(coefficients.shape), coefficients.name]
results["mfcc rate"] = outcome(audio_ops.mfcc(spectrogram, -1))
results["mfcc coefficients"] = outcome(audio_ops.mfcc(spectrogram, 8000, dct_coefficient_count=50))
results["mfcc limits"] = outcome(audio_ops.mfcc(spectrogram, 8000, lower_frequency_limit=5000))
