# Made by tools/make_stubs.py.

from headrace.keras.wrappers import scikit_learn as scikit_learn
