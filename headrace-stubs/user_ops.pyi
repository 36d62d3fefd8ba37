# Made by tools/make_stubs.py.

__all__ = ['my_fact']
from headrace.ops.string.fact import my_fact as my_fact
