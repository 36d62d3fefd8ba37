# Made by tools/make_stubs.py.

__all__ = ['experimental_jit_scope']
from headrace.state.compiled import experimental_jit_scope as experimental_jit_scope
