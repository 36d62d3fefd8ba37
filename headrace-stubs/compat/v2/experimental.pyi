# Made by tools/make_stubs.py.

__all__ = ['function_executor_type']
from headrace.experimental import function_executor_type as function_executor_type
