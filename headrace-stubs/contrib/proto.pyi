# Made by tools/make_stubs.py.

from headrace.ops.parsing.protos import decode_proto as decode_proto
from headrace.ops.parsing.protos import encode_proto as encode_proto
