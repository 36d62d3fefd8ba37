# Made by tools/make_stubs.py.

__all__ = ['load_data']
from headrace.keras.datasets.cifar100 import load_data as load_data
