"""tf.debugging: checks of values, types and shapes."""

HOMES: dict[str, str] = {
    "functions.flow.assertion": "Assert",
    "functions.flow.checks": "assert_equal assert_greater assert_greater_equal assert_integer assert_less assert_less_equal "
    "assert_near assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive "
    "assert_proper_iterable assert_same_float_dtype assert_scalar assert_type is_non_decreasing is_numeric_tensor "
    "is_strictly_increasing",
    "ops.flow.numerics": "check_numerics",
    "functions.flow.rank_checks": "assert_rank assert_rank_at_least assert_rank_in assert_shapes",
    "config.settings": "get_log_device_placement set_log_device_placement",
    "ops.math.unary": "is_finite is_inf is_nan",
}

SPELLED: dict[str, str] = {
    "assert_all_finite": "functions.flow.numerics.verify_tensor_all_finite",
}
