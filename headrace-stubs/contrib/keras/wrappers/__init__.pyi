# Made by tools/make_stubs.py.

from headrace.contrib.keras.wrappers import scikit_learn as scikit_learn
