# Made by tools/make_stubs.py.

__all__ = ['experimental']
from headrace.keras.mixed_precision import experimental as experimental
