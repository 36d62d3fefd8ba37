# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['Assert', 'assert_all_finite', 'assert_equal', 'assert_greater', 'assert_greater_equal', 'assert_integer', 'assert_less', 'assert_less_equal', 'assert_near', 'assert_negative', 'assert_non_negative', 'assert_non_positive', 'assert_none_equal', 'assert_positive', 'assert_proper_iterable', 'assert_rank', 'assert_rank_at_least', 'assert_rank_in', 'assert_same_float_dtype', 'assert_scalar', 'assert_shapes', 'assert_type', 'check_numerics', 'get_log_device_placement', 'is_numeric_tensor', 'set_log_device_placement']
from headrace.debugging import Assert as Assert
assert_all_finite: Any
assert_equal: Any
assert_greater: Any
assert_greater_equal: Any
from headrace.debugging import assert_integer as assert_integer
assert_less: Any
assert_less_equal: Any
assert_near: Any
assert_negative: Any
assert_non_negative: Any
assert_non_positive: Any
assert_none_equal: Any
assert_positive: Any
from headrace.debugging import assert_proper_iterable as assert_proper_iterable
assert_rank: Any
assert_rank_at_least: Any
assert_rank_in: Any
from headrace.debugging import assert_same_float_dtype as assert_same_float_dtype
assert_scalar: Any
from headrace.debugging import assert_shapes as assert_shapes
from headrace.debugging import assert_type as assert_type
from headrace.debugging import check_numerics as check_numerics
from headrace.debugging import get_log_device_placement as get_log_device_placement
from headrace.debugging import is_numeric_tensor as is_numeric_tensor
from headrace.debugging import set_log_device_placement as set_log_device_placement
