# Made by tools/make_stubs.py.

__all__ = ['image', 'sequence', 'text']
from headrace.keras.preprocessing import image as image
from headrace.keras.preprocessing import sequence as sequence
from headrace.keras.preprocessing import text as text
