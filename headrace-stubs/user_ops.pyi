# Made by tools/make_stubs.py.

from headrace.ops.string.fact import my_fact as my_fact
