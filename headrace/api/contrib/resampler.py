"""tf.contrib.resampler."""

HOMES = {"contrib.image.resampling": "resampler"}
