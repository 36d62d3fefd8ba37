"""tf.contrib.periodic_resample, which is not here: resampling by periodic shuffling."""

_ADVICE = "use tf.depth_to_space, or tf.reshape and tf.transpose"

ABSENT = dict.fromkeys(
    ("periodic_resample",),
    _ADVICE,
)
