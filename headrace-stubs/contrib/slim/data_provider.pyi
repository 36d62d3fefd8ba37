# Made by tools/make_stubs.py.

__all__ = ['DataProvider']
from headrace.contrib.slim.data.data_provider import DataProvider as DataProvider
