"""tf.compat.v2.debugging: the names that mean the same in 1.x, and those that take other arguments there."""

HOMES = {
    "debugging": "Assert assert_integer assert_proper_iterable assert_same_float_dtype assert_shapes assert_type "
    "check_numerics get_log_device_placement is_numeric_tensor set_log_device_placement",
}

SPELLED = {
    "assert_all_finite": "api.v2_arguments.debugging__assert_all_finite",
    "assert_equal": "api.v2_arguments.debugging__assert_equal",
    "assert_greater": "api.v2_arguments.debugging__assert_greater",
    "assert_greater_equal": "api.v2_arguments.debugging__assert_greater_equal",
    "assert_less": "api.v2_arguments.debugging__assert_less",
    "assert_less_equal": "api.v2_arguments.debugging__assert_less_equal",
    "assert_near": "api.v2_arguments.debugging__assert_near",
    "assert_negative": "api.v2_arguments.debugging__assert_negative",
    "assert_non_negative": "api.v2_arguments.debugging__assert_non_negative",
    "assert_non_positive": "api.v2_arguments.debugging__assert_non_positive",
    "assert_none_equal": "api.v2_arguments.debugging__assert_none_equal",
    "assert_positive": "api.v2_arguments.debugging__assert_positive",
    "assert_rank": "api.v2_arguments.debugging__assert_rank",
    "assert_rank_at_least": "api.v2_arguments.debugging__assert_rank_at_least",
    "assert_rank_in": "api.v2_arguments.debugging__assert_rank_in",
    "assert_scalar": "api.v2_arguments.debugging__assert_scalar",
}
