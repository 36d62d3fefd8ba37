# Made by tools/make_stubs.py.

from headrace.contrib.slim.data.data_provider import DataProvider as DataProvider
