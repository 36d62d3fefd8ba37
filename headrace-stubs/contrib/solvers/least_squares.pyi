# Made by tools/make_stubs.py.

__all__ = ['cgls']
from headrace.contrib.solvers.least_squares import cgls as cgls
