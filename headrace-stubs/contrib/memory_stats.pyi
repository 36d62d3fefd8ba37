# Made by tools/make_stubs.py.

__all__ = ['BytesInUse', 'BytesLimit', 'MaxBytesInUse']
from headrace.ops.state.memory import BytesInUse as BytesInUse
from headrace.ops.state.memory import BytesLimit as BytesLimit
from headrace.ops.state.memory import MaxBytesInUse as MaxBytesInUse
