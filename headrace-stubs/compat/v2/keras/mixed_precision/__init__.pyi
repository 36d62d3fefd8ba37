# Made by tools/make_stubs.py.

__all__ = ['experimental']
from headrace.compat.v2.keras.mixed_precision import experimental as experimental
