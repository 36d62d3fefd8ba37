# Made by tools/make_stubs.py.

__all__ = ['bitwise_and', 'bitwise_or', 'bitwise_xor', 'invert', 'left_shift', 'right_shift']
from headrace.bitwise import bitwise_and as bitwise_and
from headrace.bitwise import bitwise_or as bitwise_or
from headrace.bitwise import bitwise_xor as bitwise_xor
from headrace.bitwise import invert as invert
from headrace.bitwise import left_shift as left_shift
from headrace.bitwise import right_shift as right_shift
