# Made by tools/make_stubs.py.

__all__ = ['write_op_log']
from headrace.profiler.analyzer import write_op_log as write_op_log
