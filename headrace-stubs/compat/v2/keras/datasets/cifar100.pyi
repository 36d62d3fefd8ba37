# Made by tools/make_stubs.py.

from headrace.keras.datasets.cifar100 import load_data as load_data
