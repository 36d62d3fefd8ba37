# Made by tools/make_stubs.py.

from headrace.keras.mixed_precision import experimental as experimental
