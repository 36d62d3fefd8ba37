# Made by tools/make_stubs.py.

from headrace.contrib.tfprof import model_analyzer as model_analyzer
from headrace.contrib.tfprof import tfprof_logger as tfprof_logger
