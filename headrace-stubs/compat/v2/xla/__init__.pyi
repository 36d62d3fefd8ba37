# Made by tools/make_stubs.py.

from headrace.compat.v2.xla import experimental as experimental
