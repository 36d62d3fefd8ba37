# Made by tools/make_stubs.py.

__all__ = ['ProfileContext', 'model_analyzer', 'tfprof_logger']
from headrace.profiler.profile_context import ProfileContext as ProfileContext
from headrace.contrib.tfprof import model_analyzer as model_analyzer
from headrace.contrib.tfprof import tfprof_logger as tfprof_logger
