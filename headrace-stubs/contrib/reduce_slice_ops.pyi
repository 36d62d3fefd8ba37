# Made by tools/make_stubs.py.

from headrace.ops.math.slice_reduction import reduce_slice_max as reduce_slice_max
from headrace.ops.math.slice_reduction import reduce_slice_min as reduce_slice_min
from headrace.ops.math.slice_reduction import reduce_slice_prod as reduce_slice_prod
from headrace.ops.math.slice_reduction import reduce_slice_sum as reduce_slice_sum
