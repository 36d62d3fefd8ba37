"""tf.contrib.input_pipeline, which is not here: lists of strings that are walked through."""

_ADVICE = "use tf.data.Dataset.from_tensor_slices(strings).repeat()"

ABSENT = dict.fromkeys(
    ("obtain_next",),
    _ADVICE,
)
