# Made by tools/make_stubs.py.

__all__ = ['Dataset']
from headrace.contrib.slim.data.dataset import Dataset as Dataset
