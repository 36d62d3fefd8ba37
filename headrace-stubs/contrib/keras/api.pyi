# Made by tools/make_stubs.py.

from headrace.contrib import keras as keras
