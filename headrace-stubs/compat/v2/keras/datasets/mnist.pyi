# Made by tools/make_stubs.py.

from headrace.keras.datasets.mnist import load_data as load_data
