# Made by tools/make_stubs.py.

__all__ = ['ParallelReader', 'get_data_files', 'parallel_read', 'single_pass_read']
from headrace.contrib.slim.data.parallel_reader import ParallelReader as ParallelReader
from headrace.contrib.slim.data.parallel_reader import get_data_files as get_data_files
from headrace.contrib.slim.data.parallel_reader import parallel_read as parallel_read
from headrace.contrib.slim.data.parallel_reader import single_pass_read as single_pass_read
