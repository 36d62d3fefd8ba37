# Made by tools/make_stubs.py.

__all__ = ['image', 'sequence', 'text']
from headrace.contrib.keras.preprocessing import image as image
from headrace.contrib.keras.preprocessing import sequence as sequence
from headrace.contrib.keras.preprocessing import text as text
