# Made by tools/make_stubs.py.

__all__ = ['scikit_learn']
from headrace.contrib.keras.wrappers import scikit_learn as scikit_learn
