# Made by tools/make_stubs.py.

__all__ = ['keras']
from headrace.contrib import keras as keras
