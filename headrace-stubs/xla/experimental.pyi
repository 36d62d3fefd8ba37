# Made by tools/make_stubs.py.

from headrace.state.compiled import compile as compile
from headrace.state.compiled import jit_scope as jit_scope
