# Made by tools/make_stubs.py.

from headrace.ops.math.bitwise import bitwise_and as bitwise_and
from headrace.ops.math.bitwise import bitwise_or as bitwise_or
from headrace.ops.math.bitwise import bitwise_xor as bitwise_xor
from headrace.ops.math.bitwise import invert as invert
from headrace.ops.math.bitwise import left_shift as left_shift
from headrace.ops.math.bitwise import right_shift as right_shift
