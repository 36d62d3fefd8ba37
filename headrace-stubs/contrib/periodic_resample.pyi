# Made by tools/make_stubs.py.

from headrace.ops.array.periodic_resample import periodic_resample as periodic_resample
