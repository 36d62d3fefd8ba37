# Made by tools/make_stubs.py.

from headrace.contrib.compiler import jit as jit
from headrace.contrib.compiler import xla as xla
