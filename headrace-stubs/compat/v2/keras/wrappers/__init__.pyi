# Made by tools/make_stubs.py.

from headrace.compat.v2.keras.wrappers import scikit_learn as scikit_learn
