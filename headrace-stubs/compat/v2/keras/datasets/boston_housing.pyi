# Made by tools/make_stubs.py.

from headrace.keras.datasets.boston_housing import load_data as load_data
