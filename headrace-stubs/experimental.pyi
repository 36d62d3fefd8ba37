# Made by tools/make_stubs.py.

__all__ = ['function_executor_type', 'output_all_intermediates']
from headrace.config.function_options import function_executor_type as function_executor_type
from headrace.config.function_options import output_all_intermediates as output_all_intermediates
