# Made by tools/make_stubs.py.

from headrace.ops.parsing.libsvm import decode_libsvm as decode_libsvm
