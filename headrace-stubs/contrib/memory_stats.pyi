# Made by tools/make_stubs.py.

from headrace.ops.state.memory import BytesInUse as BytesInUse
from headrace.ops.state.memory import BytesLimit as BytesLimit
from headrace.ops.state.memory import MaxBytesInUse as MaxBytesInUse
