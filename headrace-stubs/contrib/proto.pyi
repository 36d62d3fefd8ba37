# Made by tools/make_stubs.py.

__all__ = ['decode_proto', 'encode_proto']
from headrace.ops.parsing.protos import decode_proto as decode_proto
from headrace.ops.parsing.protos import encode_proto as encode_proto
