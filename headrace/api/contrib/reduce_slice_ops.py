"""tf.contrib.reduce_slice_ops, which is not here: reductions of slices."""

_ADVICE = "use tf.segment_sum and its kin where slices do not overlap"

ABSENT = dict.fromkeys(
    (
        "reduce_slice_max",
        "reduce_slice_min",
        "reduce_slice_prod",
        "reduce_slice_sum",
    ),
    _ADVICE,
)
