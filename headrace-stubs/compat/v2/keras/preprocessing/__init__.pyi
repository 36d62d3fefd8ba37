# Made by tools/make_stubs.py.

__all__ = ['image', 'sequence', 'text']
from headrace.compat.v2.keras.preprocessing import image as image
from headrace.compat.v2.keras.preprocessing import sequence as sequence
from headrace.compat.v2.keras.preprocessing import text as text
