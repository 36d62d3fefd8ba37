# Made by tools/make_stubs.py.

__all__ = ['DataDecoder']
from headrace.contrib.slim.data.data_decoder import DataDecoder as DataDecoder
