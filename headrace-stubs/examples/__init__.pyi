# Made by tools/make_stubs.py.

__all__ = ['tutorials']
from headrace.examples import tutorials as tutorials
