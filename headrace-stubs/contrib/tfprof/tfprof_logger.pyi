# Made by tools/make_stubs.py.

from headrace.profiler.analyzer import write_op_log as write_op_log
