# Made by tools/make_stubs.py.

__all__ = ['load_data']
from headrace.keras.datasets.mnist import load_data as load_data
