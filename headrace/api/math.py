"""tf.math: mathematical functions."""

HOMES: dict[str, str] = {
    "functions.confusion": "confusion_matrix",
    "functions.math.counting": "bincount",
    "ops.nn.activations": "softplus softsign",
    "functions.nn.moments": "l2_normalize zero_fraction",
    "ops.nn.softmax": "log_softmax softmax",
    "ops.nn.topk": "in_top_k top_k",
    "ops.array.transpose": "invert_permutation",
    "functions.flow.checks": "is_non_decreasing is_strictly_increasing",
    "ops.math.add_n": "accumulate_n add_n",
    "ops.math.argmax": "argmax argmin",
    "ops.math.binary": "add maximum minimum multiply multiply_no_nan polyval pow scalar_mul "
    "squared_difference subtract",
    "ops.math.comparison": "equal greater greater_equal less less_equal not_equal",
    "kernels.composing.arithmetic": "conj",
    "ops.math.complex": "angle imag real",
    "ops.math.division": "divide floordiv floormod mod reciprocal_no_nan truediv",
    "ops.math.logical": "logical_and logical_not logical_or logical_xor",
    "functions.math.reduction": "count_nonzero reduce_all reduce_any reduce_euclidean_norm reduce_logsumexp reduce_max "
    "reduce_mean reduce_min reduce_prod reduce_std reduce_sum reduce_variance",
    "ops.math.scan": "cumprod cumsum cumulative_logsumexp",
    "functions.math.segments": "segment_max segment_mean segment_min segment_prod segment_sum unsorted_segment_max "
    "unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n "
    "unsorted_segment_sum",
    "ops.math.special": "bessel_i0e bessel_i1e betainc digamma erf erfc igamma igammac lbeta lgamma nextafter "
    "polygamma xdivy xlogy zeta",
    "functions.math.special": "bessel_i0 bessel_i1",
    "ops.math.trigonometric": "acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan",
    "ops.math.unary": "abs ceil exp expm1 floor is_finite is_inf is_nan log log1p log_sigmoid negative reciprocal rint "
    "round rsqrt sigmoid sign sqrt square tanh",
}

SPELLED: dict[str, str] = {
    "divide_no_nan": "ops.math.division.div_no_nan",
}
