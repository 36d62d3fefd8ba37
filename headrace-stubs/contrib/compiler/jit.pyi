# Made by tools/make_stubs.py.

from headrace.state.compiled import experimental_jit_scope as experimental_jit_scope
