"""tf.compat.v2.math: the names that mean the same in 1.x, and those that take other arguments there."""

HOMES = {
    "math": "abs accumulate_n acos acosh add add_n angle asin asinh atan atan2 atanh bessel_i0 bessel_i0e bessel_i1 "
    "bessel_i1e betainc ceil conj cos cosh cumprod cumsum cumulative_logsumexp digamma divide divide_no_nan "
    "equal erf erfc exp expm1 floor floordiv floormod greater greater_equal igamma igammac imag "
    "invert_permutation is_finite is_inf is_nan is_non_decreasing is_strictly_increasing lbeta less "
    "less_equal lgamma log log1p log_sigmoid logical_and logical_not logical_or logical_xor maximum minimum "
    "mod multiply multiply_no_nan negative nextafter not_equal polygamma polyval pow real reciprocal "
    "reciprocal_no_nan reduce_euclidean_norm reduce_std reduce_variance rint round rsqrt scalar_mul "
    "segment_max segment_mean segment_min segment_prod segment_sum sigmoid sign sin sinh softplus softsign "
    "sqrt square squared_difference subtract tan tanh top_k truediv unsorted_segment_max "
    "unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n "
    "unsorted_segment_sum xdivy xlogy zero_fraction zeta",
}

SPELLED = {
    "argmax": "api.v2_arguments.math__argmax",
    "argmin": "api.v2_arguments.math__argmin",
    "bincount": "api.v2_arguments.math__bincount",
    "confusion_matrix": "api.v2_arguments.math__confusion_matrix",
    "count_nonzero": "api.v2_arguments.math__count_nonzero",
    "in_top_k": "api.v2_arguments.math__in_top_k",
    "l2_normalize": "api.v2_arguments.math__l2_normalize",
    "log_softmax": "api.v2_arguments.math__log_softmax",
    "reduce_all": "api.v2_arguments.math__reduce_all",
    "reduce_any": "api.v2_arguments.math__reduce_any",
    "reduce_logsumexp": "api.v2_arguments.math__reduce_logsumexp",
    "reduce_max": "api.v2_arguments.math__reduce_max",
    "reduce_mean": "api.v2_arguments.math__reduce_mean",
    "reduce_min": "api.v2_arguments.math__reduce_min",
    "reduce_prod": "api.v2_arguments.math__reduce_prod",
    "reduce_sum": "api.v2_arguments.math__reduce_sum",
    "softmax": "api.v2_arguments.math__softmax",
}
