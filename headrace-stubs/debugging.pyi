# Made by tools/make_stubs.py.

__all__ = ['Assert', 'assert_all_finite', 'assert_equal', 'assert_greater', 'assert_greater_equal', 'assert_integer', 'assert_less', 'assert_less_equal', 'assert_near', 'assert_negative', 'assert_non_negative', 'assert_non_positive', 'assert_none_equal', 'assert_positive', 'assert_proper_iterable', 'assert_rank', 'assert_rank_at_least', 'assert_rank_in', 'assert_same_float_dtype', 'assert_scalar', 'assert_shapes', 'assert_type', 'check_numerics', 'get_log_device_placement', 'is_finite', 'is_inf', 'is_nan', 'is_non_decreasing', 'is_numeric_tensor', 'is_strictly_increasing', 'set_log_device_placement']
from headrace.functions.flow.assertion import Assert as Assert
from headrace.functions.flow.numerics import verify_tensor_all_finite as assert_all_finite
from headrace.functions.flow.checks import assert_equal as assert_equal
from headrace.functions.flow.checks import assert_greater as assert_greater
from headrace.functions.flow.checks import assert_greater_equal as assert_greater_equal
from headrace.functions.flow.checks import assert_integer as assert_integer
from headrace.functions.flow.checks import assert_less as assert_less
from headrace.functions.flow.checks import assert_less_equal as assert_less_equal
from headrace.functions.flow.checks import assert_near as assert_near
from headrace.functions.flow.checks import assert_negative as assert_negative
from headrace.functions.flow.checks import assert_non_negative as assert_non_negative
from headrace.functions.flow.checks import assert_non_positive as assert_non_positive
from headrace.functions.flow.checks import assert_none_equal as assert_none_equal
from headrace.functions.flow.checks import assert_positive as assert_positive
from headrace.functions.flow.checks import assert_proper_iterable as assert_proper_iterable
from headrace.functions.flow.rank_checks import assert_rank as assert_rank
from headrace.functions.flow.rank_checks import assert_rank_at_least as assert_rank_at_least
from headrace.functions.flow.rank_checks import assert_rank_in as assert_rank_in
from headrace.functions.flow.checks import assert_same_float_dtype as assert_same_float_dtype
from headrace.functions.flow.checks import assert_scalar as assert_scalar
from headrace.functions.flow.rank_checks import assert_shapes as assert_shapes
from headrace.functions.flow.checks import assert_type as assert_type
from headrace.ops.flow.numerics import check_numerics as check_numerics
from headrace.config.settings import get_log_device_placement as get_log_device_placement
from headrace import is_finite as is_finite
from headrace import is_inf as is_inf
from headrace import is_nan as is_nan
from headrace.functions.flow.checks import is_non_decreasing as is_non_decreasing
from headrace.functions.flow.checks import is_numeric_tensor as is_numeric_tensor
from headrace.functions.flow.checks import is_strictly_increasing as is_strictly_increasing
from headrace.config.settings import set_log_device_placement as set_log_device_placement
