# Made by tools/make_stubs.py.

from headrace.experimental import function_executor_type as function_executor_type
