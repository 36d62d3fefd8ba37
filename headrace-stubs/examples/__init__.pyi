# Made by tools/make_stubs.py.

from headrace.examples import tutorials as tutorials
