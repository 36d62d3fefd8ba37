# Made by tools/make_stubs.py.

from headrace.contrib.slim.data.data_decoder import DataDecoder as DataDecoder
