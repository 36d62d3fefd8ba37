# Made by tools/make_stubs.py.

from headrace.xla import experimental as experimental
