# Made by tools/make_stubs.py.

__all__ = ['keras_style_scope', 'set_keras_style']
from headrace.layers.base import keras_style_scope as keras_style_scope
from headrace.layers.base import set_keras_style as set_keras_style
