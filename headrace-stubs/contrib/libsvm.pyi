# Made by tools/make_stubs.py.

__all__ = ['decode_libsvm']
from headrace.ops.parsing.libsvm import decode_libsvm as decode_libsvm
