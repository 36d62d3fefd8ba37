# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['AdviceProto', 'GraphNodeProto', 'MultiGraphNodeProto', 'OpLogProto', 'ProfileOptionBuilder', 'Profiler', 'advise', 'profile', 'write_op_log']
AdviceProto: Any
GraphNodeProto: Any
MultiGraphNodeProto: Any
OpLogProto: Any
from headrace.profiler.options import ProfileOptionBuilder as ProfileOptionBuilder
from headrace.profiler.analyzer import Profiler as Profiler
from headrace.profiler.analyzer import advise as advise
from headrace.profiler.analyzer import profile as profile
from headrace.profiler.analyzer import write_op_log as write_op_log
