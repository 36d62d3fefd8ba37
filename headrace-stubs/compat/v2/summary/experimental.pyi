# Made by tools/make_stubs.py.

__all__ = ['get_step', 'set_step', 'summary_scope', 'write_raw_pb']
from headrace.summary.recording import get_step as get_step
from headrace.summary.recording import set_step as set_step
from headrace.summary.summary_v2 import summary_scope as summary_scope
from headrace.summary.summary_v2 import write_raw_pb as write_raw_pb
