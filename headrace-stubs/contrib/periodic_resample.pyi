# Made by tools/make_stubs.py.

__all__ = ['periodic_resample']
from headrace.ops.array.periodic_resample import periodic_resample as periodic_resample
