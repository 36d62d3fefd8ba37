# Made by tools/make_stubs.py.

from headrace.state.compiled import compile as compile
