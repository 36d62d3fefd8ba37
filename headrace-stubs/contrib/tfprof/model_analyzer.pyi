# Made by tools/make_stubs.py.

__all__ = ['ALL_ADVICE', 'FLOAT_OPS_OPTIONS', 'PRINT_ALL_TIMING_MEMORY', 'Profiler', 'TRAINABLE_VARS_PARAMS_STAT_OPTIONS', 'advise', 'print_model_analysis']
from headrace.profiler.advice import ALL_ADVICE as ALL_ADVICE
from headrace.profiler.contrib import FLOAT_OPS_OPTIONS as FLOAT_OPS_OPTIONS
from headrace.profiler.contrib import PRINT_ALL_TIMING_MEMORY as PRINT_ALL_TIMING_MEMORY
from headrace.profiler.analyzer import Profiler as Profiler
from headrace.profiler.contrib import TRAINABLE_VARS_PARAMS_STAT_OPTIONS as TRAINABLE_VARS_PARAMS_STAT_OPTIONS
from headrace.profiler.analyzer import advise as advise
from headrace.profiler.contrib import print_model_analysis as print_model_analysis
