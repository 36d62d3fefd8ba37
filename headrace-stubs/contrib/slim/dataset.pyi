# Made by tools/make_stubs.py.

from headrace.contrib.slim.data.dataset import Dataset as Dataset
